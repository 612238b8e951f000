import WireProtocol

/// Sees a fall, once each: `began` while it falls, `ended` when something stops it.
struct FreeFallRecognizer: Recognizer {
    private struct Fall {
        /// Its first sample, and its newest.
        var since: DeviceTime
        var lowAt: DeviceTime
        /// When the force fell below the limit, between two samples.
        var leftAt: DeviceTime
        /// When something held it again after ``lowAt``. An impact leaps: halfway to the next sample is as near as that can
        /// be told.
        var heldAt: DeviceTime?
        var isTold = false
    }

    /// Fewer samples do not show that a force is steady.
    private static let fewest = 3
    /// Who falls for so long, in s, is dropped and no runner, even where it tumbles.
    static let long = 0.2
    /// So many intervals hold as many samples, wherever they begin.
    private static let enough = 2.5

    private let rule: FreeFallRule
    private let shortest: Double
    private let tolerance: Double
    /// What a step does is a V, a fall is flat: the last four fifths of the time that must be weightless are looked at, as
    /// the hand still lets go in the first; of a slow sensor as long as it takes.
    private var span: Duration
    private var range: SlidingRange
    private var fall: Fall?
    private var previous: (time: DeviceTime, force: Double)?

    init(_ rule: FreeFallRule) {
        self.rule = rule
        shortest = rule.shortest.seconds
        tolerance = rule.tolerance.seconds
        span = .nanoseconds(rule.shortest.wholeNanoseconds / 5 * 4)
        range = SlidingRange(span: span)
    }

    mutating func suit(_ declaration: StreamDeclaration) {
        guard declaration.nominalRate > 0 else { return }
        span = max(span, .seconds(Self.enough / declaration.nominalRate))
    }

    mutating func update(_ motion: DeviceMotion) -> Recognition? {
        guard motion.gravity != .zero else { return nil }
        let (now, pull) = (motion.sampledAt, motion.gravity + motion.userAcceleration)
        let force = pull.length
        let before = previous
        previous = (now, force)
        guard var fall else {
            if force < rule.force {
                let leftAt = now.crossing(of: rule.force, force, since: before)
                fall = Fall(since: now, lowAt: now, leftAt: leftAt)
                range = SlidingRange(span: span)
                range.add(pull, at: now)
            }
            return nil
        }
        range.add(pull, at: now)
        if force < rule.force, now >= fall.lowAt {
            fall.lowAt = now
            fall.heldAt = nil
            let fallen = now.seconds(since: fall.since)
            let widest = rule.steadiness * (fallen >= Self.long ? 2 : 1)
            let begins = !fall.isTold && fallen >= shortest && range.count >= Self.fewest && range.widest <= widest
            if begins { fall.isTold = true }
            self.fall = fall
            return begins ? recognition(.began, fallen: now.seconds(since: fall.leftAt)) : nil
        }
        // What ends in a hole was seen to fall until then.
        let heldAt = fall.heldAt ?? (before == nil ? fall.lowAt : fall.lowAt + (now - fall.lowAt) / 2)
        fall.heldAt = heldAt
        self.fall = fall
        // What holds it again after a long fall is an impact, not a spin: that is told at once.
        let isOver = now.seconds(since: fall.lowAt) > tolerance || (fall.isTold && force > 1.5) || now < fall.lowAt
        guard isOver else { return nil }
        self.fall = nil
        guard fall.isTold else { return nil }
        var end = recognition(.ended, fallen: heldAt.seconds(since: fall.leftAt))
        end.measures.impact = force
        return end
    }

    mutating func interrupt() {
        previous = nil
        if fall?.isTold == false { fall = nil }
    }

    /// What falls for T from rest falls g T²/2.
    private func recognition(_ phase: GestureEvent.Phase, fallen: Double) -> Recognition {
        let height = standardGravity * fallen * fallen / 2
        return Recognition(
            phase, strength: height / rule.fullHeight, confidence: 0.5 * fallen / shortest,
            measures: GestureMeasures(flightTime: fallen))
    }
}
