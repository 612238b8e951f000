import WireProtocol

/// A finger taps a device that is held or lies quietly.
public struct TapRule: Hashable, Sendable {
    /// The knock must be this hard, in g: 0.1 to 8 …
    public var knock: Double
    /// … and over within this: 10 to 120 ms.
    public var longest: Duration
    /// For so long before it, and for half of it afterwards, nothing else may happen: 40 ms to 1 s.
    public var quiet: Duration
    /// Nothing is below this, in g: 0.02 to 0.6 of ``knock``.
    public var calm: Double
    /// A tap turns the device slower than this, in rad/s: 0.2 to 10.
    public var turn: Double
    /// Taps that follow each other within this are counted together: 0 to 2 s.
    public var together: Duration
    /// This many g are strength 1: above ``knock``, up to 16.
    public var fullStrength: Double

    /// The defaults are those of ``GestureDefinition/tap``; ``GestureDefinition/problem`` names what is out of its
    /// range.
    public init(
        knock: Double = 0.5, longest: Duration = .milliseconds(60), quiet: Duration = .milliseconds(100),
        calm: Double = 0.15, turn: Double = 1.5, together: Duration = .milliseconds(400), fullStrength: Double = 3
    ) {
        self.knock = knock
        self.longest = longest
        self.quiet = quiet
        self.calm = calm
        self.turn = turn
        self.together = together
        self.fullStrength = fullStrength
    }
}

extension TapRule: GestureRule {
    static var parameters: [RuleParameter<Self>] {
        [
            .number("knock", \.knock, "g", .harder, in: 0.1...8),
            .duration("longest", \.longest, .easier, in: 10...120),
            .duration("quiet", \.quiet, .harder, in: 40...1_000),
            .number("calm", \.calm, "g", in: { .from(0.02, to: 0.6 * $0.knock) }),
            .number("turn", \.turn, "rad/s", .easier, in: 0.2...10),
            .duration("together", \.together, in: 0...2_000),
            .number("fullStrength", \.fullStrength, "g", .harder, in: { .from($0.knock.nextUp, to: 16) }),
        ]
    }
    var rule: GestureDefinition.Rule { .tap(self) }
    func makeRecognizer() -> any Recognizer { TapRecognizer(self) }
}

/// Sees a tap once the quiet after it has lasted: what goes on was a push, a step or a shake.
struct TapRecognizer: Recognizer {
    private let rule: TapRule
    private let quietAfter: Duration
    private let settling: Duration
    private var pulse = Pulse(refractory: .zero)
    private var interval = SampleInterval()
    /// Since when it is quiet; `nil` while it is not.
    private var quietSince: DeviceTime?
    /// A knock out of the quiet, and when it was last felt.
    private var knock: (at: DeviceTime, lastAt: DeviceTime, peak: Double)?
    /// When something else than a tap last went on; bounces and hands settle for three times ``TapRule/quiet``.
    private var movedAt: DeviceTime?
    private var last: (at: DeviceTime, count: Int)?

    init(_ rule: TapRule) {
        self.rule = rule
        settling = rule.quiet * 3
        quietAfter = .nanoseconds(rule.quiet.wholeNanoseconds / 2)
    }

    mutating func update(_ motion: DeviceMotion) -> Recognition? {
        guard motion.gravity != .zero else { return nil }
        let (now, push) = (motion.sampledAt, motion.userAcceleration.length)
        // So slow a sensor cannot tell a tap from a push.
        let isTooSlow = interval.step(to: now) > rule.longest.seconds
        if isTooSlow { interrupt() }
        if let end = pulse.end(at: now) { return end }
        guard !isTooSlow else { return nil }
        let isCalm = push < rule.calm && motion.rotationRate.length < rule.turn
        if let knock { return follow(knock, push: push, isCalm: isCalm, turn: motion.rotationRate.length, at: now) }
        if isCalm {
            if quietSince == nil { quietSince = now }
        } else {
            let wasQuiet = quietSince.map { now >= $0 && now - $0 >= rule.quiet } ?? false
            quietSince = nil
            let isSettled = movedAt.map { !now.isWithin(settling, after: $0) } ?? true
            if wasQuiet, isSettled { knock = (now, now, push) } else { movedAt = now }
        }
        return nil
    }

    mutating func interrupt() {
        quietSince = nil
        knock = nil
    }

    private mutating func follow(
        _ knock: (at: DeviceTime, lastAt: DeviceTime, peak: Double), push: Double, isCalm: Bool, turn: Double,
        at now: DeviceTime
    ) -> Recognition? {
        if !isCalm {
            let peak = max(knock.peak, push)
            let isTap = now.isWithin(rule.longest, after: knock.at) && turn < rule.turn
            self.knock = isTap ? (knock.at, now, peak) : nil
            if !isTap { movedAt = now }
            return nil
        }
        guard now < knock.lastAt || now - knock.lastAt >= quietAfter else { return nil }
        self.knock = nil
        quietSince = knock.lastAt
        guard knock.peak >= rule.knock else { return nil }
        let isMore = last.map { knock.at.isWithin(rule.together, after: $0.at) } ?? false
        let count = isMore ? (last?.count ?? 0) + 1 : 1
        last = (knock.at, count)
        let tap = Recognition(
            .began, measure: knock.peak, threshold: rule.knock, fullStrength: rule.fullStrength,
            measures: GestureMeasures(
                sinceStart: now.seconds(since: knock.at), impact: knock.peak, count: count))
        return pulse.fire(tap, at: now)
    }
}
