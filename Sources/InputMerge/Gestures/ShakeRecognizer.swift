import WireProtocol

/// Several reversals of hard user acceleration along one line within a short time.
public struct ShakeRule: Hashable, Sendable {
    /// Only swings above this count, in g: 0.2 to 16 …
    public var threshold: Double
    /// … and so many times as much up and down, where steps are: 1 to 4. A step cannot push down by more than 1 g for
    /// long, a hand can.
    public var upright: Double
    /// What is over sooner is an impact and no swing, as a time constant: 0 to 50 ms.
    public var smoothing: Duration
    /// How often the sign must change: 2 to 8.
    public var reversals: Int
    /// Within how long: 100 ms to 3 s. The shake ends when so long no reversal came.
    public var window: Duration
    /// Does not begin again for so long after its end: 0 to 10 s.
    public var refractory: Duration
    /// This many g are strength 1: above ``threshold``, up to 100.
    public var fullStrength: Double

    /// The defaults are those of ``GestureDefinition/shake``; ``GestureDefinition/problem`` names what is out of its
    /// range.
    public init(
        threshold: Double = 1.2, upright: Double = 1.25, smoothing: Duration = .milliseconds(10), reversals: Int = 3,
        window: Duration = .milliseconds(700), refractory: Duration = .milliseconds(400), fullStrength: Double = 4
    ) {
        self.threshold = threshold
        self.upright = upright
        self.smoothing = smoothing
        self.reversals = reversals
        self.window = window
        self.refractory = refractory
        self.fullStrength = fullStrength
    }
}

extension ShakeRule: GestureRule {
    static var parameters: [RuleParameter<Self>] {
        [
            .number("threshold", \.threshold, "g", .harder, in: 0.2...16),
            .number("upright", \.upright, "times", .harder, in: 1...4),
            .duration("smoothing", \.smoothing, .harder, in: 0...50),
            .count("reversals", \.reversals, "times", in: 2...8),
            .duration("window", \.window, in: 100...3_000),
            .duration("refractory", \.refractory, in: 0...10_000),
            .number("fullStrength", \.fullStrength, "g", .harder, in: { .from($0.threshold.nextUp, to: 100) }),
        ]
    }
    var rule: GestureDefinition.Rule { .shake(self) }
    func makeRecognizer() -> any Recognizer { ShakeRecognizer(self) }
}

/// Sees a to and fro, along whatever line it happens.
struct ShakeRecognizer: Recognizer {
    /// Beyond this cosine between a line and gravity the line is up and down.
    private static let upright = 0.6
    /// Up and down a hand goes straight back; who runs hangs in the air between two steps for longer.
    private static let straightBack = Duration.milliseconds(110)

    private let rule: ShakeRule
    private let smoothing: Double
    private var smooth = SIMD3<Double>.zero
    private var axis = PrincipalAxis()
    private var previousAt: DeviceTime?
    /// The sign of the last swing above the threshold; 0 before the first.
    private var swing = 0.0
    private var swungAt = DeviceTime(nanoseconds: 0)
    /// When the last eight reversals came, the newest first.
    private var reversals = SIMD8<Int64>.zero
    private var reversalCount = 0
    private var strongest = 0.0
    private var isShaking = false
    private var endedAt: DeviceTime?

    init(_ rule: ShakeRule) {
        self.rule = rule
        smoothing = rule.smoothing.seconds
    }

    mutating func update(_ motion: DeviceMotion) -> Recognition? {
        let now = motion.sampledAt
        let interval = previousAt.map { Double((now - $0).wholeNanoseconds) / 1e9 } ?? 0
        previousAt = now
        let share = interval > 0 ? interval / (smoothing + interval) : 1
        smooth += share * (motion.userAcceleration - smooth)
        axis.update(smooth, interval: interval)
        let isUpright = abs(axis.direction.dot(motion.gravity)) > Self.upright * motion.gravity.length
        noteSwing(
            smooth.dot(axis.direction), above: rule.threshold * (isUpright ? rule.upright : 1),
            within: isUpright ? Self.straightBack : rule.window, at: now)

        if isShaking {
            guard !now.isWithin(rule.window, after: DeviceTime(nanoseconds: reversals[0])) else { return nil }
            isShaking = false
            endedAt = now
            forget()
            return Recognition(.ended, strength: 0, confidence: 1)
        }
        guard reversalCount >= rule.reversals,
            now.isWithin(rule.window, after: DeviceTime(nanoseconds: reversals[rule.reversals - 1]))
        else { return nil }
        if let endedAt, now.isWithin(rule.refractory, after: endedAt) { return nil }
        isShaking = true
        return Recognition(.began, measure: strongest, threshold: rule.threshold, fullStrength: rule.fullStrength)
    }

    mutating func interrupt() {
        previousAt = nil
        forget()
    }

    private mutating func forget() {
        swing = 0
        reversalCount = 0
        strongest = 0
    }

    /// - Parameter back: for so long after one side the other still belongs to it.
    private mutating func noteSwing(
        _ value: Double, above threshold: Double, within back: Duration, at now: DeviceTime
    ) {
        guard abs(value) > threshold else { return }
        let sign: Double = value < 0 ? -1 : 1
        if swing != 0, !now.isWithin(swing == sign ? rule.window : back, after: swungAt) { forget() }
        strongest = max(strongest, abs(value))
        if swing == -sign {
            for place in (1..<8).reversed() { reversals[place] = reversals[place - 1] }
            reversals[0] = now.nanoseconds
            reversalCount = min(reversalCount + 1, 8)
        }
        swing = sign
        swungAt = now
    }
}

/// The line along which a vector has mostly moved of late: the first eigenvector of its fading second moments.
struct PrincipalAxis: Sendable {
    private static let timeConstant = 0.3

    /// Length 1; turns steadily, and jumps only when most of the motion went elsewhere.
    private(set) var direction = SIMD3<Double>(0, 1, 0)
    private var rows = (SIMD3<Double>.zero, SIMD3<Double>.zero, SIMD3<Double>.zero)

    /// One step of power iteration, begun at the direction so far.
    mutating func update(_ vector: SIMD3<Double>, interval: Double) {
        let keep = Self.timeConstant / (Self.timeConstant + max(interval, 0))
        rows.0 = keep * rows.0 + vector.x * vector
        rows.1 = keep * rows.1 + vector.y * vector
        rows.2 = keep * rows.2 + vector.z * vector
        turn(to: SIMD3(rows.0.dot(direction), rows.1.dot(direction), rows.2.dot(direction)))
    }

    private mutating func turn(to next: SIMD3<Double>) {
        let isElsewhere = next.dot(direction) < 0.2 * (rows.0.x + rows.1.y + rows.2.z)
        let target = isElsewhere ? strongestRow : next
        let length = target.length
        if length > 1e-9, length < 1e12 { direction = target / length }
    }

    private var strongestRow: SIMD3<Double> {
        if rows.0.x >= rows.1.y, rows.0.x >= rows.2.z { return rows.0 }
        return rows.1.y >= rows.2.z ? rows.1 : rows.2
    }
}
