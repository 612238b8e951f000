import WireProtocol

/// A threshold on user acceleration along one axis, with hysteresis and refractory time.
public struct ThresholdRule: Hashable, Sendable {
    /// The device's own axes.
    public typealias Axis = DeviceAxis

    /// Along which the acceleration counts, in Apple's sign.
    public var axis: Axis
    /// Whether the low-passed user acceleration counts (``DeviceMotion/lowPassedAcceleration``) instead of the raw one.
    public var lowPassed: Bool
    /// Begins above this, in g: 0.05 to 16.
    public var enter: Double
    /// Ends, and can begin again, below this, in g: 0 to 0.4 of ``enter``.
    public var exit: Double
    /// Does not begin again for so long: 0 to 10 s.
    public var refractory: Duration
    /// This many g are strength 1: above ``enter``, up to 100.
    public var fullStrength: Double

    /// The defaults are those of ``GestureDefinition/keepCalmJump``; ``GestureDefinition/problem`` names what is out of
    /// its range.
    public init(
        axis: Axis = .y, enter: Double = 0.5, exit: Double = 0.2, refractory: Duration = .milliseconds(400),
        fullStrength: Double = 2, lowPassed: Bool = false
    ) {
        self.axis = axis
        self.lowPassed = lowPassed
        self.enter = enter
        self.exit = exit
        self.refractory = refractory
        self.fullStrength = fullStrength
    }
}

extension ThresholdRule: GestureRule {
    static var parameters: [RuleParameter<Self>] {
        [
            .axis("axis", \.axis),
            .flag("lowPassed", \.lowPassed),
            .number("enter", \.enter, "g", .harder, in: 0.05...16),
            .number("exit", \.exit, "g", .harder, in: { .from(0, to: 0.4 * $0.enter) }),
            .duration("refractory", \.refractory, in: 0...10_000),
            .number("fullStrength", \.fullStrength, "g", .harder, in: { .from($0.enter.nextUp, to: 100) }),
        ]
    }
    var rule: GestureDefinition.Rule { .threshold(self) }
    func makeRecognizer() -> any Recognizer { ThresholdRecognizer(self) }
}

/// Sees a push along one axis.
struct ThresholdRecognizer: Recognizer {
    private let rule: ThresholdRule
    private var isArmed = true
    private var firedAt: DeviceTime?

    init(_ rule: ThresholdRule) { self.rule = rule }

    mutating func update(_ motion: DeviceMotion) -> Recognition? {
        let value = rule.axis.component(
            of: rule.lowPassed ? motion.lowPassedAcceleration : motion.userAcceleration)
        if isArmed {
            guard value > rule.enter else { return nil }
            if let firedAt, motion.sampledAt.isWithin(rule.refractory, after: firedAt) { return nil }
            isArmed = false
            firedAt = motion.sampledAt
            return Recognition(.began, measure: value, threshold: rule.enter, fullStrength: rule.fullStrength)
        }
        guard value < rule.exit else { return nil }
        isArmed = true
        return Recognition(.ended, strength: 0, confidence: 1)
    }
}
