import WireProtocol

/// A short, fast turn that stops again: a flick of the wrist.
public struct FlickRule: Hashable, Sendable {
    /// The device turns faster than this, in rad/s: 2 to 30 …
    public var rate: Double
    /// … for less than this: 50 ms to 1 s …
    public var longest: Duration
    /// … and then slower than this, in rad/s: 0.2 to 0.5 of ``rate``.
    public var calm: Double
    /// It must turn by so much meanwhile, in degrees: 5 to 180.
    public var minimumTurn: Double
    /// Not again for so long, as the hand comes back: 0 to 10 s.
    public var refractory: Duration
    /// This rate is strength 1, in rad/s: above ``rate``, up to 60.
    public var fullStrength: Double

    /// The defaults are those of ``GestureDefinition/flick``; ``GestureDefinition/problem`` names what is out of its
    /// range.
    public init(
        rate: Double = 6, longest: Duration = .milliseconds(250), calm: Double = 2, minimumTurn: Double = 20,
        refractory: Duration = .milliseconds(400), fullStrength: Double = 15
    ) {
        self.rate = rate
        self.longest = longest
        self.calm = calm
        self.minimumTurn = minimumTurn
        self.refractory = refractory
        self.fullStrength = fullStrength
    }
}

extension FlickRule: GestureRule {
    static var parameters: [RuleParameter<Self>] {
        [
            .number("rate", \.rate, "rad/s", .harder, in: 2...30),
            .duration("longest", \.longest, .easier, in: 50...1_000),
            .number("calm", \.calm, "rad/s", in: { .from(0.2, to: 0.5 * $0.rate) }),
            .number("minimumTurn", \.minimumTurn, "°", .harder, in: 5...180),
            .duration("refractory", \.refractory, in: 0...10_000),
            .number("fullStrength", \.fullStrength, "rad/s", .harder, in: { .from($0.rate.nextUp, to: 60) }),
        ]
    }
    var rule: GestureDefinition.Rule { .flick(self) }
    func makeRecognizer() -> any Recognizer { FlickRecognizer(self) }
}

/// Sees a flick when it is over, which is what tells it from a swing and from turning around.
struct FlickRecognizer: Recognizer {
    private let rule: FlickRule
    private var pulse: Pulse
    private var interval = SampleInterval()
    /// Since when the device turns faster than ``FlickRule/calm``.
    private var movedAt: DeviceTime?
    private var fastAt: DeviceTime?
    private var fastest = 0.0
    private var turn = 0.0

    init(_ rule: FlickRule) {
        self.rule = rule
        pulse = Pulse(refractory: rule.refractory)
    }

    mutating func update(_ motion: DeviceMotion) -> Recognition? {
        let (now, rate) = (motion.sampledAt, motion.rotationRate.length)
        let elapsed = interval.step(to: now)
        if let end = pulse.end(at: now) { return end }
        guard rate < rule.calm else {
            if movedAt == nil { movedAt = now }
            if rate > rule.rate, fastAt == nil { fastAt = now }
            fastest = max(fastest, rate)
            turn += rate * elapsed
            return nil
        }
        defer { forget() }
        guard let movedAt, let fastAt, now.isWithin(rule.longest, after: fastAt),
            now.isWithin(rule.longest + rule.longest, after: movedAt), turn * 180 / .pi >= rule.minimumTurn
        else { return nil }
        let flick = Recognition(
            .began, measure: fastest, threshold: rule.rate, fullStrength: rule.fullStrength,
            measures: GestureMeasures(sinceStart: now.seconds(since: movedAt), turn: turn))
        return pulse.fire(flick, at: now)
    }

    mutating func interrupt() {
        interval.interrupt()
        forget()
    }

    private mutating func forget() {
        movedAt = nil
        fastAt = nil
        fastest = 0
        turn = 0
    }
}
