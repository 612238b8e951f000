/// What an emulated link did so far, counted exactly: the witness to compare the books of both ends with.
///
/// The law, at every moment: `sent + duplicated == down + lost + delivered + inFlight`.
public struct LinkCounters: Hashable, Sendable {
    /// Datagrams handed to the link.
    public var sent = 0
    /// Second copies made.
    public var duplicated = 0
    /// Datagrams refused because the link was down.
    public var down = 0
    /// Datagrams lost on the way, the overflowed among them.
    public var lost = 0
    /// Datagrams lost because the bottleneck's queue was full.
    public var overflowed = 0
    /// Copies handed out, whole or not.
    public var delivered = 0
    /// Copies handed out with a bit flipped.
    public var corrupted = 0
    /// Datagrams of which a whole copy was handed out: what an honest receiver counts as unique.
    public var unique = 0
    /// The unique ones that arrived whole after a whole one that was sent later (RFC 4737).
    public var reordered = 0
    /// Whole copies handed out after the first: what an honest receiver counts as duplicate.
    public var repeated = 0
    /// Copies on their way.
    public var inFlight = 0

    public init() {}

    /// Whether every datagram is in exactly one class, and so is every copy that was handed out.
    public var isBalanced: Bool {
        sent + duplicated == down + lost + delivered + inFlight && delivered == corrupted + unique + repeated
            && overflowed <= lost && reordered <= unique
    }

    /// Two directions, or many links, as one.
    public static func + (a: LinkCounters, b: LinkCounters) -> LinkCounters {
        var sum = a
        for counter in all { sum[keyPath: counter] += b[keyPath: counter] }
        return sum
    }

    private static var all: [WritableKeyPath<LinkCounters, Int>] {
        [
            \.sent, \.duplicated, \.down, \.lost, \.overflowed, \.delivered, \.corrupted, \.unique, \.reordered,
            \.repeated, \.inFlight,
        ]
    }
}
