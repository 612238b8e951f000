public import WireProtocol

/// What controllers say of their leaving.
extension Coordinator {
    /// A controller says on the control channel how many datagrams it has sent.
    public mutating func learn(lastSent: UInt32, from conversation: ConversationID) {
        guard let index = place(of: conversation) else { return }
        peers.update(index) { peer in peer.attachment.withLink { $0.ledger.learn(lastSent: lastSent) } }
    }

    /// A controller says goodbye on the control channel.
    public mutating func goodbye(_ farewell: Farewell, from conversation: ConversationID, now: HostTime) -> [Action] {
        // It comes back on another connection: nothing more is said on this one, and nobody else would end it.
        if farewell.reason == .away, stepAway(conversation, now: now) { actions.append(.close(conversation)) }
        if let place = queue.firstIndex(where: { $0.conversation == conversation }) {
            takeFromQueue(place, .left, now: now)
            // One invitation a connection: there is nothing more to say on this one.
            actions.append(.close(conversation))
            tellPlaces()
        }
        guard let index = place(of: conversation) else { return takeActions() }
        let isAway = farewell.reason == .away
        let isPause = farewell.reason == .paused || isAway
        guard !isPause || mayPause(index, now: now) else { return takeActions() }
        let controller = peers.update(index) { peer in
            if let tally = farewell.tally { peer.learn(tally, isFinal: !isPause) }
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
        if isAway { peers.update(index) { $0.yieldsAt = $0.isLost ? now + Self.returnTime : nil } }
        return takeActions()
    }

    /// Whether one more pause is believed; who says so without end, and plays in between, is let go.
    private mutating func mayPause(_ index: PeerIndex, now: HostTime) -> Bool {
        let budget = peers.update(index) { peer in
            peer.attachment.withLink { link in
                let isAdmitted = link.pausedAfter != nil || link.budget.admitPause(at: now.nanoseconds)
                return (isAdmitted: isAdmitted, isExhausted: link.budget.isExhausted)
            }
        }
        guard let budget, let budget else { return true }
        if !budget.isAdmitted, budget.isExhausted { throwOut(index, at: now) }
        return budget.isAdmitted
    }

    /// A controller said goodbye: for good, or for a while.
    mutating func leave(
        _ index: PeerIndex, _ reason: GoodbyeReason, at now: HostTime, seenAt time: HostTime? = nil
    ) {
        switch reason {
        case .paused:
            if peers.read(index, { $0.seat == .active }) == true { lose(index, at: now) }
        case .left, .closing, .kicked, .replaced, .tooFast, .other: release(index, at: now, seenAt: time)
        }
    }
}
