public import WireProtocol

/// Controllers that the operator is asked about.
extension Coordinator {
    static let mostAsking = 64
    /// Of one address; behind a proxy all have the same.
    static let mostAskingOfOne = 16
    /// Of one IPv6 network, which a machine has for itself or a whole house shares.
    static let mostAskingOfNetwork = 56

    mutating func askOperator(
        _ invitation: AdmittedInvitation, from conversation: ConversationID, material: LinkMaterial, now: HostTime
    ) {
        let before = asking.first { $0.invitation.controller == invitation.controller }
        // Whoever waits under this id is the same controller, or another: of two runs the one that came first.
        let waiting = [before?.invitation] + queue.filter(\.isPresent).map(\.invitation)
        if waiting.contains(where: {
            $0?.controller == invitation.controller && $0?.process != invitation.process
        }) {
            return refuse(conversation, Self.waitsAlready)
        }
        dismissAsking(invitation.controller, exceptFrom: conversation)
        func neighbours(_ place: (PeerAddress) -> PeerAddress) -> Int {
            let own = invitation.source.map(place)
            return own == nil ? 0 : asking.count { $0.invitation.source.map(place) == own }
        }
        guard asking.count < Self.mostAsking, neighbours(\.machine) < Self.mostAskingOfNetwork,
            neighbours(\.withoutPort) < Self.mostAskingOfOne
                || asking.count < Self.mostAsking - Self.mostAskingOfOne
        else { return refuse(conversation, Self.tooManyAsk) }
        let wait = min(invitation.timeout, configuration.askTimeout)
        // Who asks again is the same to the operator.
        let seat = before?.seat ?? likelySeat
        let name = before?.name ?? PeerName.unique(askingName(of: invitation, seat: seat), among: allNames)
        beginToWait(at: now)
        let entry = Asking(
            conversation: conversation, invitation: invitation, material: material, since: before?.since ?? now,
            deadline: now + wait, name: name, seat: seat)
        asking.append(entry)
        tell(entry, now: now)
        occurred(.asking(controller: invitation.controller, name: name), at: now)
    }

    /// Tells it that the operator is asked, and for how much longer.
    private mutating func tell(_ entry: Asking, now: HostTime) {
        let left = max(.zero, entry.deadline - now)
        let word = Waiting(
            timeout: Int(left.wholeNanoseconds / 1_000_000), name: entry.name,
            color: entry.seat.map { SeatColor.text(SeatColor.of(seat: $0)) })
        actions.append(.answer(entry.conversation, .waiting(word)))
    }

    /// So often those who wait are told so again: a connection may be dead without having broken, and who waits on it
    /// would not notice.
    static let waitingInterval: Duration = .seconds(5)

    /// When those who wait are told so again, in nanoseconds; `.max` when nobody does who could hear it.
    var waitingDue: Int64 {
        asking.isEmpty && !isSomebodyQueuing ? .max : (toldWaitingAt + Self.waitingInterval).nanoseconds
    }

    /// To be called before somebody begins to wait: where nobody did, the interval begins now.
    mutating func beginToWait(at now: HostTime) { if waitingDue == .max { toldWaitingAt = now } }

    /// Tells those who wait that they still do, where it is time.
    mutating func tellWaitingAgain(now: HostTime) {
        guard waitingDue <= now.nanoseconds else { return }
        toldWaitingAt = now
        for entry in asking { tell(entry, now: now) }
        for place in queue.indices where queue[place].isPresent { queue[place].toldPlace = nil }
        tellPlaces()
    }

    /// The lowest seat that nobody has, was promised or is likely to get.
    private var likelySeat: Int? {
        var isTaken = [Bool](repeating: false, count: configuration.seats + 1)
        for seat in peers.answers({ $0.lease.seat }) + promised + asking.compactMap(\.seat) { isTaken[seat] = true }
        return (1...configuration.seats).first { !isTaken[$0] }
    }

