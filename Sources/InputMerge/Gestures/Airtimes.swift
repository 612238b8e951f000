/// How much longer or shorter a player flies than a line through many people's jumps says; kept with the player.
///
/// After each landing the difference is noted; what is announced next is shifted by the median of the last five, the less
/// the fewer there are.
public struct Airtimes: Hashable, Sendable, Codable {
    private static let most = 5
    /// No jump says more, in s.
    private static let furthest = 0.08

    /// Measured minus foretold, in s; the newest last.
    package private(set) var differences: [Double] = []

    /// Of a player who has not jumped yet: nothing is added to the line.
    public init() {}

    /// How many jumps it rests on.
    public var count: Int { differences.count }

    /// What to add to the line, in s.
    public var shift: Double {
        let sorted = differences.sorted()
        guard !sorted.isEmpty else { return 0 }
        let middle = (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
        return middle * Double(sorted.count) / Double(sorted.count + 1)
    }

    /// Nine of ten touchdowns come within so much of what is announced, in s; on recordings of people who jumped without
    /// being told how: a first jump cannot be foretold better.
    public var spread: Double {
        switch count {
        case 0: 0.05
        case 1: 0.045
        default: 0.03
        }
    }

    /// A jump lasted so much longer than the line said, in s. What is no number is left out.
    public mutating func note(_ difference: Double) {
        guard difference.isFinite else { return }
        differences.append(min(max(difference, -Self.furthest), Self.furthest))
        if differences.count > Self.most { differences.removeFirst() }
    }

    private enum Key: String, CodingKey { case differences }

    /// What was stored may have been written by anyone: it is noted anew.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        for difference in try fields.decode([Double].self, forKey: .differences).suffix(Self.most) { note(difference) }
    }
}
