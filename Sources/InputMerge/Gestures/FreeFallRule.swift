/// Nothing holds the device: it was dropped or thrown.
public struct FreeFallRule: Hashable, Sendable {
    /// Below this force it falls, in g: 0.1 to 0.8.
    public var force: Double
    /// For so long before it counts: 20 to 500 ms.
    public var shortest: Duration
    /// Interruptions up to so long, as by a spin, belong to the fall: 0 to 100 ms.
    public var tolerance: Duration
    /// A fall from so high has strength 1, in m: 0.05 to 20.
    public var fullHeight: Double

    public init(
        force: Double = 0.4, shortest: Duration = .milliseconds(40), tolerance: Duration = .milliseconds(25),
        fullHeight: Double = 2
    ) {
        self.force = force
        self.shortest = shortest
        self.tolerance = tolerance
        self.fullHeight = fullHeight
    }
}

extension FreeFallRule: GestureRule {
    static var parameters: [RuleParameter<Self>] {
        [
            .number("force", \.force, "g", .easier, in: 0.1...0.8),
            .duration("shortest", \.shortest, .harder, in: 20...500),
            .duration("tolerance", \.tolerance, in: 0...100),
            .number("fullHeight", \.fullHeight, "m", in: 0.05...20),
        ]
    }
    var rule: GestureDefinition.Rule { .freeFall(self) }
    func makeRecognizer() -> any Recognizer { FreeFallRecognizer(self) }
}
