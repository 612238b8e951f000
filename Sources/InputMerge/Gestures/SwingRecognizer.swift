import WireProtocol

/// Sees a swing, announces its fastest moment, and tells hit from miss.
///
/// One stroke is one swing: what turns faster within 0.8 s of the fastest moment corrects it (`changed`), what turns slower
/// is the hand that comes back.
struct SwingRecognizer: Recognizer {
    /// The device turns, since a moment at which it hardly did.
    private struct Turning {
        var since: DeviceTime
        var fastSince: DeviceTime?
        var turn = 0.0
    }

    private struct Swing {
        /// Since when it has been fast.
        var since: DeviceTime
        var fastest: Double
        var fastestAt: DeviceTime
        /// When it really began; `nil` while that is not known, and where it cannot be told.
        var startedAt: DeviceTime?
        var turn: Double
        var hitAt: DeviceTime?
        /// The greatest knock so far, in g.
        var knock = 0.0
        /// Whether the stroke is over, and told.
        var isOver = false
    }

    /// Slower than this the device hardly turns, in rad/s.
    private static let still = 1.0
    /// What changes within this is sudden, in s.
    private static let suddenness = 0.03
    /// Fastest moments closer than this are one stroke's.
    private static let stroke = Duration.milliseconds(800)

    /// Whoever swings holds on: below this force, in g, …
    private static let weightless = 0.5
    /// … for so long, the device tumbles through the air.
    private static let tumbling = Duration.milliseconds(60)

    private let rule: SwingRule
    private let minimumTurn: Double
    private var interval = SampleInterval()
    private var tail = SwingTail(rate: 100)
    private var turning: Turning?
    private var swing: Swing?
    private var smoothRate = 0.0
    private var smooth = SIMD3<Double>.zero
    private var endedAt: DeviceTime?
    /// Since when the device weighs nothing; `nil` while it does, or nobody knows.
    private var weightlessSince: DeviceTime?
    /// Whether the sensor is too slow, or its range too small, to show an impact as it was.
    private var isCoarse = true
    /// An axis that reads so much may turn however fast, in rad/s: it is at its range, but for what is taken for bias.
    private var saturation = Double.infinity

    init(_ rule: SwingRule) {
        self.rule = rule
        minimumTurn = rule.minimumTurn * .pi / 180
    }

    mutating func suit(_ declaration: StreamDeclaration) {
        // What follows from attitudes has no range.
        saturation = declaration.measures.contains(.rotationRate) ? 0.98 * declaration.rotationRange : .infinity
        isCoarse = !KnockTrail.isFit(declaration)
        tail = SwingTail(rate: declaration.nominalRate)
    }

    mutating func update(_ motion: DeviceMotion) -> Recognition? {
        let (now, rate) = (motion.sampledAt, motion.rotationRate.length)
        let elapsed = interval.step(to: now)
        let knock = knock(motion.userAcceleration, elapsed: elapsed)
        let isWeightless = motion.gravity != .zero && motion.force < Self.weightless
        weightlessSince = isWeightless ? weightlessSince ?? now : nil
        smoothRate += elapsed / (Self.suddenness + elapsed) * (rate - smoothRate)
        tail.add(rate: rate, along: motion.rotationRate.dot(motion.gravity), at: now)
        if rate >= Self.still {
            var turning = turning ?? Turning(since: now)
            turning.turn += rate * elapsed
            let isFast = rate > rule.rate || motion.rotationRate.largest >= saturation
            turning.fastSince = isFast ? turning.fastSince ?? now : nil
            self.turning = turning
        } else if swing?.isOver ?? true {
            turning = nil
        }
        if swing != nil { return follow(rate: rate, knock: knock, at: now) }
        guard let turning, let fastSince = turning.fastSince, now >= fastSince, now - fastSince >= rule.shortest,
            turning.turn >= minimumTurn, !isTumbling(at: now),
            endedAt.map({ !now.isWithin(rule.refractory, after: $0) }) ?? true
        else { return nil }
        let swing = Swing(
            since: fastSince, fastest: max(rate, tail.fastest(since: fastSince)), fastestAt: now, turn: turning.turn)
        self.swing = swing
        let sinceStart = now.seconds(since: turning.since)
        return recognition(
            .began, swing,
            GestureMeasures(
                timeToContact: timeToFastest(rate: rate, sinceStart: sinceStart),
                sinceStart: sinceStart, turn: turning.turn))
    }

