import WireProtocol

/// How long datagrams queue on their way: each one's transit time above the least of the last 20 to 40 seconds.
///
/// Needs no synchronised clocks: whatever the offset is, it cancels out.
package struct TransitMeter: Hashable, Sendable {
    private static let window: Int64 = 20_000_000_000
    private var current: Int64?
    private var previous: Int64?
    private var beganAt: Int64 = 0

    package init() {}

    /// Books a transit time (arrival minus send stamp, two clocks) and returns the queueing part, in nanoseconds.
    package mutating func book(transit: Int64, arrivedAt: Int64) -> Int64 {
        if current == nil || arrivedAt - beganAt > Self.window {
            previous = current
            current = transit
            beganAt = arrivedAt
        } else if let least = current, transit < least {
            current = transit
        }
        let least = min(current ?? transit, previous ?? transit)
        return transit.saturatingSubtract(least)
    }
}
