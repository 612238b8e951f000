import WireProtocol

/// How many marks the host takes: what a controller says beyond that is dropped there, and its program would not hear of it.
struct MarkAllowance: Sendable {
    private var left = Double(WireFormat.mostMarksAtOnce)
    private var filledAt: DeviceTime?

    /// Takes one if there is one.
    mutating func take(at now: DeviceTime) -> Bool {
        let elapsed = filledAt.map { max(0, (now - $0) / .seconds(1)) } ?? 0
        left = min(left + elapsed * WireFormat.marksPerSecond, Double(WireFormat.mostMarksAtOnce))
        filledAt = now
        guard left >= 1 else { return false }
        left -= 1
        return true
    }
}
