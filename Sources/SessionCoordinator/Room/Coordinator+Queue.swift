import WireProtocol

/// Those who came when all seats were taken: first come, first seated.
///
/// ```
/// queued ── a seat is free, and nobody before it is there ──> seated
/// queued ── its connection ends ──> away ── 30 s ──> forgotten
///    ^───────── comes back by its secret, or in the same run of its program ─┘
/// ```
extension Coordinator {
    static let mostQueued = 256
    /// For so long a place is kept for one that is not heard.
    static let patienceInQueue: Duration = .seconds(30)
    /// For so long a seat whose page was closed waits for its owner before it goes to the queue: a page that is loaded
    /// anew says goodbye, too.
    static let returnTime: Duration = .seconds(5)

    /// Whether the next free seat is somebody's.
    var isSomebodyQueuing: Bool { queue.contains(where: \.isPresent) }

    mutating func queueUp(
        _ invitation: AdmittedInvitation, from conversation: ConversationID, material: LinkMaterial,
        isCalled: Bool = false, now: HostTime
    ) {
        if queue.contains(where: { $0.invitation.controller == invitation.controller && $0.isPresent })
            || asking.contains(where: {
                $0.invitation.controller == invitation.controller && $0.invitation.process != invitation.process
            })
        {
            return refuse(conversation, Self.waitsAlready)
        }
        dismissAsking(invitation.controller, exceptFrom: conversation)
        leaveQueue(invitation.controller, .left, now: now)
        guard makeRoomInQueue(for: invitation.source, now: now) else { return refuse(conversation, Self.tooManyWait) }
        beginToWait(at: now)
        let name =
            isNamedHere(invitation) ? GeneratedName.animal(of: invitation.controller) : invitation.name
        queue.append(
            Queued(
                conversation: conversation, invitation: invitation, material: material, since: now, lastHeard: now,
                name: PeerName.unique(name, among: allNames), isCalled: isCalled))
        occurred(inQueue: queue.count - 1, .queued, at: now)
        tellPlaces()
    }

    /// Where all places are taken, the newest of the largest share gives way (``FairShare``), unless that would be the
    /// newcomer's own.
    private mutating func makeRoomInQueue(for source: PeerAddress?, now: HostTime) -> Bool {
        guard queue.count >= Self.mostQueued else { return true }
        var shares = FairShare()
        for (place, entry) in queue.enumerated() { shares.join(place, from: entry.invitation.source) }
        guard let share = shares.largest(beside: source),
            let last = queue.lastIndex(where: { $0.invitation.source?.withoutPort == share.address })
        else { return false }
        if let conversation = takeFromQueue(last, .left, now: now).conversation {
            refuse(conversation, Self.tooManyWait)
        }
        return true
    }

    /// What becomes of the one at this place, told before it is taken from there.
    private mutating func occurred(inQueue place: Int, _ state: Occurrence.QueueChange.State, at now: HostTime) {
        let entry = queue[place]
        occurred(
            .queue(
                Occurrence.QueueChange(
                    state: state, controller: entry.invitation.controller, name: entry.name, place: place + 1)),
            at: now)
    }

    /// Takes the one at this place out of the queue.
    @discardableResult
    mutating func takeFromQueue(_ place: Int, _ state: Occurrence.QueueChange.State, now: HostTime) -> Queued {
        occurred(inQueue: place, state, at: now)
        return queue.remove(at: place)
    }

    /// The operator lets it be the next.
    mutating func callIn(_ place: Int, now: HostTime) {
        queue[place].isCalled = true
        queue.insert(queue.remove(at: place), at: 0)
        occurred(inQueue: 0, .called, at: now)
        tellPlaces()
    }

    /// Where the controller stands in the queue already, if it shows that it is the same: by the secret of its place, or
    /// as the same run of its program.
    func placeInQueue(of invitation: AdmittedInvitation, _ material: LinkMaterial) -> Int? {
        queue.firstIndex { entry in
            entry.invitation.controller == invitation.controller
                && (entry.invitation.process == invitation.process
                    || material.presentedHash == entry.material.secretHash)
        }
    }

    /// It is back, and keeps its place.
    mutating func goOnWaiting(
        at place: Int, _ invitation: AdmittedInvitation, from conversation: ConversationID, material: LinkMaterial,
        now: HostTime
    ) {
        // Whoever asks the operator under this id is the same one, or showed nothing.
        dismissAsking(invitation.controller, exceptFrom: conversation)
        replace(queue[place])
        beginToWait(at: now)
        queue[place].conversation = conversation
        queue[place].invitation = invitation
        queue[place].material = material
        queue[place].lastHeard = now
        queue[place].toldPlace = nil
        tellPlaces()
    }

