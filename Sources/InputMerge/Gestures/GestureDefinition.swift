/// What counts as a gesture: a name and a rule with its thresholds.
public struct GestureDefinition: Hashable, Sendable {
    public enum Rule: Hashable, Sendable {
        case threshold(ThresholdRule)
        case tilt(TiltRule)
        case shake(ShakeRule)
        case jump(JumpRule)
        case freeFall(FreeFallRule)
        case flick(FlickRule)
        case swing(SwingRule)
        case twist(TwistRule)
        case tap(TapRule)
        case holdStill(HoldStillRule)
        case rhythm(RhythmRule)
    }

    public var kind: GestureKind
    public var rule: Rule

    public init(_ kind: GestureKind, _ rule: Rule) {
        self.kind = kind
        self.rule = rule
    }

    public static let keepCalmJump = GestureDefinition(.keepCalmJump, .threshold(ThresholdRule()))
    public static let tilt = GestureDefinition(.tilt, .tilt(TiltRule()))
    public static let shake = GestureDefinition(.shake, .shake(ShakeRule()))
    public static let jump = GestureDefinition(.jump, .jump(JumpRule()))
    public static let freeFall = GestureDefinition(.freeFall, .freeFall(FreeFallRule()))
    public static let flick = GestureDefinition(.flick, .flick(FlickRule()))
    public static let swing = GestureDefinition(.swing, .swing(SwingRule()))
    public static let twist = GestureDefinition(.twist, .twist(TwistRule()))
    public static let tap = GestureDefinition(.tap, .tap(TapRule()))
    public static let holdStill = GestureDefinition(.holdStill, .holdStill(HoldStillRule()))
    public static let rhythm = GestureDefinition(.rhythm, .rhythm(RhythmRule()))

    /// Every gesture that is built in, with its usual thresholds.
    public static let all: [GestureDefinition] = [
        .keepCalmJump, .jump, .freeFall, .tilt, .shake, .flick, .swing, .twist, .tap, .holdStill, .rhythm,
    ]

    /// Which value is out of its range, in words for whoever set it; `nil` when all are usable.
    public var problem: String? {
        if kind.rawValue.isEmpty { return "a gesture needs a name" }
        return rule.thresholds.problem.map { "\(kind.rawValue): \($0)" }
    }

    /// The same gesture, made for a player of this sensitivity: 1 is as defined, 2 recognises twice as readily, 0.5
    /// half as readily. Counts as the nearest of 0.5 to 2.
    public func scaled(by sensitivity: Double) -> GestureDefinition {
        let sensitivity = sensitivity.isNaN ? 1 : min(max(sensitivity, 0.5), 2)
        return sensitivity == 1 ? self : GestureDefinition(kind, rule.thresholds.scaled(by: sensitivity).rule)
    }

    func makeRecognizer() -> any Recognizer { rule.thresholds.makeRecognizer() }
}

extension GestureDefinition.Rule {
    /// The rule's own thresholds, whatever they are.
    var thresholds: any GestureRule {
        switch self {
        case .threshold(let rule): rule
        case .tilt(let rule): rule
        case .shake(let rule): rule
        case .jump(let rule): rule
        case .freeFall(let rule): rule
        case .flick(let rule): rule
        case .swing(let rule): rule
        case .twist(let rule): rule
        case .tap(let rule): rule
        case .holdStill(let rule): rule
        case .rhythm(let rule): rule
        }
    }
}

/// Says which of a definition's values leaves its range; `nil` when it stays inside. NaN is outside of every range.
func outOfRange(_ key: String, _ value: Double, in range: ClosedRange<Double>, unit: String) -> String? {
    if range.contains(value) { return nil }
    return "\(key) is \(value) \(unit), but must be \(range.lowerBound) to \(range.upperBound) \(unit)"
}

func outOfRange(_ key: String, _ value: Duration, in range: ClosedRange<Duration>) -> String? {
    if range.contains(value) { return nil }
    return "\(key) is \(value), but must be \(range.lowerBound) to \(range.upperBound)"
}
