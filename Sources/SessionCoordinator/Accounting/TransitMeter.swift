import WireProtocol

/// How long datagrams queue on their way: each one's transit time above the least of the last 20 to 40 seconds.
///
/// Needs no synchronised clocks: whatever the offset is, it cancels out. What the clocks drift apart meanwhile does not:
/// the least rises by as much, else that would be taken for queueing.
package struct TransitMeter: Hashable, Sendable {
    private static let window: Int64 = 20_000_000_000
    private var current: Int64?
    private var previous: Int64?
    private var beganAt: Int64 = 0
    private var bookedAt: Int64 = 0

    package init() {}

    /// Books a transit time (arrival minus send stamp, two clocks) and returns the queueing part, in nanoseconds.
    ///
    /// - Parameter rise: by how much, at most, transit times grow with each nanosecond by the clocks' drift alone.
    package mutating func book(transit: Int64, arrivedAt: Int64, rise: Double) -> Int64 {
        let drift = Int64(saturating: Double(max(0, arrivedAt.saturatingSubtract(bookedAt))) * rise)
        bookedAt = arrivedAt
        current = current?.saturatingAdd(drift)
        previous = previous?.saturatingAdd(drift)
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
