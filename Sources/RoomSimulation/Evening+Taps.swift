import LinkEmulation
import RoomEngine
import SessionCoordinator
import WireProtocol

/// Fingers tap controllers that look for it themselves.
extension Evening {
    mutating func tapSomebody() {
        nextTapAt = now + .milliseconds(Int64(700 + tapRandom.next() % 1_500))
        let place = Int(tapRandom.next() % UInt64(controllers.count))
        let isPushed = lastPush[controllers[place].id].map { now - $0 <= PushLaw.calm } ?? false
        guard controllers[place].stay == .seated, controllers[place].drawings.isEmpty,
            controllers[place].pushes.isEmpty, controllers[place].nextSampleAt != nil, !isPushed
        else { return }
        let at = now + .milliseconds(Int64(50 + tapRandom.next() % 300))
        if let last = controllers[place].knocks.last, at - last < .seconds(2) { return }
        if let last = controllers[place].finds.last?.at, at - last < .seconds(2) { return }
        controllers[place].knocks.append(at)
        // The motor that answers masks pushes.
        pushes.disturb(controllers[place].id, now: now, until: at + .milliseconds(700), byItself: true)
        report.note("taps")
    }

    /// A controller has found a tap, and its player feels it.
    mutating func note(_ find: HostTime, of place: Int) {
        let isHeard = controllers[place].stay == .seated && controllers[place].silence(now) < .seconds(1)
        if !isHeard { pushes.disturb(controllers[place].id, now: now) }
        // As for pushes: whose clock was set, its moments cannot be told apart.
        guard !controllers[place].clockWasSet(within: .seconds(20), now) else { return }
        let conditions = controllers[place].conditions
        let isLossless = conditions.loss == 0 && conditions.burst == nil && conditions.corruption == 0
        // Where several drive one player, a tap of one alone may be none of its player.
        let isAlone = plan.configuration.room.mode == .competitive
        taps.found(
            controllers[place].id, at: find,
            isSure: isAlone && (controllers[place].transport.isReliable || isLossless))
    }

    /// What the room says came of it.
    mutating func judge(_ verdict: LocalVerdict) {
        guard let place = controllers.firstIndex(where: { $0.id == verdict.controller }),
            !controllers[place].clockWasSet(within: .seconds(20), now)
        else { return }
        taps.told(verdict)
    }
}
