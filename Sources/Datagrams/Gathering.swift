package import WireProtocol

/// Whether a thread lets what arrives gather for a moment before it reads: a room's, and each that reads connections.
///
/// To wake up costs more than to read one datagram. Where so many speak that several come within the moment, they are read
/// together; where few do, each is read as it comes.
package struct Gathering: Sendable {
    /// So many must be likely to come while it waits.
    private static let fewest = 3.0
    /// For how long arrivals are counted before the rate is believed.
    private static let period: Int64 = 20_000_000

    /// At most so long; zero for never.
    package let window: Int64
    private var countedSince: HostTime
    private var countedFrom: UInt64 = 0
    private var isWorthwhile = false

    package init(atMost window: Duration, now: HostTime) {
        self.window = window.wholeNanoseconds
        countedSince = now
    }

    /// How long to wait before what came is read, in nanoseconds; `nil` for not at all.
    ///
    /// - Parameters:
    ///   - arrived: datagrams that were ever handed over.
    ///   - isBehind: more of them waited than were read. What waits is not waited for: a flood is given no time to fill the
    ///     socket.
    package mutating func pause(arrived: UInt64, isBehind: Bool, now: HostTime) -> Int64? {
        guard window > 0 else { return nil }
        let elapsed = (now - countedSince).wholeNanoseconds
        if elapsed >= Self.period {
            // As floating point: no count overflows.
            let expected = Double(arrived &- countedFrom) * Double(window) / Double(elapsed)
            isWorthwhile = expected >= Self.fewest
            (countedSince, countedFrom) = (now, arrived)
        }
        return isWorthwhile && !isBehind ? window : nil
    }
}
