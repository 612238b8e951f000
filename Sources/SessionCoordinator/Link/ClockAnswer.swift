import WireProtocol

/// What one probe and its answer told: the device's clock minus the host's lies in this interval at this moment.
struct ClockAnswer: Hashable, Sendable {
    /// When the answer came, in nanoseconds on the host's clock.
    var at: Int64
    /// Nanoseconds.
    var offset: Int64
    /// Half the round trip, the grain of the device's clock, and what the clocks may have drifted apart on the way:
    /// nanoseconds, at least 1.
    var halfWidth: Int64

    /// Whether both can be true of clocks that drift apart by at most so much.
    func agrees(with earlier: ClockAnswer, driftingBy bound: Double) -> Bool {
        let drifted = Int64(Double(max(0, at - earlier.at)) * bound)
        let widest = halfWidth.saturatingAdd(earlier.halfWidth).saturatingAdd(drifted)
        return offset.saturatingSubtract(earlier.offset).magnitude <= widest.magnitude
    }
}
