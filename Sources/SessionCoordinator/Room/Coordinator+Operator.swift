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
    /// Finds a peer by player (`P3`), by name, or by the beginning of its id (at least 4 digits).
    public func find(_ who: String) -> Result<PeerIndex, OperatorError> {
        func pick(_ isMeant: (borrowing Peer) -> Bool) -> Result<PeerIndex, OperatorError>? {
            let matches = peers.places(where: isMeant)
            if matches.count > 1 { return .failure(.ambiguous(candidates: labels(matches))) }
            return matches.first.map { .success($0) }
        }
        if who.first == "P" || who.first == "p", let player = Int(who.dropFirst()),
            let found = pick({ $0.lease.player == player })
        {
            return found
        }
        if let found = pick({ $0.lease.name == who }) { return found }
        let lower = who.lowercased()
        if let found = pick({ $0.lease.name.lowercased() == lower }) { return found }
        if who.utf8.count >= 4, let found = pick({ $0.lease.controller.description.hasPrefix(lower) }) { return found }
        return .failure(.notFound(present: labels(peers.places())))
    }

    private func labels(_ places: [PeerIndex]) -> [String] {
        places.compactMap { index in
            peers.read(index) { "P\($0.lease.player) \($0.lease.name) (\($0.lease.controller.description.prefix(8)))" }
        }
    }

    /// Those who wait for the operator, oldest first.
    public var waiting: [(controller: ControllerID, name: String)] {
        asking.map { ($0.invitation.controller, $0.invitation.name) } + legacy.waiting.map { ($0.controller, $0.name) }
    }

    /// Lets in the one who waits, or the one of those who wait that is named.
    public mutating func accept(_ who: String?, now: HostTime) -> Result<[Action], OperatorError> {
        switch findWaiting(who) {
        case .failure(let error): return .failure(error)
        case .success(let controller):
            guard freeSeats > 0 else { return .failure(.full) }
            if let entry = takeAsking(controller) {
                seat(entry.invitation, from: entry.conversation, material: entry.material, now: now)
            } else if let source = legacy.take(controller) {
                seat(source, now: now)
            }
            return .success(takeActions())
        }
    }

    /// Says no to the one who waits.
    public mutating func decline(_ who: String?, message: String?) -> Result<[Action], OperatorError> {
        switch findWaiting(who) {
        case .failure(let error): return .failure(error)
        case .success(let controller):
            if let entry = takeAsking(controller) {
                refuse(entry.conversation, Refusal(.declined, message: message ?? "The operator said no."))
            } else if let source = legacy.take(controller) {
                // It cannot be told; it is no longer listened to.
                legacy.decline(source.address)
            }
            return .success(takeActions())
        }
    }

    private func findWaiting(_ who: String?) -> Result<ControllerID, OperatorError> {
        let waiting = waiting
        guard !waiting.isEmpty else { return .failure(.nobodyAsks) }
        let names = waiting.map { "\($0.name) (\($0.controller.description.prefix(8)))" }
        let matches = waiting.indices.filter { place in
            guard let who else { return true }
            let (controller, name) = waiting[place]
            return name == who || name.lowercased() == who.lowercased()
                || (who.utf8.count >= 4 && controller.description.hasPrefix(who.lowercased()))
        }
        guard let place = matches.first else { return .failure(.notFound(present: names)) }
        guard matches.count == 1 else { return .failure(.ambiguous(candidates: matches.map { names[$0] })) }
        return .success(waiting[place].controller)
    }

    private mutating func takeAsking(_ controller: ControllerID) -> Asking? {
        asking.firstIndex { $0.invitation.controller == controller }.map { asking.remove(at: $0) }
    }

    /// Takes a controller's seat. It is told why, and stays out until the room is opened anew.
    public mutating func kick(_ index: PeerIndex, message: String?, now: HostTime) -> [Action] {
        guard let peer = peers.peer(at: index) else { return [] }
        if banned.count >= 256 { banned.removeFirst() }
        banned.append(peer.lease.controller)
        if let address = peer.legacy?.address { legacy.decline(address) }
        endOffers(
            to: peer.lease.controller,
            Refusal(.kicked, message: "It was removed from the room, and stays out until: roomful unlock."))
        say(.kicked, "kicked", message ?? "The operator removed this controller from the room.", to: peer)
        release(index, isTold: true, at: now)
        return takeActions()
    }

    /// Frees the seat of a controller that sends far more than it declared, and tells it why.
    mutating func throwOut(_ index: PeerIndex, at now: HostTime) {
        guard let peer = peers.peer(at: index) else { return }
        say(
            .tooFast, "tooFast",
            "This controller sent far more than it declared for 5 seconds: lower its rate, or declare the true one.",
            to: peer)
        // No seat is kept for it that it was called to; one that came without its ticket ends nobody's invitation.
        useUpTicket(of: peer.lease.controller)
        release(index, isTold: true, at: now)
    }

    /// Nobody new may join; those who have a seat may return to it.
    public mutating func lock(now: HostTime) -> [Action] {
        guard !isLocked else { return [] }
        isLocked = true
        legacy.stopAsking()
        endOffers(Refusal(.locked, message: "The operator locked the room.", retryAfter: 10_000))
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
    public mutating func close(now: HostTime) -> [Action] {
        guard !isClosing else { return [] }
        isClosing = true
        occurred(.room(.closing), at: now)
        for entry in asking { refuse(entry.conversation, Refusal(.closing, message: "The room is closing.")) }
        asking = []
        endOffers(Refusal(.closing, message: "The room is closing."))
        legacy.stopAsking()
        for index in peers.indices {
            guard let peer = peers.vacate(index) else { continue }
            agenda.touch(index)
            say(.closing, "closing", "The host closed the room.", to: peer)
            departed.append(makeReport(of: peer, seat: peer.seat.name, now: now))
        }
        return takeActions()
    }

    mutating func say(_ reason: GoodbyeReason, _ word: String, _ message: String, to peer: Peer) {
        if let link = peer.link { retire(PartingLink(link, reason)) }
        if let conversation = peer.conversation {
            actions.append(.answer(conversation, .goodbye(Farewell(reason: word, message: message))))
            actions.append(.close(conversation))
        }
    }

    /// A controller says on the control channel how many datagrams it has sent.
    public mutating func learn(lastSent: UInt32, from conversation: ConversationID) {
        guard let index = place(of: conversation) else { return }
        peers.update(index) { peer in peer.attachment.withLink { $0.ledger.learn(lastSent: lastSent) } }
    }

    /// A controller says goodbye on the control channel.
    public mutating func goodbye(_ farewell: Farewell, from conversation: ConversationID, now: HostTime) -> [Action] {
        guard let index = place(of: conversation) else { return [] }
        let isPause = farewell.reason == "paused"
        let controller = peers.update(index) { peer in
            peer.attachment.withLink { link in
                if let lastSent = farewell.lastSent { link.ledger.learn(lastSent: lastSent) }
                guard isPause, let last = farewell.lastSent ?? link.ledger.highest else { return }
                // What was on its way before does not wake it.
                link.pausedAfter = max(last, link.ledger.highest ?? 0)
            }
            return peer.lease.controller
        }
        if let controller { useUpTicket(of: controller) }
        leave(index, isPause ? .paused : .left, at: now)
        return takeActions()
    }
}
