import WireProtocol

/// Carries one stream's samples, already in order, to device motion: refuses the absurd, fills short gaps, starts over
/// after long ones.
struct MotionLane: Sendable {
    /// What one sample led to.
    struct Step: Sendable {
        var motion: DeviceMotion
        /// Nanoseconds since the sample before by the device's clock; `nil` for the first one and after a hole.
        var interval: Int64?
        var followsHole: Bool
    }

    /// How long after a hole the motion is called degraded, in ns.
    private static let recovery: Int64 = 1_000_000_000
    /// A device clock that steps back by as much was set anew; by less, the sample is a stray. In ns.
    private static let clockStep: Int64 = 1_000_000_000

    let declaration: StreamDeclaration
    /// The time between two samples as declared, in ns.
    let nominalInterval: Int64
    var clock = StreamClock()
    private(set) var tally = StreamTally()
    private(set) var newest: DeviceMotion?

    private let longestBridge: Int64
    private let mostBridged: UInt64
    private var estimator: MotionEstimator
    private var previous: (index: UInt64, reading: Reading)?
    private var holeEndedAt: DeviceTime?

    /// A gap of at most `longestBridge` is filled, with at most `mostBridged` samples.
    init(
        declaration: StreamDeclaration, longestBridge: Duration, mostBridged: Int,
        orientation: OrientationMethod = .handheld
    ) {
        self.declaration = declaration
        estimator = MotionEstimator(orientation, interval: 1 / declaration.nominalRate)
        self.longestBridge = longestBridge.wholeNanoseconds
        self.mostBridged = UInt64(mostBridged)
        nominalInterval = Int64(exactly: (1e9 / declaration.nominalRate).rounded()) ?? 0
    }

    /// Feeds the next sample; `nil` when it was refused.
    mutating func take(_ arrival: Timeline.Arrival) -> Step? {
        guard let reading = Reading(arrival.sample, of: declaration) else {
            tally.absurd += 1
            return nil
        }
        guard let (index, before) = previous else { return feed(reading, of: arrival, interval: nil) }
        let elapsed = reading.sampledAt.nanoseconds.saturatingSubtract(before.sampledAt.nanoseconds)
        if elapsed <= 0, elapsed > -Self.clockStep {
            tally.backwards += 1
            return nil
        }
        let missing = arrival.index - index - 1
        if isHole(elapsed, missing: missing) {
            tally.holes += 1
            holeEndedAt = reading.sampledAt
            return feed(reading, of: arrival, interval: nil)
        }
        let steps = min(missing, mostBridged) + 1
        bridge(from: before, to: reading, steps: steps, interval: Double(elapsed) / 1e9 / Double(steps))
        return feed(reading, of: arrival, interval: elapsed, steps: steps)
    }

    mutating func noteLate() { tally.late += 1 }

    /// A slow stream has long intervals without a hole; a step back of the clock is always one.
    private func isHole(_ elapsed: Int64, missing: UInt64) -> Bool {
        if elapsed <= 0 { return true }
        return elapsed > longestBridge && (missing > 0 || elapsed / 5 > nominalInterval / 2)
    }

    /// Shows the estimator what the missing samples probably were: evenly spaced, on a straight line.
    private mutating func bridge(from before: Reading, to after: Reading, steps: UInt64, interval: Double) {
        guard steps > 1 else { return }
        for step in 1..<steps {
            let between = before.interpolated(to: after, fraction: Double(step) / Double(steps))
            _ = estimator.update(between, interval: interval)
        }
        tally.interpolated += steps - 1
    }

    /// `interval` nanoseconds were covered in `steps`, the last of which is this reading.
    private mutating func feed(
        _ reading: Reading, of arrival: Timeline.Arrival, interval: Int64?, steps: UInt64 = 1
    ) -> Step {
        let estimate = estimator.update(reading, interval: interval.map { Double($0) / 1e9 / Double(steps) })
        let occurredAt = clock.occurredAt(sampledAt: reading.sampledAt, arrivedAt: arrival.arrivedAt)
        let motion = DeviceMotion(
            sampledAt: reading.sampledAt, occurredAt: occurredAt, attitude: estimate.attitude,
            gravity: estimate.gravity, userAcceleration: estimate.userAcceleration,
            rotationRate: estimate.rotationRate, source: estimate.source,
            isDegraded: estimate.source != .controller && isRecovering(at: reading.sampledAt))
        let followsHole = previous != nil && interval == nil
        previous = (arrival.index, reading)
        newest = motion
        tally.fed += 1
        return Step(motion: motion, interval: interval, followsHole: followsHole)
    }

    private func isRecovering(at time: DeviceTime) -> Bool {
        guard let holeEndedAt else { return false }
        return time.nanoseconds.saturatingSubtract(holeEndedAt.nanoseconds) < Self.recovery
    }
}
