public import WireProtocol

extension Coordinator {
    /// A controller asks for a seat; its motion will come over `transport`. Every invitation is answered: at once, or
    /// when the operator or time decides.
    public mutating func invite(
        _ invitation: Invitation, from conversation: ConversationID, over transport: Transport = .udp,
        at source: PeerAddress? = nil, material: LinkMaterial, now: HostTime
    ) -> [Action] {
        var admitted: AdmittedInvitation
        switch Self.check(invitation, over: transport) {
        case .failure(let refusal):
            refuse(conversation, refusal.refusal)
            return takeActions()
        case .success(let checked): admitted = checked
        }
        admitted.source = source
        if isClosing {
            refuse(conversation, closing)
        } else if let index = place(of: admitted.controller) {
            comeBack(index, admitted, from: conversation, material: material, now: now)
        } else {
            apply(admitted, from: conversation, material: material, now: now)
        }
        return takeActions()
    }

    /// The control connection is gone. An active seat does not hang on it; an invitation does, and a seat not yet taken.
    public mutating func disconnected(_ conversation: ConversationID, now: HostTime) -> [Action] {
        asking.removeAll { $0.conversation == conversation }
        stepAway(conversation, now: now)
        forgetPlace(of: conversation)
        for index in peers.places(where: { $0.conversation == conversation }) {
            peers.update(index) { $0.hangUp() }
            // Gone before its first datagram: it may never have heard of its seat, and has no secret to come back with.
            if peers.read(index, { $0.isReserved }) == true { release(index, at: now) }
        }
        return takeActions()
    }

    /// A new controller: judged by the room's policy.
    private mutating func apply(
        _ invitation: AdmittedInvitation, from conversation: ConversationID, material: LinkMaterial, now: HostTime
    ) {
        if banned.contains(invitation.controller) { return refuse(conversation, Self.removed) }
        let isCalled = isCalled(invitation.controller, by: material.ticketHash)
        if !isCalled, let place = placeInQueue(of: invitation, material) {
            return goOnWaiting(at: place, invitation, from: conversation, material: material, now: now)
        }
        if isLocked { return refuse(conversation, Self.locked) }
        // Whoever comes as somebody that the room is said to have called, and was not, is not let in as anybody else.
        if material.ticketHash != nil, invitation.code == nil, !isCalled {
            return refuse(
                conversation,
                Refusal(.expired, message: "That invitation is not open any more; ask to be called again."))
        }
        if configuration.policy == .code, !isCalled {
            if let refusal = judge(code: invitation.code, from: invitation.source, now: now) {
                return refuse(conversation, refusal)
            }
        }
        if isCalled, let kept = seatKept(for: invitation.controller) {
            return seat(
                invitation, at: kept, as: player(movedTo: invitation.controller), from: conversation,
                material: material, now: now)
        }
        let isAsked = configuration.policy == .ask && !isCalled
        // Without the ticket an invited controller is anybody: its id can be read by all.
        guard freeSeats > 0, isAsked || isCalled || !isSomebodyQueuing else {
            guard invitation.waits else { return refuse(conversation, allTaken) }
            return letWait(invitation, from: conversation, material: material, isAsked: isAsked, now: now)
        }
        guard isAsked else {
            // Each stay is told, and has budgets of its own: nobody gains by leaving and joining without end.
            guard isCalled || seatingLimiter.admits(invitation.source, now: now) else {
                return refuse(conversation, NewcomerLimiter.refusal)
            }
            return seat(invitation, from: conversation, material: material, now: now)
        }
        letWait(invitation, from: conversation, material: material, isAsked: true, now: now)
    }

    /// Lets it wait, for the operator or for a seat, unless its machine asks too often: each time is told.
    private mutating func letWait(
        _ invitation: AdmittedInvitation, from conversation: ConversationID, material: LinkMaterial, isAsked: Bool,
        now: HostTime
    ) {
        guard askingLimiter.admits(invitation.source, now: now) else {
            return refuse(conversation, NewcomerLimiter.refusal)
        }
        isAsked
            ? askOperator(invitation, from: conversation, material: material, now: now)
            : queueUp(invitation, from: conversation, material: material, now: now)
    }

    /// A scanned code is looked at whatever others guess: it is too long to be guessed. One that people type has to wait
    /// while somebody guesses, at the same address or in too many places.
    private mutating func judge(code: String?, from source: PeerAddress?, now: HostTime) -> Refusal? {
        let kind = code.map(configuration.kind(of:))
        if kind == .scanned { return nil }
        if kind == .wrongScanned {
            return Refusal(.wrongCode, message: "That code was for this room once, or is for another: scan it anew.")
        }
        if let wait = gate.retryAfter(from: source, now: now) {
            return Refusal(
                .tooManyAttempts,
                message: "Too many wrong codes were typed; scan the QR code, or type the code again later.",
                retryAfter: wait)
        }
        if kind == .typed { return nil }
        if kind == nil {
            return Refusal(.wrongCode, message: "This room wants its code: scan it, or give the ticket file.")
        }
        gate.noteFailure(from: source, now: now)
        return Refusal(.wrongCode, message: "That is not this room's code.")
    }

