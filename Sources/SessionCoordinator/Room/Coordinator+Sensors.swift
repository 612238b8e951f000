public import WireProtocol

/// What controllers say of their own sensors.
extension Coordinator {
    /// A browser says what it knows of its own sensor.
    ///
    /// - Returns: who it is; `nil` for a connection of nobody who sits here.
    @discardableResult
    public mutating func learn(_ report: SensorReport, from conversation: ConversationID) -> PeerIndex? {
        guard let index = place(of: conversation) else { return nil }
        peers.update(index) { peer in
            var news = report.sanitised
            // A page that says nothing of it takes nothing back of what its samples have said.
            if news.battery == nil { news.battery = peer.sensor?.battery }
            peer.sensor = news
        }
        return index
    }

    /// A controller's samples tell its charge, in percent.
    package mutating func learn(battery percent: Int, of index: PeerIndex) {
        peers.update(index) { peer in
            var report = peer.sensor ?? SensorReport()
            report.battery = percent
            peer.sensor = report.sanitised
        }
    }

    /// What is known of a peer's battery.
    package func battery(of index: PeerIndex) -> (percent: Int, isCharging: Bool?)? {
        (peers.read(index) { $0.sensor } ?? nil).flatMap { sensor in
            sensor.battery.map { ($0, sensor.charging) }
        }
    }
}
