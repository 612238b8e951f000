import WireProtocol

/// An angle between gravity and where gravity was at the last re-zero, with hysteresis.
public struct TiltRule: Hashable, Sendable {
    /// Begins above this, in degrees: 10 to 170.
    public var enter: Double
    /// Ends below this, in degrees: 0 to 5 below ``enter``.
    public var exit: Double
    /// This many degrees are strength 1: above ``enter``, up to 180.
    public var fullStrength: Double

    /// The defaults are those of ``GestureDefinition/tilt``; ``GestureDefinition/problem`` names what is out of its
    /// range.
    public init(enter: Double = 30, exit: Double = 25, fullStrength: Double = 90) {
        self.enter = enter
        self.exit = exit
        self.fullStrength = fullStrength
    }
}

extension TiltRule: GestureRule {
    static var parameters: [RuleParameter<Self>] {
        [
            .number("enter", \.enter, "°", .harder, in: 10...170),
            .number("exit", \.exit, "°", .harder, in: { .from(0, to: $0.enter - 5) }),
            .number("fullStrength", \.fullStrength, "°", .harder, in: { .from($0.enter.nextUp, to: 180) }),
        ]
    }
    var rule: GestureDefinition.Rule { .tilt(self) }
    func makeRecognizer() -> any Recognizer { TiltRecognizer(self) }
}

/// Sees that the device leans.
struct TiltRecognizer: Recognizer {
    /// Cosines that differ by less are left to the angle itself.
    private static let near = 1e-9

    private let rule: TiltRule
    private var isTilted = false
    /// Face up, until the player says otherwise.
    private var reference = SIMD3<Double>(0, 0, -1)

    /// The cosines of both angles.
    private let enter: Double
    private let exit: Double

    init(_ rule: TiltRule) {
        self.rule = rule
        enter = Elementary.cosine(rule.enter * .pi / 180)
        exit = Elementary.cosine(rule.exit * .pi / 180)
    }

    mutating func update(_ motion: DeviceMotion) -> Recognition? {
        guard motion.gravity != .zero else { return nil }
        // Its cosine shows nearly always that the angle, which costs more, is nowhere near.
        let (along, length) = (motion.gravity.dot(reference), motion.gravity.length * reference.length)
        if isTilted ? along < (exit - Self.near) * length : along > (enter + Self.near) * length { return nil }
        let degrees = motion.gravity.angle(to: reference) * 180 / .pi
        if !isTilted, degrees > rule.enter {
            isTilted = true
            return recognition(.began, degrees: degrees)
        }
        if isTilted, degrees < rule.exit {
            isTilted = false
            return recognition(.ended, degrees: degrees)
        }
        return nil
    }

    mutating func rezero(gravity: SIMD3<Double>) {
        if gravity != .zero { reference = gravity }
    }

    private func recognition(_ phase: GestureEvent.Phase, degrees: Double) -> Recognition {
        Recognition(phase, strength: (degrees - rule.exit) / (rule.fullStrength - rule.exit), confidence: 1)
    }
}