    /// A colour and an animal, for whoever the host names: so that people find theirs on the operator's screen.
    private func askingName(of invitation: AdmittedInvitation, seat: Int?) -> String {
        guard isNamedHere(invitation) else { return invitation.name }
        return seat.map { GeneratedName.of(invitation.controller, seat: $0) }
            ?? GeneratedName.animal(of: invitation.controller)
    }

    /// The controller does not wait for the operator any more: it speaks on another connection.
    mutating func dismissAsking(_ controller: ControllerID, exceptFrom conversation: ConversationID) {
        for entry in asking where entry.invitation.controller == controller && entry.conversation != conversation {
            actions.append(.answer(entry.conversation, .goodbye(Farewell(reason: .replaced))))
            actions.append(.close(entry.conversation))
        }
        asking.removeAll { $0.invitation.controller == controller }
    }

    /// Lets in the one who asks, or the one of those who wait that is named. Who waits for a seat is called in: it is
    /// the next to get one.
    public mutating func accept(_ who: String?, now: HostTime) -> Result<[Action], OperatorError> {
        switch findWaiting(who) {
        case .failure(let error): return .failure(error)
        case .success(let controller):
            if let place = asking.firstIndex(where: { $0.invitation.controller == controller }) {
                let entry = asking[place]
                let mustQueue = freeSeats <= 0 || isSomebodyQueuing
                guard freeSeats > 0 || entry.invitation.waits else { return .failure(.full) }
                asking.remove(at: place)
                if mustQueue, entry.invitation.waits {
                    queueUp(
                        entry.invitation, from: entry.conversation, material: entry.material,
                        isCalled: true, now: now)
                } else {
                    let isFree = entry.seat.map { !promised.contains($0) && self.place(ofSeat: $0) == nil } ?? false
                    seat(
                        entry.invitation, at: isFree ? entry.seat : nil, named: isFree ? entry.name : nil,
                        from: entry.conversation, material: entry.material, now: now)
                }
            } else if let place = queue.firstIndex(where: { $0.invitation.controller == controller }) {
                callIn(place, now: now)
            } else {
                guard freeSeats > 0 else { return .failure(.full) }
                if let source = legacy.take(controller) { seat(source, now: now) }
            }
            return .success(takeActions())
        }
    }

    /// Says no to the one who waits.
    public mutating func decline(_ who: String?, message: String?, now: HostTime) -> Result<[Action], OperatorError> {
        switch findWaiting(who) {
        case .failure(let error): return .failure(error)
        case .success(let controller):
            let refusal = Refusal(.declined, message: message ?? "The operator said no.")
            if let place = asking.firstIndex(where: { $0.invitation.controller == controller }) {
                refuse(asking.remove(at: place).conversation, refusal)
            } else if let source = legacy.take(controller) {
                // It cannot be told; it is no longer listened to.
                legacy.decline(source.address)
            } else if let place = queue.firstIndex(where: { $0.invitation.controller == controller }) {
                if let conversation = takeFromQueue(place, .left, now: now).conversation {
                    refuse(conversation, refusal)
                }
                tellPlaces()
            }
            return .success(takeActions())
        }
    }

    /// By id or name; nobody named means the one who asks.
    package func findWaiting(_ who: String?) -> Result<ControllerID, OperatorError> {
        let newcomers = newcomers
        func labels(_ list: [Newcomer]) -> [String] {
            list.map { "\($0.name.isolated) (\($0.controller.description.prefix(8)))" }
        }
        guard let who else {
            let asking = newcomers.filter { $0.place == nil }
            guard let only = asking.first else { return .failure(.nobodyAsks) }
            return asking.count == 1 ? .success(only.controller) : .failure(.ambiguous(candidates: labels(asking)))
        }
        guard !newcomers.isEmpty else { return .failure(.nobodyAsks) }
        let meant = Designation(who).choose { isMeant in
            newcomers.filter { isMeant($0.controller.description, $0.name, nil) }
        }
        guard let one = meant.first else { return .failure(.notFound(present: labels(newcomers))) }
        return meant.count == 1 ? .success(one.controller) : .failure(.ambiguous(candidates: labels(meant)))
    }
}