    /// Gives the seat that is kept, else the lowest free one.
    ///
    /// - Parameters:
    ///   - promisedName: what it is called already, if it gets the seat that its name was made for.
    ///   - player: who it was in the room that it comes from.
    mutating func seat(
        _ invitation: AdmittedInvitation, at kept: Int? = nil, named promisedName: String? = nil,
        as player: MovingPlayer? = nil, from conversation: ConversationID, material: LinkMaterial, now: HostTime
    ) {
        guard let seat = kept ?? lowestFreeSeat else { return refuse(conversation, allTaken) }
        // Whoever waits under this id is the same controller, or an impostor: one controller, one seat.
        dismissAsking(invitation.controller, exceptFrom: conversation)
        leaveQueue(invitation.controller, .seated, now: now)
        let broughtName = player.flatMap { PeerName.sanitised($0.name) }.flatMap { $0.isEmpty ? nil : $0 }
        let name =
            broughtName ?? promisedName
            ?? (isNamedHere(invitation) ? GeneratedName.of(invitation.controller, seat: seat) : invitation.name)
        let index = place(
            makeLease(
                controller: invitation.controller, name: name, seat: seat, color: player?.color,
                secretHash: material.secretHash),
            now: now)
        openLink(index, invitation, from: conversation, material: material, now: now)
    }

    /// Whether the host gives it a name. Where visitors are reset, what a browser brings may be another's.
    func isNamedHere(_ invitation: AdmittedInvitation) -> Bool {
        if invitation.name.isEmpty { return true }
        return invitation.transport.isReliable && (configuration.names == .auto || configuration.idleReset != nil)
    }

    func makeLease(
        controller: ControllerID, name: String, seat: Int, color: UInt32? = nil, secretHash: [UInt8]
    ) -> Lease {
        Lease(
            controller: controller, seat: seat, player: configuration.player(ofSeat: seat),
            name: PeerName.unique(name, among: peerNames()),
            color: color.map { $0 & 0xFF_FFFF } ?? SeatColor.of(seat: seat), secretHash: secretHash)
    }

    /// Puts a new peer into the first free place of the table.
    mutating func place(_ lease: Lease, now: HostTime) -> PeerIndex {
        var joined: Occurrence?
        stays += 1
        let index = peers.seat { [stays] index in
            let peer = Peer(at: index, stay: stays, lease: lease, seat: .reserved(since: now), now: now)
            joined = peer.playerChange(.joined)
            return peer
        }
        if index == generations.endIndex { generations.append(0) }
        agenda.touch(index)
        if let joined { occurred(joined, at: now) }
        actions.append(.assign(index, of: lease.controller, to: [lease.player]))
        return index
    }

    var lowestFreeSeat: Int? { unclaimedSeats.first }

    /// The seats that are nobody's, and promised to nobody.
    var unclaimedSeats: some Collection<Int> {
        var isTaken = [Bool](repeating: false, count: configuration.seats + 1)
        for seat in peers.answers({ $0.lease.seat }) + promised { isTaken[seat] = true }
        return (1...configuration.seats).lazy.filter { !isTaken[$0] }
    }

    /// A controller that holds a seat already: welcome back if it knows the secret.
    private mutating func comeBack(
        _ index: PeerIndex, _ invitation: AdmittedInvitation, from conversation: ConversationID,
        material: LinkMaterial, now: HostTime
    ) {
        guard let lease = peers.read(index, { $0.lease }) else { return }
        if isCalled(lease.controller, by: material.ticketHash), seatKept(for: lease.controller) != nil {
            evict(index, at: now)
            return apply(invitation, from: conversation, material: material, now: now)
        }
        let presented = material.presentedHash
        let isSame = presented != nil && (presented == lease.secretHash || presented == lease.previousSecretHash)
        guard isSame || mayNotHaveHeard(index, invitation, material) else {
            return refuse(
                conversation,
                Refusal(
                    .alreadySeated,
                    message: "This controller has a seat already, and did not prove that it is the same.",
                    retryAfter: timeUntilFree(index, now: now)))
        }
        let heardBy = now + configuration.idleTimeout
        peers.update(index) { peer in
            peer.lease.previousSecretHash = isSame ? presented : nil
            peer.lease.secretHash = material.secretHash
            peer.yieldsAt = nil
            // Who came in time is given the time to be heard.
            if case .lost(let until) = peer.seat { peer.seat = .lost(until: max(until, heardBy)) }
        }
        if configuration.names == .free, invitation.transport.isReliable {
            takeName(invitation.name, of: index, now: now)
        }
        openLink(index, invitation, from: conversation, material: material, now: now)
    }

    /// Somebody was let in under an invited controller's id without its ticket, and now the ticket is there: the seat is
    /// given up. It was the same controller, which dialled by itself too, or an impostor.
    private mutating func evict(_ index: PeerIndex, at now: HostTime) {
        dismiss(index, .replaced, "Another program joined as this controller, by the host's invitation.", at: now)
    }

    /// In milliseconds, if nothing is heard on the seat until then.
    private func timeUntilFree(_ index: PeerIndex, now: HostTime) -> Int {
        let due = peers.read(index) { $0.freeDue(times) } ?? now.nanoseconds
        return Int(max(0, due.saturatingSubtract(now.nanoseconds)).saturatingAdd(999_999) / 1_000_000)
    }

    /// Whether the controller may not know that it has this seat, as nothing was heard on it: then it is known by its
    /// program's run, which it names to its host alone. One that was called to it has its ticket still.
    private func mayNotHaveHeard(
        _ index: PeerIndex, _ invitation: AdmittedInvitation, _ material: LinkMaterial
    ) -> Bool {
        guard let peer = peers.peer(at: index) else { return false }
        if peer.isUnheard, peer.link?.program.process == invitation.process { return true }
        return peer.isReserved && isCalled(peer.lease.controller, by: material.ticketHash)
    }

    mutating func refuse(_ conversation: ConversationID, _ refusal: Refusal) {
        actions.append(.answer(conversation, .refused(refusal)))
        actions.append(.close(conversation))
    }
}
