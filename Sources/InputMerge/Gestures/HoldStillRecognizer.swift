import WireProtocol

/// The device is not moved at all.
public struct HoldStillRule: Hashable, Sendable {
    /// Turns slower than this, in rad/s: 0.01 to 2 …
    public var rate: Double
    /// … and is pushed by less than this, in g: 0.005 to 1 …
    public var push: Double
    /// … for so long: 100 ms to 60 s.
    public var holding: Duration
    /// It is moved again at so many times as much: 1 to 5.
    public var hysteresis: Double

    /// The defaults are those of ``GestureDefinition/holdStill``; ``GestureDefinition/problem`` names what is out of
    /// its range.
    public init(
        rate: Double = 0.15, push: Double = 0.06, holding: Duration = .seconds(1), hysteresis: Double = 2
    ) {
        self.rate = rate
        self.push = push
        self.holding = holding
        self.hysteresis = hysteresis
    }
}

extension HoldStillRule: GestureRule {
    static var parameters: [RuleParameter<Self>] {
        [
            .number("rate", \.rate, "rad/s", .easier, in: 0.01...2),
            .number("push", \.push, "g", .easier, in: 0.005...1),
            .duration("holding", \.holding, .harder, in: 100...60_000),
            .number("hysteresis", \.hysteresis, "times", in: 1...5),
        ]
    }
    var rule: GestureDefinition.Rule { .holdStill(self) }
    func makeRecognizer() -> any Recognizer { HoldStillRecognizer(self) }
}

/// Sees stillness; it ends with the first movement.
struct HoldStillRecognizer: Recognizer {
    private let rule: HoldStillRule
    private var stillSince: DeviceTime?
    private var isHeld = false

    init(_ rule: HoldStillRule) { self.rule = rule }

    mutating func update(_ motion: DeviceMotion) -> Recognition? {
        guard motion.gravity != .zero else { return nil }
        let now = motion.sampledAt
        let movement = max(motion.rotationRate.length / rule.rate, motion.userAcceleration.length / rule.push)
        guard movement < (isHeld ? rule.hysteresis : 1) else {
            stillSince = nil
            guard isHeld else { return nil }
            isHeld = false
            return Recognition(.ended, strength: 0, confidence: 1)
        }
        guard let stillSince, now >= stillSince else {
            stillSince = now
            return nil
        }
        guard !isHeld, now - stillSince >= rule.holding else { return nil }
        isHeld = true
        return Recognition(.began, strength: 1 - movement, confidence: 1 - movement / 2)
    }

    mutating func interrupt() { if !isHeld { stillSince = nil } }
}
