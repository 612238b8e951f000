/// A gesture that a player showed: its name and the examples.
public struct TaughtGesture: Hashable, Sendable, Codable {
    /// More would slow recognition without making it better.
    public static let mostExamples = 16

    /// The name that its events bear.
    public var kind: GestureKind
    /// What the player showed, at least one and at most ``mostExamples``.
    public var examples: [MotionTrace]
    /// What was taken for it, and was not it, as the player said; the newest last, ``mostCounterExamples`` at most.
    public private(set) var counterExamples: [MotionTrace] = []

    /// So many counter-examples are kept; the oldest go first.
    public static let mostCounterExamples = 8

    /// A gesture as it was shown; ``problem`` says whether it can be recognised.
    public init(_ kind: GestureKind, examples: [MotionTrace]) {
        self.kind = kind
        self.examples = examples
    }

    /// What is like this is not the gesture.
    public mutating func refuse(_ trace: MotionTrace) {
        counterExamples.append(trace)
        counterExamples.removeFirst(max(0, counterExamples.count - Self.mostCounterExamples))
    }

    /// Why this cannot be recognised, in words; `nil` when it can.
    public var problem: String? {
        if kind.rawValue.isEmpty { return "a gesture needs a name" }
        if examples.isEmpty { return "\(kind.rawValue): there is no example" }
        if examples.count > Self.mostExamples {
            return "\(kind.rawValue): \(examples.count) examples are more than \(Self.mostExamples)"
        }
        return (examples + counterExamples).allSatisfy(\.isUsable) && counterExamples.count <= Self.mostCounterExamples
            ? nil : "\(kind.rawValue): an example is damaged"
    }
}

extension TaughtGesture {
    private enum Key: String, CodingKey { case kind, examples, counterExamples }

    /// What was stored before there were counter-examples has none.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        kind = try fields.decode(GestureKind.self, forKey: .kind)
        examples = try fields.decode([MotionTrace].self, forKey: .examples)
        counterExamples = try fields.decodeIfPresent([MotionTrace].self, forKey: .counterExamples) ?? []
    }

    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Key.self)
        try fields.encode(kind, forKey: .kind)
        try fields.encode(examples, forKey: .examples)
        if !counterExamples.isEmpty { try fields.encode(counterExamples, forKey: .counterExamples) }
    }
}
