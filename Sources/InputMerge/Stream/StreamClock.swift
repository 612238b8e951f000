import WireProtocol

/// Tells when a stream's samples occurred, on the host's clock, never running backwards.
struct StreamClock: Sendable {
    /// `nil` while nothing is known: then arrival times stand in.
    var mapping: ClockMapping?
    private(set) var latest: HostTime?

    /// How far a time mapped to this moment may be wrong either way; `nil` while the clock was not measured.
    func uncertaintyNanoseconds(at time: HostTime) -> Int64? {
        guard let mapping, mapping.state != .none else { return nil }
        return mapping.uncertaintyNanoseconds(at: time)
    }

    /// How far the time that was told for a sample may be wrong either way; `nil` while the clock was not measured. What was
    /// kept from running backwards, or ahead of its arrival, is wrong by as much more.
    func uncertaintyNanoseconds(of sampledAt: DeviceTime, toldAs time: HostTime) -> Int64? {
        guard let mapping, let own = uncertaintyNanoseconds(at: time) else { return nil }
        return own.saturatingAdd(time.distance(to: mapping.hostTime(of: sampledAt)).wholeNanoseconds)
    }

    /// When a sample occurred at the latest, however wrong the mapping may be within its uncertainty.
    func latestOccurrence(_ sampledAt: DeviceTime, _ arrivedAt: HostTime) -> HostTime {
        guard let mapping else { return arrivedAt }
        // Before anything was measured a mapping takes the way here for nothing: what it tells lies too early by no more
        // than the clocks have drifted apart since, 200 ppm at most.
        let age = arrivedAt.nanoseconds.saturatingSubtract(mapping.hostAnchor.nanoseconds)
        let uncertainty = uncertaintyNanoseconds(at: arrivedAt) ?? max(0, age / 5_000)
        return min(arrivedAt, mapping.hostTime(of: sampledAt) + .nanoseconds(uncertainty))
    }

    /// When the sample occurred: not after it arrived, and not before the sample that precedes it.
    ///
    /// The second holds when the mapping is updated; the first, when a device's clock jumps ahead.
    mutating func occurredAt(sampledAt: DeviceTime, arrivedAt: HostTime) -> HostTime {
        var time = arrivedAt
        if let mapping { time = min(time, mapping.hostTime(of: sampledAt)) }
        if let latest { time = max(time, latest) }
        latest = time
        return time
    }
}
