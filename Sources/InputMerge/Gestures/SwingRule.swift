/// A racket's, a bat's or a sword's swing, with or without a hit.
///
/// ```
/// rotation          ╱▔▔╲
///                  ╱    ╲ ← hit: the acceleration breaks off
///        ▁▁▁▁▁▁▁▁▁╱      ╲▁▁▁▁
///         start ↑   ↑ began   ↑ ended
/// ```
/// `began` says when the fastest moment is expected, `changed` is the hit, the end of the stroke (hit or miss), and a
/// correction by a faster stroke within 0.8 s; `ended` comes when none can come any more. The start is found by walking
/// back from the fastest moment to where the device hardly turned, and told if what lies between can be a swing.
public struct SwingRule: Hashable, Sendable {
    /// The device turns faster than this, in rad/s: 1 to 30 …
    public var rate: Double
    /// … for at least so long: 20 to 500 ms …
    public var shortest: Duration
    /// … and since its start by so much, in degrees: 10 to 360.
    public var minimumTurn: Double
    /// The swing is over below this rate, in rad/s: 0.2 to 0.5 of ``rate``.
    public var calm: Double
    /// It is over so long after it was first faster than ``rate``, in any case: 300 ms to 5 s.
    public var longest: Duration
    /// A sudden change of the acceleration by so much is a hit, in g: 0.5 to 16.
    public var impact: Double
    /// Does not begin again for so long: 0 to 10 s.
    public var refractory: Duration
    /// This rate is strength 1, in rad/s: above ``rate``, up to 60.
    public var fullStrength: Double

    /// The defaults are those of ``GestureDefinition/swing``; ``GestureDefinition/problem`` names what is out of its
    /// range.
    public init(
        rate: Double = 5, shortest: Duration = .milliseconds(80), minimumTurn: Double = 40, calm: Double = 2,
        longest: Duration = .milliseconds(1_500), impact: Double = 2, refractory: Duration = .milliseconds(300),
        fullStrength: Double = 20
    ) {
        self.rate = rate
        self.shortest = shortest
        self.minimumTurn = minimumTurn
        self.calm = calm
        self.longest = longest
        self.impact = impact
        self.refractory = refractory
        self.fullStrength = fullStrength
    }
}

extension SwingRule: GestureRule {
    static var parameters: [RuleParameter<Self>] {
        [
            .number("rate", \.rate, "rad/s", .harder, in: 1...30),
            .duration("shortest", \.shortest, in: 20...500),
            .number("minimumTurn", \.minimumTurn, "°", .harder, in: 10...360),
            .number("calm", \.calm, "rad/s", in: { .from(0.2, to: 0.5 * $0.rate) }),
            .duration("longest", \.longest, in: 300...5_000),
            .number("impact", \.impact, "g", .harder, in: 0.5...16),
            .duration("refractory", \.refractory, in: 0...10_000),
            .number("fullStrength", \.fullStrength, "rad/s", .harder, in: { .from($0.rate.nextUp, to: 60) }),
        ]
    }
    var rule: GestureDefinition.Rule { .swing(self) }
    func makeRecognizer() -> any Recognizer { SwingRecognizer(self) }
}
