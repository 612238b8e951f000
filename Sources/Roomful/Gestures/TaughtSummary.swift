/// A gesture that a player taught, as operators see it.
public struct TaughtSummary: Hashable, Sendable, Codable {
    /// The player's number, from 1.
    public var player: Int
    public var gesture: String
    /// How many examples were shown.
    public var examples: Int
    /// How long they took in the mean, in s.
    public var seconds: Double
}
