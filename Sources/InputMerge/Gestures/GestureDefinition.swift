import WireProtocol

/// What counts as a gesture: a name and a rule with its thresholds.
public struct GestureDefinition: Hashable, Sendable {
    /// What is watched for, and its thresholds. Recognizers watch one stream each, on the device's own time.
    public enum Rule: Hashable, Sendable {
        /// User acceleration along one axis exceeds a threshold: the paper's plain jump.
        case threshold(ThresholdRule)
        /// The device leans away from where it lay at the last re-zero.
        case tilt(TiltRule)
        /// Hard acceleration reverses several times within a short while.
        case shake(ShakeRule)
        /// A push-off, a flight and a landing.
        case jump(JumpRule)
        /// Hardly any force acts for a while, as on what was dropped or thrown.
        case freeFall(FreeFallRule)
        /// A short, fast turn that stops again.
        case flick(FlickRule)
        /// A long, fast turn as of a racket, with or without a hit.
        case swing(SwingRule)
        /// A turn about one axis by an angle, in one go.
        case twist(TwistRule)
        /// A knock of a few hundredths of a second between two calm moments.
        case tap(TapRule)
        /// Neither turned nor pushed for a while.
        case holdStill(HoldStillRule)
        /// Steps, or what else is as regular, at a cadence.
        case rhythm(RhythmRule)
    }

    /// The name that its events bear. Several definitions may watch for the same.
    public var kind: GestureKind
    /// What is watched for.
    public var rule: Rule

    /// A gesture of any name; ``problem`` says whether its rule can be used.
    public init(_ kind: GestureKind, _ rule: Rule) {
        self.kind = kind
        self.rule = rule
    }

    /// User acceleration along y above 0.5 g, once in 400 ms: what the paper's game KeepCalm counts as a jump.
    public static let keepCalmJump = GestureDefinition(.keepCalmJump, .threshold(ThresholdRule()))
    /// Leaning by more than 30°, until it is less than 25° again.
    public static let tilt = GestureDefinition(.tilt, .tilt(TiltRule()))
    /// Three reversals of more than 1.2 g within 0.7 s.
    public static let shake = GestureDefinition(.shake, .shake(ShakeRule()))
    /// A flight of at least 170 ms (among steps 250 ms) after a push of 1.7 g; told in the air, ended by the landing.
    public static let jump = GestureDefinition(.jump, .jump(JumpRule()))
    /// Less than 0.3 g, steadily, for at least 50 ms.
    public static let freeFall = GestureDefinition(.freeFall, .freeFall(FreeFallRule()))
    /// A turn by at least 20° at more than 6 rad/s that is over within 250 ms.
    public static let flick = GestureDefinition(.flick, .flick(FlickRule()))
    /// A turn by at least 40° at more than 5 rad/s; a jolt of 2 g meanwhile is a hit.
    public static let swing = GestureDefinition(.swing, .swing(SwingRule()))
    /// A turn by 60° about the device's long axis within 0.7 s, 0.35 s where that is upright.
    public static let twist = GestureDefinition(.twist, .twist(TwistRule()))
    /// A knock of 0.5 g that is over within 60 ms, on a device that is calm otherwise; those within 400 ms count
    /// together.
    public static let tap = GestureDefinition(.tap, .tap(TapRule()))
    /// Less than 0.15 rad/s and 0.06 g for 1 s.
    public static let holdStill = GestureDefinition(.holdStill, .holdStill(HoldStillRule()))
    /// Four steps 0.25 s to 1.5 s apart, and their cadence until they stop.
    public static let rhythm = GestureDefinition(.rhythm, .rhythm(RhythmRule()))

    /// What a room watches for where nothing else is said: all that is built in but ``keepCalmJump``, which is there for
    /// comparison with ``jump``.
    public static let usual: [GestureDefinition] = [
        .jump, .freeFall, .tilt, .shake, .flick, .swing, .twist, .tap, .holdStill, .rhythm,
    ]

    /// Every gesture that is built in, with its usual thresholds.
    public static let all: [GestureDefinition] = [.keepCalmJump] + usual

    /// Which value is out of its range, in words for whoever set it; `nil` when all are usable.
    public var problem: String? {
        if kind.rawValue.isEmpty { return "a gesture needs a name" }
        return rule.thresholds.problem.map { "\(kind.rawValue): \($0)" }
    }

    /// The same gesture, made for a player of this sensitivity: 1 is as defined, 2 recognises twice as readily, 0.5
    /// half as readily. Counts as the nearest of 0.5 to 2.
    public func scaled(by sensitivity: Double) -> GestureDefinition {
        let sensitivity = sensitivity.asSensitivity
        return sensitivity == 1 ? self : GestureDefinition(kind, rule.thresholds.scaled(by: sensitivity).rule)
    }

    /// How long after the body moved the gesture may be told and still count, in a contest, from when it moved: nobody gains
    /// by a shorter knock, by standing before the jump, by sensitivity, or by a button. 0 of what is a gesture only when it is
    /// complete, which is when it counts.
    package var longestOnset: Duration {
        switch rule {
        case .jump(let rule): max(rule.minimumFlight, rule.runningFlight)
        // Who tumbles is told only then.
        case .freeFall(let rule): max(rule.shortest, .seconds(FreeFallRecognizer.long)) + .milliseconds(50)
        case .tap(let rule): rule.longest + rule.quiet / 2
        case .threshold, .tilt, .shake, .flick, .swing, .twist, .holdStill, .rhythm: .zero
        }
    }

    func makeRecognizer() -> any Recognizer { rule.thresholds.makeRecognizer() }
}

extension [GestureDefinition] {
    /// Of several definitions of one gesture the longest counts; 0 of what players taught.
    package func longestOnset(of kind: GestureKind) -> Duration {
        reduce(.zero) { $1.kind == kind ? Swift.max($0, $1.longestOnset) : $0 }
    }
}

extension GestureMeasures {
    /// How long before its beginning was told the body had moved: left the ground, was let go, or was knocked at.
    package var onset: Duration {
        guard let since = flightTime ?? sinceStart, since > 0 else { return .zero }
        return .nanoseconds(Int64(saturating: since * 1e9))
    }
}

extension Double {
    /// The nearest sensitivity that a player can have; of what is no number, the usual one.
    var asSensitivity: Double { isNaN ? 1 : min(max(self, 0.5), 2) }
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
