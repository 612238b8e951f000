import WireProtocol

/// A turn about one axis of the device in one go, as of a key or a knob.
public struct TwistRule: Hashable, Sendable {
    /// y is along the device, as it lies in the hand.
    public var axis: DeviceAxis
    /// The device must turn by so much, in degrees: 15 to 180 …
    public var angle: Double
    /// … within this, half of it about an upright axis, as a body turns about that: 100 ms to 3 s.
    public var longest: Duration
    /// Slower than this is no turning, in rad/s: 0.3 to 5.
    public var slowest: Double
    /// How much of the turning must be about the axis: 0.5 to 1.
    public var purity: Double
    /// Not again for so long: 0 to 10 s.
    public var refractory: Duration

    /// The defaults are those of ``GestureDefinition/twist``; ``GestureDefinition/problem`` names what is out of its
    /// range.
    public init(
        axis: DeviceAxis = .y, angle: Double = 60, longest: Duration = .milliseconds(700), slowest: Double = 1,
        purity: Double = 0.8, refractory: Duration = .milliseconds(300)
    ) {
        self.axis = axis
        self.angle = angle
        self.longest = longest
        self.slowest = slowest
        self.purity = purity
        self.refractory = refractory
    }
}

extension TwistRule: GestureRule {
    static var parameters: [RuleParameter<Self>] {
        [
            .axis("axis", \.axis),
            .number("angle", \.angle, "°", .harder, in: 15...180),
            .duration("longest", \.longest, .easier, in: 100...3_000),
            .number("slowest", \.slowest, "rad/s", .harder, in: 0.3...5),
            .number("purity", \.purity, "of the turning", .harder, in: 0.5...1),
            .duration("refractory", \.refractory, in: 0...10_000),
        ]
    }
    var rule: GestureDefinition.Rule { .twist(self) }
    func makeRecognizer() -> any Recognizer { TwistRecognizer(self) }
}

/// Sees a twist as soon as it has turned far enough; it ends when the turning does.
struct TwistRecognizer: Recognizer {
    /// Beyond this cosine between axis and gravity the axis is upright. Who walks round a corner turns about it, too, and
    /// no body turns as fast as a hand.
    private static let upright = 0.8

    private let rule: TwistRule
    private let angle: Double
    private var interval = SampleInterval()
    private var startedAt: DeviceTime?
    /// About the axis, with its sign, in rad.
    private var turn = 0.0
    /// About whatever axis, in rad.
    private var turning = 0.0
    private var isTwisting = false
    private var firedAt: DeviceTime?

    init(_ rule: TwistRule) {
        self.rule = rule
        angle = rule.angle * .pi / 180
    }

    mutating func update(_ motion: DeviceMotion) -> Recognition? {
        let now = motion.sampledAt
        let elapsed = interval.step(to: now)
        let rate = rule.axis.component(of: motion.rotationRate)
        guard abs(rate) >= rule.slowest, turn * rate >= 0 else { return stop(at: now) }
        if startedAt == nil { startedAt = now }
        turn += rate * elapsed
        turning += motion.rotationRate.length * elapsed
        guard !isTwisting, abs(turn) >= angle, abs(turn) >= rule.purity * turning,
            let startedAt, now.isWithin(longest(motion), after: startedAt),
            firedAt.map({ !now.isWithin(rule.refractory, after: $0) }) ?? true
        else { return nil }
        isTwisting = true
        firedAt = now
        let quickness = rule.longest.seconds / max(now.seconds(since: startedAt), 1e-3)
        return Recognition(
            .began, strength: quickness / 8, confidence: abs(turn) / turning,
            measures: GestureMeasures(turn: turn))
    }

    mutating func interrupt() {
        interval.interrupt()
        if !isTwisting { forget() }
    }

    private func longest(_ motion: DeviceMotion) -> Duration {
        let height = abs(rule.axis.component(of: motion.gravity))
        return height > Self.upright * motion.gravity.length ? rule.longest / 2 : rule.longest
    }

    private mutating func stop(at now: DeviceTime) -> Recognition? {
        defer { forget() }
        guard isTwisting else { return nil }
        isTwisting = false
        return Recognition(.ended, strength: 0, confidence: 1, measures: GestureMeasures(turn: turn))
    }

    private mutating func forget() {
        startedAt = nil
        turn = 0
        turning = 0
    }
}