    mutating func interrupt() {
        interval.interrupt()
        tail.forget()
        weightlessSince = nil
        if swing == nil { turning = nil }
    }

    private func isTumbling(at now: DeviceTime) -> Bool {
        weightlessSince.map { now >= $0 && now - $0 >= Self.tumbling } ?? false
    }

    private mutating func follow(rate: Double, knock: Double, at now: DeviceTime) -> Recognition? {
        guard var swing else { return nil }
        defer { if self.swing != nil { self.swing = swing } }
        if rate > swing.fastest {
            // Another stroke, and a faster one: the first was its backswing.
            if swing.isOver { swing = Swing(since: now, fastest: rate, fastestAt: now, turn: 0) }
            swing.fastest = rate
            swing.fastestAt = now
        }
        swing.turn = max(swing.turn, turning?.turn ?? 0)
        if swing.isOver {
            guard !now.isWithin(Self.stroke, after: swing.fastestAt) else { return nil }
            self.swing = nil
            turning = nil
            var end = recognition(.ended, swing, outcome(of: swing, at: now))
            end.stroke = Stroke(fastestAt: swing.fastestAt, startedAt: swing.startedAt, impact: rule.impact)
            return end
        }
        if knock > swing.knock {
            swing.knock = knock
            if knock > rule.impact, swing.hitAt == nil {
                swing.hitAt = now
                swing.startedAt = tail.start(before: now)
                var measures = outcome(of: swing, at: now)
                measures.timeToContact = 0
                return recognition(.changed, swing, measures)
            }
        }
        // A hand that turned already before it swung has not swung for longer.
        guard rate < rule.calm || !now.isWithin(rule.longest, after: swing.since) else { return nil }
        if swing.hitAt == nil { swing.startedAt = tail.start(before: swing.fastestAt) }
        swing.isOver = true
        endedAt = now
        return recognition(.changed, swing, outcome(of: swing, at: now))
    }

    private func outcome(of swing: Swing, at now: DeviceTime) -> GestureMeasures {
        GestureMeasures(
            sinceStart: swing.startedAt.map { (swing.hitAt ?? now).seconds(since: $0) },
            impact: swing.hitAt == nil ? nil : swing.knock, hit: swing.hitAt != nil,
            hitUncertain: isCoarse ? true : nil, turn: swing.turn)
    }

    private func recognition(
        _ phase: GestureEvent.Phase, _ swing: Swing, _ measures: GestureMeasures
    ) -> Recognition {
        Recognition(
            phase, measure: swing.fastest, threshold: rule.rate, fullStrength: rule.fullStrength, measures: measures)
    }

    /// How far the acceleration is from what it was a moment ago, in g.
    private mutating func knock(_ acceleration: SIMD3<Double>, elapsed: Double) -> Double {
        let knock = (acceleration - smooth).length
        let weight = elapsed > 0 ? elapsed / (Self.suddenness + elapsed) : 1
        smooth += weight * (acceleration - smooth)
        return elapsed > 0 ? knock : 0
    }

    /// A swing's rate is much like a quarter of a sine, w = A sin x with x = π t / 2 T from start to fastest. So
    /// t w'/w = x cot x, nearly 1 - (2x/π)², tells how much of T has passed. In s, at most half a second.
    ///
    /// A low-pass lags behind a line by its time constant, so the difference from it is the slope.
    private func timeToFastest(rate: Double, sinceStart t: Double) -> Double {
        let progress = t * (rate - smoothRate) / Self.suddenness / rate
        guard progress > 0 else { return 0 }
        guard progress < 0.99 else { return 0.5 }
        return min(0.5, t / (1 - progress).squareRoot() - t)
    }
}
