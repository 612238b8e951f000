/// A push-off, then flight, then a landing: what a body does that leaves the ground.
///
/// ```
/// |force|   3 g        push-off                 landing
///                     ╱▔▔▔╲                    ╱▔▔▔╲
///           1 g ─────╱     ╲                  ╱     ╲────
///                           ╲▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁╱
///                            flight   ↑ began ↑ ended, with height
/// ```
/// The defaults lie amid a plateau: on recordings of jumps, gaits and falls, each may move by a tenth without a jump
/// lost or invented.
public struct JumpRule: Hashable, Sendable {
    /// Below this force the body flies, in g: 0.3 to 0.9.
    public var flight: Double
    /// Flies for so long before a jump from standing begins: 80 to 400 ms.
    public var minimumFlight: Duration
    /// The same among steps, and within ``stride`` of another flight: 80 to 500 ms. No runner flies for 250 ms.
    public var runningFlight: Duration
    /// A flight that follows another so soon may be a runner's: 0 to 1 s; with 0 nobody walks or runs.
    public var stride: Duration
    /// The force that must have come within 600 ms before the flight, in g: 1.1 to 8.
    public var push: Double
    /// A device that turns faster was thrown, in rad/s: 1 to 30.
    public var spin: Double
    /// Interruptions of the flight up to so long count as flight: 0 to 100 ms.
    public var tolerance: Duration
    /// Above this force it has landed, in g: 1.1 to 6.
    public var landing: Double
    /// Does not begin again for so long after a beginning: 0 to 10 s.
    public var refractory: Duration
    /// Who has not landed by then did not jump: 300 ms to 2 s.
    public var longestFlight: Duration
    /// A jump so high has strength 1, in m: 0.05 to 2.
    public var fullHeight: Double

    /// The defaults are those of ``GestureDefinition/jump``; ``GestureDefinition/problem`` names what is out of its
    /// range.
    public init(
        flight: Double = 0.65, minimumFlight: Duration = .milliseconds(170),
        runningFlight: Duration = .milliseconds(250), stride: Duration = .milliseconds(450), push: Double = 1.7,
        spin: Double = 5, tolerance: Duration = .milliseconds(60), landing: Double = 1.5,
        refractory: Duration = .milliseconds(400), longestFlight: Duration = .milliseconds(700),
        fullHeight: Double = 0.4
    ) {
        self.flight = flight
        self.minimumFlight = minimumFlight
        self.runningFlight = runningFlight
        self.stride = stride
        self.push = push
        self.spin = spin
        self.tolerance = tolerance
        self.landing = landing
        self.refractory = refractory
        self.longestFlight = longestFlight
        self.fullHeight = fullHeight
    }
}

extension JumpRule: GestureRule {
    static var parameters: [RuleParameter<Self>] {
        [
            .number("flight", \.flight, "g", .easier, in: 0.3...0.9),
            .duration("minimumFlight", \.minimumFlight, .harder, in: 80...400),
            .duration("runningFlight", \.runningFlight, .harder, in: 80...500),
            .duration("stride", \.stride, in: 0...1_000),
            .number("push", \.push, "g", .harder, in: 1.1...8),
            .number("spin", \.spin, "rad/s", .easier, in: 1...30),
            .duration("tolerance", \.tolerance, in: 0...100),
            .number("landing", \.landing, "g", in: 1.1...6),
            .duration("refractory", \.refractory, in: 0...10_000),
            .duration("longestFlight", \.longestFlight, in: 300...2_000),
            .number("fullHeight", \.fullHeight, "m", in: 0.05...2),
        ]
    }
    var rule: GestureDefinition.Rule { .jump(self) }
    func makeRecognizer() -> any Recognizer { JumpRecognizer(self) }
}
