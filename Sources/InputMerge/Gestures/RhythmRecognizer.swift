import WireProtocol

/// Steps, or whatever else moves the device up and down as regularly.
public struct RhythmRule: Hashable, Sendable {
    /// The force must rise and fall by so much with every step, in g: 0.02 to 4.
    public var swing: Double
    /// Of the usual rise and fall, so much makes a step: 0.1 to 0.9.
    public var share: Double
    /// Steps are at least so far apart: 100 ms to 1 s.
    public var shortest: Duration
    /// And at most so far: 300 ms to 5 s; then the rhythm is over.
    public var longest: Duration
    /// So many steps make a rhythm: 2 to 16.
    public var steps: Int
    /// This many g are strength 1: above ``swing``, up to 8.
    public var fullStrength: Double

    /// The defaults are those of ``GestureDefinition/rhythm``; ``GestureDefinition/problem`` names what is out of its
    /// range.
    public init(
        swing: Double = 0.06, share: Double = 0.5, shortest: Duration = .milliseconds(250),
        longest: Duration = .milliseconds(1_500), steps: Int = 4, fullStrength: Double = 1
    ) {
        self.swing = swing
        self.share = share
        self.shortest = shortest
        self.longest = longest
        self.steps = steps
        self.fullStrength = fullStrength
    }
}

extension RhythmRule: GestureRule {
    static var parameters: [RuleParameter<Self>] {
        [
            .number("swing", \.swing, "g", .harder, in: 0.02...4),
            .number("share", \.share, "of the usual", in: 0.1...0.9),
            .duration("shortest", \.shortest, in: 100...1_000),
            .duration("longest", \.longest, in: 300...5_000),
            .count("steps", \.steps, "steps", .harder, in: 2...16),
            .number("fullStrength", \.fullStrength, "g", in: { .from($0.swing.nextUp, to: 8) }),
        ]
    }
    var rule: GestureDefinition.Rule { .rhythm(self) }
    func makeRecognizer() -> any Recognizer { RhythmRecognizer(self) }
}

/// Counts steps: peaks of the low-passed force, each followed by a fall of half the usual.
///
/// `began` comes with the first steps that make a rhythm, `changed` with every further one.
struct RhythmRecognizer: Recognizer {
    private static let smoothing = 1 / (2 * Double.pi * 2)
    private static let baseline = 1 / (2 * Double.pi * 0.25)

    private let rule: RhythmRule
    private var interval = SampleInterval()
    private var smooth = SIMD2<Double>(1, 1)
    private var slow = SIMD2<Double>(1, 1)
    private var hasBegun = false
    private var isRising = true
    private var low = 0.0
    private var high = 0.0
    private var highAt: DeviceTime?
    /// How far the force usually rises with a step, in g.
    private var usual = 0.0
    private var steppedAt: DeviceTime?
    private var count = 0
    /// Of the steps so far, in s; 0 before the second.
    private var period = 0.0

    init(_ rule: RhythmRule) { self.rule = rule }

    mutating func update(_ motion: DeviceMotion) -> Recognition? {
        guard motion.gravity != .zero else { return nil }
        let (now, force) = (motion.sampledAt, motion.force)
        let elapsed = interval.step(to: now)
        let value = filter(force, elapsed: elapsed)
        if let steppedAt, !now.isWithin(rule.longest, after: steppedAt) {
            let wasOpen = hasBegun
            let measures = wasOpen ? measures(at: now) : GestureMeasures()
            stop()
            if wasOpen { return Recognition(.ended, strength: 0, confidence: 1, measures: measures) }
        }
        guard let swing = peak(value, at: now) else { return nil }
        guard count >= rule.steps else { return nil }
        let phase: GestureEvent.Phase = hasBegun ? .changed : .began
        hasBegun = true
        return Recognition(
            phase, measure: swing, threshold: rule.swing, fullStrength: rule.fullStrength, measures: measures(at: now))
    }

    mutating func interrupt() { interval.interrupt() }

    /// A step is told when the force has fallen again: it was so long ago.
    private func measures(at now: DeviceTime) -> GestureMeasures {
        GestureMeasures(
            sinceStart: steppedAt.map { now.seconds(since: $0) }, cadence: period > 0 ? 1 / period : nil, count: count)
    }

    private mutating func stop() {
        steppedAt = nil
        hasBegun = false
        count = 0
        period = 0
        usual = 0
    }

    /// Two first-order low-passes for the step, two for what it stands on; their difference.
    private mutating func filter(_ force: Double, elapsed: Double) -> Double {
        let (fast, gentle) = (elapsed / (Self.smoothing + elapsed), elapsed / (Self.baseline + elapsed))
        smooth.x += fast * (force - smooth.x)
        smooth.y += fast * (smooth.x - smooth.y)
        slow.x += gentle * (force - slow.x)
        slow.y += gentle * (slow.x - slow.y)
        return smooth.y - slow.y
    }

    /// The rise of a step whose fall has just been seen.
    private mutating func peak(_ value: Double, at now: DeviceTime) -> Double? {
        let enough = max(rule.swing, rule.share * usual)
        if isRising {
            if value > high || highAt == nil { (high, highAt) = (value, now) }
            guard high - value > enough, let at = highAt else { return nil }
            let swing = high - low
            (isRising, low) = (false, value)
            return step(at: at, swing: swing) ? swing : nil
        }
        low = min(low, value)
        if value - low > enough { (isRising, high, highAt) = (true, value, now) }
        return nil
    }

    private mutating func step(at time: DeviceTime, swing: Double) -> Bool {
        if let steppedAt {
            guard !time.isWithin(rule.shortest, after: steppedAt) else { return false }
            let gap = time.seconds(since: steppedAt)
            period = period == 0 ? gap : period + 0.25 * (gap - period)
        }
        usual = usual == 0 ? swing : usual + 0.25 * (swing - usual)
        steppedAt = time
        count += 1
        return true
    }
}
