public import WireProtocol

/// Why an operator's command could not be carried out.
public enum OperatorError: Error, Hashable, Sendable {
    /// Nobody answers to that; these are here.
    case notFound(present: [String])
    /// More than one does; these do.
    case ambiguous(candidates: [String])
    /// Nobody waits to be let in.
    case nobodyAsks
    /// The seats ran out in the meantime.
    case full
    /// The room has fewer seats, or no seat 0.
    case noSuchSeat(Int, of: Int)
    /// A name has 1 to 63 bytes.
    case badName
}

extension Coordinator {
    /// Finds a peer by its whole id, by player (`P3`), by name, or by the beginning of its id (at least 4 digits).
    public func find(_ who: String) -> Result<PeerIndex, OperatorError> {
        let meant = Designation(who).choose { isMeant in
            peers.places { isMeant($0.lease.controller.description, $0.lease.name, $0.lease.player) }
        }
        guard let one = meant.first else { return .failure(.notFound(present: labels(peers.places()))) }
        return meant.count == 1 ? .success(one) : .failure(.ambiguous(candidates: labels(meant)))
    }

    /// The same of what is for a player: `P3` means each of that player's controllers, in the order of their places.
    package func findAll(_ who: String) -> Result<[PeerIndex], OperatorError> {
        if let player = Designation(who).player {
            let controllers = peers.places { $0.lease.player == player }
            if !controllers.isEmpty { return .success(controllers) }
        }
        return find(who).map { [$0] }
    }

    private func labels(_ places: [PeerIndex]) -> [String] {
        places.compactMap { index in
            peers.read(index) {
                "P\($0.lease.player) \($0.lease.name.isolated) (\($0.lease.controller.description.prefix(8)))"
            }
        }
    }

    /// Takes a controller's seat. It is told why, and stays out until the room is unlocked, or was closed.
    public mutating func kick(_ index: PeerIndex, message: String?, now: HostTime) -> [Action] {
        guard let peer = peers.peer(at: index) else { return [] }
        if let address = peer.legacy?.address {
            // Its id is made anew each time that it asks: an address is all that it is known by, and not for long.
            legacy.decline(address)
        } else {
            if banned.count >= Self.mostBanned { banned.removeFirst() }
            banned.append(peer.lease.controller)
        }
        endOffers(to: peer.lease.controller, Self.keptOut)
        dismiss(index, .kicked, message ?? Self.removed.message, at: now)
        return takeActions()
    }

    /// Frees the seat of a controller that has one elsewhere by now. It may come back at any time.
    ///
    /// - Parameter message: where it went, for whoever is there in its name still.
    public mutating func depart(_ index: PeerIndex, message: String, now: HostTime) -> [Action] {
        guard let controller = controller(at: index) else { return [] }
        useUpTicket(of: controller)
        // Its link knows no word for it but this.
        dismiss(index, .moved, onLink: .replaced, message, at: now)
        return takeActions()
    }

    /// Frees the seat of a controller that sends far more than it declared, and tells it why.
    mutating func throwOut(_ index: PeerIndex, at now: HostTime) {
        guard let controller = controller(at: index) else { return }
        // No seat is kept for it that it was called to; one that came without its ticket ends nobody's invitation.
        useUpTicket(of: controller)
        dismiss(
            index, .tooFast,
            "This controller sent far more than it declared for 5 seconds: lower its rate, or declare the true one.",
            drains: false, at: now)
    }

    /// Nobody new may join; those who have a seat may return to it.
    public mutating func lock(now: HostTime) -> [Action] {
        guard !isLocked else { return [] }
        isLocked = true
        legacy.stopAsking()
        endOffers(Self.locked)
        occurred(.room(.locked), at: now)
        return takeActions()
    }

    /// New controllers may join again, those whom the operator removed too.
    public mutating func unlock(now: HostTime) -> [Action] {
        banned = []
        legacy.forgive()
        guard isLocked else { return [] }
        isLocked = false
        occurred(.room(.unlocked), at: now)
        return takeActions()
    }

    /// Makes a controller flash, sound and vibrate.
    public mutating func identify(_ index: PeerIndex) -> Bool { send(.identify, to: index) }

    /// Says goodbye to everyone. Leases stay, so that the same controllers find their seats when the host is back.
    ///
    /// - Parameter backIn: when the host means to be back. Who is seated then hears it on the control connection alone,
    ///   and keeps its link: it falls silent, and is taken up again.
    public mutating func close(backIn: Duration? = nil, now: HostTime) -> [Action] {
        guard !isClosing else { return [] }
        isClosing = true
        occurred(.room(.closing), at: now)
        let milliseconds = backIn.map { Int(clamping: $0.wholeNanoseconds / 1_000_000) }
        self.backIn = milliseconds
        for entry in asking { refuse(entry.conversation, closing) }
        asking = []
        for conversation in queue.compactMap(\.conversation) { refuse(conversation, closing) }
        queue = []
        endOffers(closing)
        legacy.stopAsking()
        for index in peers.indices {
            guard let peer = peers.vacate(index) else { continue }
            agenda.touch(index)
            if let milliseconds, let conversation = peer.conversation {
                let words = "The host closed the room for a while, and keeps your seat."
                let farewell = Farewell(reason: .closing, message: words, backIn: milliseconds)
                actions.append(.answer(conversation, .goodbye(farewell)))
                actions.append(.close(conversation))
            } else {
                say(.closing, "The host closed the room.", to: peer)
            }
            departed.append(makeReport(of: peer, seat: peer.seat.stage, now: now))
            if let link = peer.link { drain(.gone(peer), link.connection, at: now) }
        }
        return takeActions()
    }

    /// Takes a seat, and tells its controller why.
    ///
    /// - Parameters:
    ///   - onLink: how its link is told, where that has another word for it.
    ///   - drains: what was under way is booked still.
    mutating func dismiss(
        _ index: PeerIndex, _ reason: FarewellReason, onLink: GoodbyeReason? = nil, _ message: String,
        drains: Bool = true, at now: HostTime
    ) {
        guard let peer = peers.peer(at: index) else { return }
        say(reason, onLink: onLink, message, to: peer)
        release(index, isTold: true, drains: drains, at: now)
    }

    private mutating func say(
        _ reason: FarewellReason, onLink: GoodbyeReason? = nil, _ message: String, to peer: Peer
    ) {
        if let link = peer.link { retire(PartingLink(link, onLink ?? GoodbyeReason(reason))) }
        if let conversation = peer.conversation {
            actions.append(.answer(conversation, .goodbye(Farewell(reason: reason, message: message))))
            actions.append(.close(conversation))
        }
    }
}
