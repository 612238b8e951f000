/// Nothing holds the device: it was dropped or thrown.
///
/// ```
/// |force|  1 g ──╮      ╭─ 1 g ─╮   ╭──
///                │      │       ╰╮ ╱
///          0.3 g ┼──────┼────────╲╱────
///                ╰──────╯         V
///                a fall is flat   a step is not
/// ```
public struct FreeFallRule: Hashable, Sendable {
    /// Below this force it falls, in g: 0.1 to 0.8.
    public var force: Double
    /// For so long before it counts: 30 to 500 ms.
    public var shortest: Duration
    /// Interruptions up to so long, as by a spin, belong to the fall: 0 to 100 ms.
    public var tolerance: Duration
    /// In the last four fifths of that no axis of the force may range over more, in g: 0.02 to 1. Who falls for 200 ms may
    /// tumble, and range over twice as much. Runners fly, too, and are never as steady.
    public var steadiness: Double
    /// A fall from so high has strength 1, in m: 0.05 to 20.
    public var fullHeight: Double

    /// The defaults are those of ``GestureDefinition/freeFall``; ``GestureDefinition/problem`` names what is out of its
    /// range.
    public init(
        force: Double = 0.3, shortest: Duration = .milliseconds(50), tolerance: Duration = .milliseconds(25),
        steadiness: Double = 0.05, fullHeight: Double = 2
    ) {
        self.force = force
        self.shortest = shortest
        self.tolerance = tolerance
        self.steadiness = steadiness
        self.fullHeight = fullHeight
    }
}

extension FreeFallRule: GestureRule {
    static var parameters: [RuleParameter<Self>] {
        [
            .number("force", \.force, "g", .easier, in: 0.1...0.8),
            .duration("shortest", \.shortest, .harder, in: 30...500),
            .duration("tolerance", \.tolerance, in: 0...100),
            .number("steadiness", \.steadiness, "g", .easier, in: 0.02...1),
            .number("fullHeight", \.fullHeight, "m", in: 0.05...20),
        ]
    }
    var rule: GestureDefinition.Rule { .freeFall(self) }
    func makeRecognizer() -> any Recognizer { FreeFallRecognizer(self) }
}
