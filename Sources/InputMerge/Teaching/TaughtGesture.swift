/// A gesture that a player showed: its name and the examples.
public struct TaughtGesture: Hashable, Sendable, Codable {
    /// More would slow recognition without making it better.
    public static let mostExamples = 16

    public var kind: GestureKind
    public var examples: [MotionTrace]

    public init(_ kind: GestureKind, examples: [MotionTrace]) {
        self.kind = kind
        self.examples = examples
    }

    /// Why this cannot be recognised, in words; `nil` when it can.
    public var problem: String? {
        if kind.rawValue.isEmpty { return "a gesture needs a name" }
        if examples.isEmpty { return "\(kind.rawValue): there is no example" }
        if examples.count > Self.mostExamples {
            return "\(kind.rawValue): \(examples.count) examples are more than \(Self.mostExamples)"
        }
        return examples.allSatisfy(\.isUsable) ? nil : "\(kind.rawValue): an example is damaged"
    }
}
