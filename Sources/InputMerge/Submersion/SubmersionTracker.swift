import WireProtocol

/// Follows a device's measurements, and tells when its state changes.
///
/// No room reads it yet: measurements come neither by wire nor from a file, and no event tells of a change. Issue 19
/// ("Submersion whole") is to do that.
public struct SubmersionTracker: Hashable, Sendable {
    /// A state that began.
    public struct Change: Hashable, Sendable {
        /// The state from now on.
        public var state: SubmersionState
        /// What it rests on.
        public var measurement: SubmersionMeasurement
    }

    /// Where the states begin and end; they stay.
    public let thresholds: SubmersionThresholds
    /// The state as of the newest measurement; out of the water before the first.
    public private(set) var state = SubmersionState.notSubmerged
    /// The measurement that was taken in last; `nil` before the first.
    public private(set) var newest: SubmersionMeasurement?
    /// Within so many m of where a state begins it does not end: waves must not make it flicker.
    private static let hysteresis = 0.05

    /// - Precondition: the thresholds have no ``SubmersionThresholds/problem``.
    public init(thresholds: SubmersionThresholds = SubmersionThresholds()) {
        precondition(thresholds.problem == nil, thresholds.problem ?? "")
        self.thresholds = thresholds
    }

    /// The change that the next measurement makes, if it makes one; one that is not later than the newest is ignored.
    public mutating func update(_ measurement: SubmersionMeasurement) -> Change? {
        if let newest, measurement.sampledAt <= newest.sampledAt { return nil }
        let measurement = measurement.checked(thresholds)
        newest = measurement
        let next = SubmersionState(measurement, thresholds: thresholds)
        guard next != state, !isHovering(measurement, from: state, to: next) else { return nil }
        state = next
        return Change(state: next, measurement: measurement)
    }

    /// Whether a rise is too small to count; going deeper counts at once.
    private func isHovering(
        _ measurement: SubmersionMeasurement, from old: SubmersionState, to new: SubmersionState
    ) -> Bool {
        guard measurement.error == nil, let depth = measurement.depth else { return false }
        var deeper = measurement
        deeper.depth = depth + Self.hysteresis
        return SubmersionState(deeper, thresholds: thresholds) == old && rank(new) < rank(old)
    }

    private func rank(_ state: SubmersionState) -> Int { SubmersionState.allCases.firstIndex(of: state) ?? 0 }
}
