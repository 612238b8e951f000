import SessionCoordinator
import WireProtocol

extension PeerStatus {
    /// A peer's last minute at a glance, for who watches a whole room: small enough to be asked for every second.
    package struct Recent: Hashable, Sendable, Codable {
        /// What is wrong, in words for whoever stands beside the peer, and what helps; empty when all is well.
        package var troubles: [String]
        /// The same, for pages that say it in their reader's language.
        package var faults: [PeerStatus.Trouble]
        /// One way, of the last datagram, and how far it may be wrong; `null` while the clocks are not known.
        package var delayMs: Double?
        package var delayUncertaintyMs: Double?
        /// Of the complete seconds of the last minute, oldest first. The worst queueing delay of each; `null` where
        /// nothing arrived.
        package var queueingMs: [Double?]
        /// The share of the numbered datagrams that were missing, 0 to 1; `null` where nothing arrived, and everywhere over
        /// a transport that does not count losses.
        package var lost: [Double?]
        /// New samples.
        package var samples: [Int]
    }
}

extension PeerStatus.Recent {
    init(_ glance: PeerGlance, of status: PeerStatus, _ report: PeerReport) {
        let counts = report.transport.countsLosses
        let faults = status.faults(
            lost: counts ? glance.interval?.fractionLost.map { Double($0) / 256 } : nil,
            silentStreams: glance.streams.filter(\.isStale).map {
                .init(stream: $0.stream, ageMs: $0.age.map { Double($0) / 1e6 })
            },
            pathChanges: Int(report.pathChanges))
        self.init(
            troubles: faults.map(\.words), faults: faults,
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
