/// What one evening was, and which laws it broke.
public struct EveningReport: Hashable, Sendable {
    public var seed: UInt64
    /// Sentences, in the order in which they came to light; empty when every law held. At most 50.
    public internal(set) var violations: [String] = []
    /// How often each thing happened, by its name.
    public internal(set) var counts: [String: Int] = [:]
    /// Of everything that left the host, events and datagrams: the same seed gives the same.
    public internal(set) var digest: UInt64 = 0
    /// How long the evening lasted by its own clock.
    public internal(set) var duration: Duration = .zero
    public internal(set) var controllers = 0

    mutating func note(_ what: String, _ count: Int = 1) { counts[what, default: 0] += count }

    mutating func broken(_ law: String) {
        if violations.count < 50 { violations.append(law) }
    }
}
