import WireProtocol

/// Sees a jump: `began` while it still flies, as soon as it is sure, `ended` when it lands.
struct JumpRecognizer: Recognizer {
    private enum Phase {
        case grounded
        /// Weightless since then, up to the newest sample or a moment before; not yet long enough.
        case rising(since: DeviceTime, lowAt: DeviceTime, push: Double, needed: Double)
        /// A jump. `touched` is when the force came back to 1 g.
        case airborne(since: DeviceTime, touched: DeviceTime?)
    }

    private static let spinMemory = 0.15
    /// Shorter dips of the force belong to a push-off or a step, in s.
    private static let shortestFlight = 0.06

    private let rule: JumpRule
    private let minimumFlight: Double
    private let runningFlight: Double
    private let tolerance: Double
    private let longestFlight: Double
    private var phase = Phase.grounded
    private var pushes = SlidingMaximum(span: .milliseconds(600))
    private var spin = 0.0
    private var previous: (time: DeviceTime, force: Double)?
    /// When the last flight ended, a jump's or a runner's.
    private var flewAt: DeviceTime?
    private var firedAt: DeviceTime?

    init(_ rule: JumpRule) {
        self.rule = rule
        minimumFlight = rule.minimumFlight.seconds
        runningFlight = rule.runningFlight.seconds
        tolerance = rule.tolerance.seconds
        longestFlight = rule.longestFlight.seconds
    }

    mutating func update(_ motion: DeviceMotion) -> Recognition? {
        guard motion.gravity != .zero else { return nil }
        let (now, force) = (motion.sampledAt, motion.force)
        let elapsed = previous.map { now.seconds(since: $0.time) } ?? 0
        spin = max(motion.rotationRate.length, spin * Self.spinMemory / (Self.spinMemory + max(0, elapsed)))
        defer {
            previous = (now, force)
            pushes.add(force, at: now)
        }
        switch phase {
        case .grounded:
            if force < rule.flight { takeOff(at: crossing(of: rule.flight, force, at: now), now: now) }
            return nil
        case .rising(let since, let lowAt, let push, let needed):
            guard force < rule.flight else {
                if now.seconds(since: lowAt) > tolerance { comeDown(from: since, to: lowAt) }
                return nil
            }
            phase = .rising(since: since, lowAt: now, push: push, needed: needed)
            let flown = now.seconds(since: since)
            guard flown >= needed, push >= rule.push, spin < rule.spin, !isTired(at: now) else { return nil }
            phase = .airborne(since: since, touched: nil)
            firedAt = now
            return Recognition(
                .began, strength: strength(of: flown), confidence: 0.5 * push / rule.push,
                measures: GestureMeasures(height: height(of: flown), flightTime: flown))
        case .airborne(let since, let touched):
            return fly(since: since, touched: touched, force: force, at: now)
        }
    }

    /// What was half seen is forgotten; a jump that has begun ends when it would have been too long.
    mutating func interrupt() {
        previous = nil
        pushes = SlidingMaximum(span: .milliseconds(600))
        if case .rising = phase { phase = .grounded }
    }

    private mutating func takeOff(at start: DeviceTime, now: DeviceTime) {
        let isRunning = flewAt.map { start.isWithin(rule.stride, after: $0) } ?? false
        phase = .rising(
            since: start, lowAt: now, push: pushes.value, needed: isRunning ? runningFlight : minimumFlight)
    }

    private mutating func comeDown(from start: DeviceTime, to end: DeviceTime) {
        if end.seconds(since: start) >= Self.shortestFlight { flewAt = end }
        phase = .grounded
    }

    private mutating func fly(
        since: DeviceTime, touched: DeviceTime?, force: Double, at now: DeviceTime
    ) -> Recognition? {
        var touched = touched
        if force < 1 { touched = nil } else if touched == nil { touched = crossing(of: 1, force, at: now) }
        phase = .airborne(since: since, touched: touched)
        let flown = now.seconds(since: since)
        let isOverdue = flown > longestFlight || flown < 0
        let hasLanded = force > rule.landing && !isOverdue
        guard hasLanded || isOverdue else { return nil }
        phase = .grounded
        flewAt = now
        guard hasLanded, let touched else { return Recognition(.ended, strength: 0, confidence: 0) }
        let airtime = touched.seconds(since: since)
        return Recognition(
            .ended, strength: strength(of: airtime), confidence: 1,
            measures: GestureMeasures(height: height(of: airtime), flightTime: airtime, impact: force))
    }

    /// When the force crossed the level between the previous sample and this one, on a straight line.
    private func crossing(of level: Double, _ force: Double, at now: DeviceTime) -> DeviceTime {
        guard let previous, (previous.force < level) != (force < level) else { return now }
        let span = Double((now - previous.time).wholeNanoseconds)
        let share = (level - force) / (previous.force - force)
        return now - .nanoseconds(Int64(span * min(max(share, 0), 1)))
    }

    private func isTired(at now: DeviceTime) -> Bool {
        firedAt.map { now.isWithin(rule.refractory, after: $0) } ?? false
    }

    private func height(of flown: Double) -> Double { standardGravity * flown * flown / 8 }
    private func strength(of flown: Double) -> Double { height(of: flown) / rule.fullHeight }
}
