import WireProtocol

/// How much each controller of a player counts now, after those who are lost were dealt with as the rule declares.
struct Votes: Sendable {
    struct Share: Sendable {
        var peer: PeerIndex
        var weight: Int
        /// Heard of late; a lost one has a share only where the rule waits for it.
        var isLive: Bool
    }

    /// Those who have a share, in ascending order.
    private(set) var shares: [Share] = []

    /// - Parameters:
    ///   - members: who could have a share, in ascending order, and whether it is heard.
    init(_ members: [(peer: PeerIndex, isLive: Bool)], whenLost: FusionRule.Loss) {
        for member in members where member.isLive || whenLost == .wait {
            shares.append(Share(peer: member.peer, weight: 1, isLive: member.isLive))
        }
        guard whenLost == .handOver, !shares.isEmpty else { return }
        for member in members where !member.isLive {
            let heir = shares.firstIndex { $0.peer > member.peer } ?? 0
            shares[heir].weight += 1
        }
    }

    var total: Int { shares.reduce(0) { $0 + $1.weight } }

    func weight(of peer: PeerIndex) -> Int { shares.first { $0.peer == peer }?.weight ?? 0 }

    func isLive(_ peer: PeerIndex) -> Bool { shares.contains { $0.peer == peer && $0.isLive } }
}
