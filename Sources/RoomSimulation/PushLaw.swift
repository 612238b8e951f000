import InputMerge
import RoomEngine
import WireProtocol

/// Holds the pushes of players' hands, which the simulation knows, against the gestures that the room told; of some
/// controllers the hand presses a button instead, on the same terms.
///
/// A push is *owed* a gesture when nothing disturbed its controller from 1.5 s before until 1.5 s after. It may then be
/// told exactly once, at its time within the uncertainty that is told with it. Others may be told once, or not at all.
struct PushLaw: Law, Sendable {
    private struct Push: Sendable {
        var controller: ControllerID
        /// It was a button.
        var isPress: Bool
        /// When the first sample was read that shows it.
        var at: HostTime
        var isOwed: Bool
        /// Whether the clock was learnt by then: its uncertainty is owed, too.
        var hasClock: Bool
        var told = 0
        /// How often it may be told.
        var most = 1
    }

    static let calm: Duration = .milliseconds(1_500)
    /// Eight probes leave quickly, then one a second: where a fifth is lost each way, one in 3,500 learns nothing from eight.
    private static let clockAmidLoss: Duration = .seconds(10)

    private var pushes: [Push] = []
    /// Until when each controller's motion may be lost, late or masked.
    private var disturbed: [ControllerID: HostTime] = [:]
    private var begunAnew: [ControllerID: HostTime] = [:]
    /// The same as ``disturbed``, but for what its own hand draws.
    private var befallen: [ControllerID: HostTime] = [:]
    var problems: [String] = []
    private(set) var owed = 0
    /// Where several controllers drive one player, one's push may be taken for another's.
    var areOwed = true

    /// Something happened to this controller that may cost a gesture, from now until `end` at least.
    ///
    /// - Parameter byItself: its own hand moves it: that may cost pushes, and nothing else.
    mutating func disturb(_ controller: ControllerID, now: HostTime, until end: HostTime? = nil, byItself: Bool = false)
    {
        disturbed[controller] = max(disturbed[controller] ?? now, end ?? now)
        if !byItself { befallen[controller] = max(befallen[controller] ?? now, end ?? now) }
        for place in pushes.indices where pushes[place].controller == controller && now - pushes[place].at < Self.calm {
            pushes[place].isOwed = false
        }
    }

    /// Whether nothing has befallen it since.
    func isCalm(_ controller: ControllerID, since time: HostTime) -> Bool {
        befallen[controller].map { $0 < time } ?? true
    }

    /// The controller's recognizers begin anew, or its clock was set: of a push that falls into two by it, both halves
    /// may be told.
    mutating func beginsAnew(of controller: ControllerID, now: HostTime) {
        begunAnew[controller] = now
        for place in pushes.indices where pushes[place].controller == controller { pushes[place].most = 2 }
    }

    /// Another host may tell once more what the one before it had told: it gets again what was not acknowledged.
    mutating func hostRestarted() {
        for place in pushes.indices { (pushes[place].isOwed, pushes[place].told) = (false, 0) }
    }

    /// - Parameter losesMuch: its network does.
    mutating func pushed(_ controller: ControllerID, at: HostTime, losesMuch: Bool, isPress: Bool = false) {
        let rest = disturbed[controller].map { at - $0 } ?? .seconds(3_600)
        let hasClock = !losesMuch || rest >= Self.clockAmidLoss
        pushes.append(
            Push(
                controller: controller, isPress: isPress, at: at, isOwed: rest >= Self.calm && areOwed,
                hasClock: hasClock))
        if !areOwed { pushes[pushes.count - 1].most = .max }
        if areOwed, let set = begunAnew[controller], at - set < Self.calm { pushes[pushes.count - 1].most = 2 }
    }

    /// A gesture of one controller began.
    mutating func told(_ gesture: GestureEvent, of controller: ControllerID) {
        guard gesture.gesture == .keepCalmJump, gesture.phase == .began else { return }
        // The push that it tells of: the nearest of this controller.
        let place = pushes.indices.filter { pushes[$0].controller == controller }.min {
            pushes[$0].at.distance(to: gesture.occurredAt) < pushes[$1].at.distance(to: gesture.occurredAt)
        }
        guard let place else {
            // A push that was cut off or whose clock was set may be told when its time is long over.
            let isCalm = disturbed[controller].map { gesture.occurredAt - $0 >= .seconds(4) } ?? true
            if areOwed, isCalm { problems.append("\(gesture.id) came of no push at all") }
            return
        }
        pushes[place].told += 1
        if areOwed, (gesture.source == .button) != pushes[place].isPress {
            problems.append("\(gesture.id) is told as a \(gesture.source)'s, which it was not")
        }
        guard pushes[place].isOwed else { return }
        let error = pushes[place].at.distance(to: gesture.occurredAt).wholeNanoseconds
        guard let uncertainty = gesture.uncertaintyNanoseconds else {
            if !pushes[place].hasClock { return }
            return problems.append("\(gesture.id) is told without an uncertainty, though the clock had its time")
        }
        if error > uncertainty { problems.append("\(gesture.id) is told \(error) ns from the truth, ± \(uncertainty)") }
    }

    /// What a verdict claims that is not so: of two whose intervals do not meet, the first pushed first.
    func problems(of verdict: Verdict, _ controller: (PlayerNumber) -> ControllerID?) -> [String] {
        var known: [(player: PlayerNumber, at: HostTime, uncertainty: Int64, truth: HostTime)] = []
        for contender in verdict.contenders {
            guard contender.rank != nil, let at = contender.occurredAt, let id = controller(contender.player),
                let uncertainty = contender.uncertaintyNanoseconds,
                let push = pushes.first(where: { $0.controller == id && $0.at.distance(to: at) < .milliseconds(300) }),
                push.isOwed
            else { continue }
            known.append((contender.player, at, uncertainty, push.at))
        }
        var problems: [String] = []
        for (place, one) in known.enumerated() {
            for other in known[(place + 1)...] {
                let (first, second) = one.at <= other.at ? (one, other) : (other, one)
                let gap = (second.at - first.at).wholeNanoseconds
                guard gap > first.uncertainty + second.uncertainty, first.truth > second.truth else { continue }
                problems.append("\(verdict.id) has P\(first.player) surely before P\(second.player), who was first")
            }
        }
        return problems
    }

    /// Judges the pushes whose time is over.
    mutating func settle(now: HostTime) {
        while let push = pushes.first, now - push.at > .seconds(4) {
            pushes.removeFirst()
            if push.isOwed {
                owed += 1
                if push.told == 0 {
                    problems.append("a push of \(push.controller.low) at \(push.at.nanoseconds) was not told")
                }
            }
            if push.told > push.most { problems.append("a push of \(push.controller.low) was told \(push.told) times") }
        }
    }
}