    /// The controller got its seat otherwise, or begins to wait anew.
    mutating func leaveQueue(
        _ controller: ControllerID, _ state: Occurrence.QueueChange.State, now: HostTime
    ) {
        guard let place = queue.firstIndex(where: { $0.invitation.controller == controller }) else { return }
        replace(takeFromQueue(place, state, now: now))
        tellPlaces()
    }

    /// The connection before it says nothing more.
    private mutating func replace(_ entry: Queued) {
        guard let conversation = entry.conversation else { return }
        actions.append(.answer(conversation, .goodbye(Farewell(reason: .replaced))))
        actions.append(.close(conversation))
    }

    /// Its connection is gone, or its page was closed: its place is kept for a while.
    ///
    /// - Returns: whether somebody waited there.
    @discardableResult
    mutating func stepAway(_ conversation: ConversationID, now: HostTime) -> Bool {
        guard let place = queue.firstIndex(where: { $0.conversation == conversation }) else { return false }
        queue[place].conversation = nil
        queue[place].lastHeard = now
        return true
    }

    /// Those who were away for too long have no place any more.
    mutating func forgetAbsent(now: HostTime) {
        let count = queue.count
        for place in queue.indices.reversed()
        where !queue[place].isPresent && now - queue[place].lastHeard >= Self.patienceInQueue {
            takeFromQueue(place, .lost, now: now)
        }
        if queue.count != count { tellPlaces() }
    }

    /// Gives what is free to those who wait and are there, in their order; then what was left by a closed page.
    mutating func seatQueue(now: HostTime) {
        guard !isLocked, !isClosing else { return }
        var isShorter = false
        while let place = queue.firstIndex(where: \.isPresent) {
            if freeSeats <= 0 {
                guard let left = yieldingSeat(at: now) else { break }
                release(left, at: now)
                // An invited controller may have had a claim on it.
                guard freeSeats > 0 else { continue }
            }
            let isAdmitted = queue[place].isCalled || seatingLimiter.admits(queue[place].invitation.source, now: now)
            let entry = takeFromQueue(place, isAdmitted ? .seated : .left, now: now)
            isShorter = true
            guard let conversation = entry.conversation else { continue }
            // Waiting, too, makes nobody come and go without end.
            guard isAdmitted else {
                refuse(conversation, NewcomerLimiter.refusal)
                continue
            }
            seat(entry.invitation, from: conversation, material: entry.material, now: now)
        }
        if isShorter { tellPlaces() }
    }

    /// The seat whose page was closed longest ago.
    private func yieldingSeat(at now: HostTime) -> PeerIndex? {
        let left = peers.places { peer in peer.isLost && peer.yieldsAt.map { $0 <= now } ?? false }
        return left.min { yieldTime($0) < yieldTime($1) }
    }

    private func yieldTime(_ index: PeerIndex) -> Int64 {
        peers.read(index) { $0.isLost ? $0.yieldsAt?.nanoseconds : nil }.flatMap(\.self) ?? .max
    }

    /// When the queue is to be looked at, in nanoseconds; `.max` when nothing falls due there.
    var queueDue: Int64 {
        guard !queue.isEmpty else { return .max }
        var due = Int64.max
        for entry in queue where !entry.isPresent {
            due = min(due, (entry.lastHeard + Self.patienceInQueue).nanoseconds)
        }
        guard isSomebodyQueuing, !isLocked, !isClosing else { return due }
        if freeSeats > 0 { return lastTick.nanoseconds }
        for index in peers.places(where: { $0.yieldsAt != nil }) { due = min(due, yieldTime(index)) }
        return due
    }

    /// Tells everyone whose place is another now.
    mutating func tellPlaces() {
        for place in queue.indices {
            guard let conversation = queue[place].conversation, queue[place].toldPlace != place + 1 else { continue }
            queue[place].toldPlace = place + 1
            let word = Waiting(
                timeout: Int(Self.patienceInQueue.wholeNanoseconds / 1_000_000), place: place + 1,
                name: queue[place].name, secret: queue[place].material.secret)
            actions.append(.answer(conversation, .waiting(word)))
        }
    }
}
