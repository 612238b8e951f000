import Roomful

/// Whether those who counted apart say the same of a room: its controllers, the kernel, and the host.
///
/// A witness that is missing is named; nothing adds up without one.
struct Accounts {
    let peers: [PeerStatus]
    /// `nil` where only peers are known.
    let room: RoomStatus?

    /// In what the witnesses contradict each other, in words.
    var contradictions: [String] { contradictions(of: \.name.isolated) }

    /// The same for a log, which outlives the room: nobody is named.
    var namelessContradictions: [String] { contradictions { "P\($0.player) (\($0.controller.prefix(8)))" } }

    private func contradictions(of name: (PeerStatus) -> String) -> [String] {
        let said = peers.flatMap { peer in
            peer.witness.map { $0.agreement == "contradicted" ? $0.reasons : [] }?.map { "\(name(peer)): \($0)" } ?? []
        }
        return said + ownContradictions
    }

    /// Those among them that hold whatever a controller says. Only these decide how the program ends: a guest may say
    /// what it likes, and a service that was stopped must not count as failed for it.
    var ownContradictions: [String] {
        guard let arrivals = room?.arrivals, arrivals.handedOver != arrivals.classified else { return [] }
        return [
            "the kernel handed over \(plural(arrivals.handedOver, "datagram")), and "
                + "\(plural(arrivals.classified, "is", "are")) in an account"
        ]
    }

    /// Whose account nobody confirms, and why.
    var unconfirmed: [String] {
        peers.compactMap { peer in
            guard let witness = peer.witness else { return "\(peer.name.isolated) (this host does not tell)" }
            return witness.agreement == "unconfirmed"
                ? "\(peer.name.isolated) (\(witness.reasons.joined(separator: "; ")))" : nil
        }
    }

    /// The closing word: lines for people.
    var verdict: String {
        let contradictions = contradictions
        guard contradictions.isEmpty else {
            return (["THE ACCOUNTS CONTRADICT EACH OTHER:"] + contradictions.map { "  " + $0 }).joined(separator: "\n")
        }
        var lines: [String] = []
        let confirmed = peers.filter { $0.witness?.agreement == "confirmed" }
        if !confirmed.isEmpty {
            let sent = confirmed.reduce(0) { Self.sum($0, $1.witness?.datagrams ?? 0) }
            let made = confirmed.reduce(0) { Self.sum($0, $1.witness?.samples ?? 0) }
            let who = plural(confirmed.count, "controller says", "controllers say")
            lines.append(
                "The books add up: \(who) to have sent \(plural(sent, "datagram")) and made \(plural(made, "sample")), "
                    + "and the host accounts for as many."
            )
        }
        let unconfirmed = unconfirmed
        if !unconfirmed.isEmpty { lines.append("Unconfirmed: " + unconfirmed.joined(separator: ", ") + ".") }
        if let room { lines.append(arrivals(of: room)) }
        return lines.joined(separator: "\n")
    }

    /// What controllers say that they made may be any number.
    private static func sum(_ one: Int, _ other: Int) -> Int {
        let (sum, isBeyond) = one.addingReportingOverflow(other)
        return isBeyond ? .max : sum
    }

    private func arrivals(of room: RoomStatus) -> String {
        guard let arrivals = room.arrivals else { return "This host does not tell what its kernel handed over." }
        let strangers = room.strangers.badAuth + room.strangers.unknown + room.strangers.malformed
        let drops =
            switch room.strangers.kernelDrops {
            case nil: "; it does not say how many it threw away"
            case 0?: " and threw none away"
            case let drops?: " and threw \(drops) away unread: they are among the missing, or were copies"
            }
        let handedOver = plural(arrivals.handedOver, "datagram")
        return "The kernel handed over \(handedOver), \(strangers) of them strangers'" + drops + "."
    }
}
