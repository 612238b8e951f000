/// What counts as a gesture: a name and a rule with its thresholds.
public struct GestureDefinition: Hashable, Sendable {
    public enum Rule: Hashable, Sendable {
        case threshold(ThresholdRule)
        case tilt(TiltRule)
        case shake(ShakeRule)
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

    /// Which value is out of its range, in words for whoever set it; `nil` when all are usable.
    public var problem: String? {
        if kind.rawValue.isEmpty { return "a gesture needs a name" }
        let problem =
            switch rule {
            case .threshold(let rule): rule.problem
            case .tilt(let rule): rule.problem
            case .shake(let rule): rule.problem
            }
        return problem.map { "\(kind.rawValue): \($0)" }
    }

    func makeRecognizer() -> any Recognizer {
        switch rule {
        case .threshold(let rule): ThresholdRecognizer(rule)
        case .tilt(let rule): TiltRecognizer(rule)
        case .shake(let rule): ShakeRecognizer(rule)
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
