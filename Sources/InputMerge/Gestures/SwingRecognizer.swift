import WireProtocol

/// Sees a swing, announces its fastest moment, and tells hit from miss.
struct SwingRecognizer: Recognizer {
    /// The device turns, since a moment at which it hardly did.
    private struct Turning {
        var since: DeviceTime
        var fastSince: DeviceTime?
        var turn = 0.0
        var fastest = 0.0
    }

    private struct Swing {
        var hitAt: DeviceTime?
        /// The greatest knock so far, in g.
        var knock = 0.0
    }

    /// Slower than this the device hardly turns, in rad/s.
    private static let still = 1.0
    /// What changes within this is sudden, in s.
    private static let suddenness = 0.03

    /// Whoever swings holds on: below this force, in g, …
    private static let weightless = 0.5
    /// … for so long, the device tumbles through the air.
    private static let tumbling = Duration.milliseconds(60)

    private let rule: SwingRule
    private let minimumTurn: Double
    private var interval = SampleInterval()
    private var turning: Turning?
    private var swing: Swing?
    private var smoothRate = 0.0
    private var smooth = SIMD3<Double>.zero
    private var endedAt: DeviceTime?
    /// Since when the device weighs nothing; `nil` while it does, or nobody knows.
    private var weightlessSince: DeviceTime?

    init(_ rule: SwingRule) {
        self.rule = rule
        minimumTurn = rule.minimumTurn * .pi / 180
    }

    mutating func update(_ motion: DeviceMotion) -> Recognition? {
        let (now, rate) = (motion.sampledAt, motion.rotationRate.length)
        let elapsed = interval.step(to: now)
        let knock = knock(motion.userAcceleration, elapsed: elapsed)
        let isWeightless = motion.gravity != .zero && motion.force < Self.weightless
        weightlessSince = isWeightless ? weightlessSince ?? now : nil
        smoothRate += elapsed / (Self.suddenness + elapsed) * (rate - smoothRate)
        if rate >= Self.still {
            var turning = turning ?? Turning(since: now)
            turning.turn += rate * elapsed
            turning.fastest = max(turning.fastest, rate)
            turning.fastSince = rate > rule.rate ? turning.fastSince ?? now : nil
            self.turning = turning
        } else if swing == nil {
            turning = nil
        }
        guard let turning else { return nil }
        if swing != nil { return follow(turning, rate: rate, knock: knock, at: now) }
        guard let fastSince = turning.fastSince, now >= fastSince, now - fastSince >= rule.shortest,
            turning.turn >= minimumTurn, !isTumbling(at: now), endedAt.map({ !now.isWithin(rule.refractory, after: $0) }) ?? true
        else { return nil }
        swing = Swing()
        let sinceStart = now.seconds(since: turning.since)
        return recognition(
            .began, turning,
            GestureMeasures(
                timeToContact: timeToFastest(rate: rate, sinceStart: sinceStart),
                sinceStart: sinceStart, turn: turning.turn))
    }

    mutating func interrupt() {
        interval.interrupt()
        weightlessSince = nil
        if swing == nil { turning = nil }
    }

    private func isTumbling(at now: DeviceTime) -> Bool {
        weightlessSince.map { now >= $0 && now - $0 >= Self.tumbling } ?? false
    }

    private mutating func follow(
        _ turning: Turning, rate: Double, knock: Double, at now: DeviceTime
    ) -> Recognition? {
        guard var swing else { return nil }
        if knock > swing.knock {
            swing.knock = knock
            if knock > rule.impact, swing.hitAt == nil {
                swing.hitAt = now
                self.swing = swing
                return recognition(
                    .changed, turning,
                    GestureMeasures(
                        timeToContact: 0, sinceStart: now.seconds(since: turning.since), impact: knock, hit: true,
                        turn: turning.turn))
            }
        }
        self.swing = swing
        guard rate < rule.calm || !now.isWithin(rule.longest, after: turning.since) else { return nil }
        self.swing = nil
        self.turning = nil
        endedAt = now
        return recognition(
            .ended, turning,
            GestureMeasures(
                sinceStart: (swing.hitAt ?? now).seconds(since: turning.since),
                impact: swing.hitAt == nil ? nil : swing.knock, hit: swing.hitAt != nil, turn: turning.turn))
    }

    private func recognition(
        _ phase: GestureEvent.Phase, _ turning: Turning, _ measures: GestureMeasures
    ) -> Recognition {
        Recognition(
            phase, measure: turning.fastest, threshold: rule.rate, fullStrength: rule.fullStrength, measures: measures)
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
