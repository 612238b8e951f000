import SessionCoordinator
import WireProtocol

extension PeerStatus {
    /// A peer's last minute at a glance, for who watches a whole room: small enough to be asked for every second.
    public struct Recent: Hashable, Sendable, Codable {
        /// What is wrong, in words for whoever stands beside the peer, and what helps; empty when all is well.
        public var troubles: [String]
        /// One way, of the last datagram, and how far it may be wrong; `null` while the clocks are not known.
        public var delayMs: Double?
        public var delayUncertaintyMs: Double?
        /// Of the complete seconds of the last minute, oldest first. The worst queueing delay of each; `null` where
        /// nothing arrived.
        public var queueingMs: [Double?]
        /// The share of the numbered datagrams that were missing, 0 to 1; `null` where nothing arrived, and everywhere over
        /// a transport that does not count losses.
        public var lost: [Double?]
        /// New samples.
        public var samples: [Int]
    }
}

extension PeerStatus.Recent {
    init(_ glance: PeerGlance, of status: PeerStatus, _ report: PeerReport) {
        let counts = report.transport.countsLosses
        self.init(
            troubles: status.troubles(
                lost: counts ? glance.interval.map { Double($0.fractionLost) / 256 } : nil,
                silentStreams: glance.streams.filter(\.isStale).map {
                    .init(stream: $0.stream, ageMs: $0.age.map { Double($0) / 1e6 })
                },
                pathChanges: Int(report.pathChanges)),
            delayMs: glance.oneWay.map { Double($0) / 1e6 },
            delayUncertaintyMs: glance.oneWay == nil ? nil : status.clock.uncertaintyMs,
            queueingMs: glance.minute.map { $0.worstQueueing.map { Double($0) / 1e3 } },
            lost: glance.minute.map { second in
                let all = Int(second.unique) + Int(second.missing)
                return counts && all > 0 ? Double(second.missing) / Double(all) : nil
            },
            samples: glance.minute.map { Int($0.samples) })
    }
}
