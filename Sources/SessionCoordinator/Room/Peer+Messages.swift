import WireProtocol

extension Peer {
    /// A link that was away brings what waited.
    private static let oldestMark: Duration = .seconds(60)
    /// Gestures as old as the host's samples can be.
    private static let oldestFind: Duration = .seconds(16)

    /// Acts on a reliable message of the controller; what cannot be read is dropped, as its peer's own loss.
    mutating func act(
        on body: UnsafeRawBufferPointer.SubSequence, on link: inout Link, at time: HostTime,
        to actions: inout [Action]
    ) {
        guard let message = try? LinkMessage(reading: body) else {
            link.ledger.bookUnreadable()
            return link.budget.spendMessage()
        }
        // A receipt for what the host commanded is the host's own doing.
        if case .hapticReceipt(let receipt) = message, note(receipt, at: time, to: &actions) { return }
        link.budget.spendMessage()
        switch message {
        case .rezero: actions.append(.rezero(index))
        case .application(let bytes): actions.append(.message(index, bytes))
        case .mark(let text, let at):
            guard link.budget.admitMark() else {
                return tell(droppedMarks: link.budget.droppedMarks, to: &actions)
            }
            // Whatever a controller says of its clock: a mark is not of the future, nor of long ago.
            let marked = motion.mapping?.hostTime(of: at) ?? time
            actions.append(.mark(index, text, at: min(max(marked, time - Self.oldestMark), time)))
        case .found(let find):
            guard link.budget.admitFind() else { return }
            let found = motion.mapping?.hostTime(of: find.occurredAt) ?? time
            actions.append(.found(index, find, at: min(max(found, time - Self.oldestFind), time)))
        case .hapticReceipt(let receipt):
            guard receipt.id >= LocalFind.firstID, link.budget.admitFind() else { return }
            var playedAt: HostTime?
            if case .played(let at) = receipt.outcome {
                playedAt = min(max(motion.mapping?.hostTime(of: at) ?? time, time - Self.oldestFind), time)
            }
            actions.append(.felt(index, receipt.id, at: playedAt))
        case .haptic, .seat, .identify, .detect, .unknown: break
        }
    }

    /// Tells of the first mark that is dropped, the tenth, the hundredth: a flood of them makes no flood of words.
    private func tell(droppedMarks count: Int, to actions: inout [Action]) {
        var told = 1
        while told < count { told *= 10 }
        if told == count { actions.append(.marksDropped(index, count)) }
    }

    /// Whether the receipt is for a haptic that was commanded and had none yet.
    private mutating func note(_ receipt: HapticReceipt, at time: HostTime, to actions: inout [Action]) -> Bool {
        guard let haptic = messages.takeHaptic(receipt.id) else { return false }
        let outcome: Occurrence.HapticOutcome.Outcome
        switch receipt.outcome {
        case .played(let at):
            let playedAt = motion.mapping?.hostTime(of: at) ?? time
            outcome = .played(
                at: playedAt, uncertaintyNanoseconds: motion.mapping?.uncertaintyNanoseconds(at: playedAt))
        case .refused(let why): outcome = .refused(why)
        }
        actions.append(.occurred(hapticOutcome(haptic, outcome), at: time))
        return true
    }

    /// Tells of haptics whose receipts do not come any more. Who is not heard cannot give them.
    mutating func giveUpHaptics(heardUntil heard: HostTime, at now: HostTime, to actions: inout [Action]) {
        guard seat == .active, linkState != .silent else { return }
        while let haptic = messages.takeOverdue(at: heard) {
            let outcome: Occurrence.HapticOutcome.Outcome = haptic.isTakenBack ? .refused(.expired) : .lost
            actions.append(.occurred(hapticOutcome(haptic, outcome), at: now))
        }
    }

    func hapticOutcome(
        _ haptic: PeerMessages.OpenHaptic, _ outcome: Occurrence.HapticOutcome.Outcome
    ) -> Occurrence {
        .haptic(.init(id: haptic.id, player: lease.player, peer: index, sentAt: haptic.sentAt, outcome: outcome))
    }
}
