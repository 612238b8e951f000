import WireProtocol

/// How much later than the quickest of late the host's datagrams come, or a sensor's samples: what they waited, without
/// synchronised clocks.
///
/// The other clock minus ours is not known, but steady: the least difference between arrival and sending stands for no
/// waiting at all. It is that of the last 10 to 20 s in which anything came, as a host whose machine slept goes on with a
/// clock that stands elsewhere.
struct QueueingDelay: Sendable {
    private static let window: Int64 = 10_000_000_000
    private var since: Int64?
    private var least = Int64.max
    private var leastBefore = Int64.max

    /// A datagram or a sample came; both times are nanoseconds, each on the clock of its side.
    ///
    /// - Returns: how long it waited.
    mutating func add(sentAt: Int64, arrivedAt: Int64) -> Duration {
        let difference = arrivedAt.saturatingSubtract(sentAt)
        if let since, arrivedAt.saturatingSubtract(since) < Self.window {
            least = min(least, difference)
        } else {
            // One window at a time: what comes after a long silence is held against what came before it.
            (leastBefore, least, since) = (least, difference, arrivedAt)
        }
        return .nanoseconds(difference.saturatingSubtract(min(least, leastBefore)))
    }
}
