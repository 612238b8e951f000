public import WireProtocol

extension Coordinator {
    /// Lets time pass: seats that are due are lost or released, invitations expire, links fall silent.
    ///
    /// - Parameter heardUntil: until when everything that came was handed in, where more waits: nobody is silent whose
    ///   datagrams nobody has read.
    public mutating func advance(
        to now: HostTime, heardUntil: HostTime? = nil, sink: inout some MotionSink
    ) -> [Action] {
        let heard = min(heardUntil ?? now, now)
        forgivePause(until: now)
        expireInvitations(now: now)
        expireOffers(now: now)
        forgetAbsent(now: now)
        expireDraining(now: now)
        settleAgenda()
        let times = times
        var place = 0
        while let index = agenda.firstDue(from: place, at: now.nanoseconds) {
            place = index + 1
            let seat = peers.update(index) { $0.seatDue(times) }
            if let seat, seat <= heard.nanoseconds { pass(index, at: now) }
            let reset = peers.read(index) { $0.resetDue(times) }
            if let reset, reset <= now.nanoseconds { clear(index, at: now) }
            // In one look: among thousands a second one would fetch the peer from afar again.
            let due = peers.update(index, with: &actions) { peer, actions in
                peer.visit(at: now, heardUntil: heard, times, to: &actions, sink: &sink)
                return peer.deadline(times)
            }
            agenda.note(due ?? .max, of: index)
        }
        seatQueue(now: now)
        tellWaitingAgain(now: now)
        return takeActions()
    }

    /// While the host itself stood still nobody could be heard.
    ///
    /// An empty room is looked at when something is due, and that may be long after the last time: only what came later
    /// than it was due, and a tick, is a pause.
    private mutating func forgivePause(until now: HostTime) {
        precondition(now >= lastTick, "the loop's time went backwards")
        let before = lastTick.nanoseconds
        lastTick = now
        guard now.nanoseconds - before > PeerTimer.hostPause else { return }
        let due = min(nextDeadline ?? now, now).nanoseconds
        let gap = now.nanoseconds - max(before, due.saturatingSubtract(PeerTimer.tickInterval))
        guard gap > PeerTimer.hostPause else { return }
        for place in queue.indices where !queue[place].isPresent {
            queue[place].lastHeard = min(now, queue[place].lastHeard + .nanoseconds(gap))
        }
        let times = times
        for index in peers.indices where peers.isSeated(index) {
            agenda.touch(index)
            peers.update(index) { $0.forgive(gap, times, now: now) }
        }
    }

    private mutating func expireInvitations(now: HostTime) {
        legacy.expire(now: now)
        if asking.isEmpty { return }
        for entry in asking where entry.deadline <= now {
            refuse(
                entry.conversation,
                Refusal(.expired, message: "The operator did not answer in time.", retryAfter: 5_000))
        }
        asking.removeAll { $0.deadline <= now }
    }

    /// A seat's time is up: it is lost, or, when it was lost already, released.
    private mutating func pass(_ index: PeerIndex, at now: HostTime) {
        if peers.read(index, { $0.isLost }) == true {
            release(index, at: now)
        } else {
            lose(index, at: now)
        }
    }

    /// Keeps the seat for the grace period; the controller may return to it.
    mutating func lose(_ index: PeerIndex, at now: HostTime) {
        agenda.touch(index)
        let until = now + configuration.graceTimeout
        peers.update(index, with: &actions) { peer, actions in peer.lose(until: until, at: now, to: &actions) }
    }

    /// Frees the seat. Exactly one `left` for each `joined`.
    ///
    /// - Parameters:
    ///   - isTold: its controller was told on its control connection, which is closed already.
    ///   - drains: what was under way is booked still.
    ///   - time: when it is done, if that is later than what it is done for.
    mutating func release(
        _ index: PeerIndex, isTold: Bool = false, drains: Bool = true, at now: HostTime, seenAt time: HostTime? = nil
    ) {
        guard let peer = peers.vacate(index) else { return }
        if drains, let link = peer.link { drain(.gone(peer), link.connection, at: max(now, time ?? now)) }
        agenda.touch(index)
        for haptic in peer.messages.haptics { occurred(peer.hapticOutcome(haptic, .lost), at: now) }
        keepForInvited(peer.lease, wasHeard: !peer.isReserved)
        departed.append(makeReport(of: peer, seat: .released, now: now))
        // What it had begun ends while its player is here.
        actions.append(.assign(index, of: peer.lease.controller, to: []))
        occurred(peer.playerChange(.left), at: now)
        if !peer.isLegacy { actions.append(.commit([.remove(peer.lease.controller)], thenAnswer: nil, nil)) }
        if !isTold, let conversation = peer.conversation { actions.append(.close(conversation)) }
    }
}
