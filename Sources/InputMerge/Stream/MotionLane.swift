import WireProtocol

/// Carries one stream's samples, already in order, to device motion: refuses the absurd, fills short gaps, starts over
/// after long ones.
struct MotionLane: Sendable {
    /// What one sample led to, beside ``MotionLane/current``.
    struct Step: Sendable {
        /// Nanoseconds since the sample before by the device's clock; `nil` for the first one and after a hole.
        var interval: Int64?
        var followsHole: Bool
    }

    /// How long after a hole the motion is called degraded, in ns.
    private static let recovery: Int64 = 1_000_000_000
    /// A device clock that steps back by as much was set anew; by less, the sample may be a stray. In ns.
    private static let clockStep: Int64 = 1_000_000_000
    /// No stream's samples lie further apart, in ns.
    private static let longestInterval: Int64 = 10_000_000_000

    let declaration: StreamDeclaration
    private let limits: Reading.Limits
    /// Whether its samples say how the device moves.
    let measuresMotion: Bool
    /// The time between two samples as declared, in ns.
    let nominalInterval: Int64
    var clock = StreamClock()
    private(set) var tally = StreamTally()
    /// When the newest of the samples was taken that were too old to be acted on.
    private(set) var refusedAt: HostTime?
    /// The device motion of the last sample that was fed; it says nothing before the first. Asked here, and not handed on
    /// from step to step, as it is a large thing.
    private(set) var current = DeviceMotion.none
    /// The same, once there is one; `nil` of a stream that says nothing of how the device moves.
    var newest: DeviceMotion? { measuresMotion && tally.fed > 0 ? current : nil }
    /// What blends with other controllers' motion.
    private(set) var steady = SteadyMotion()
    private var lowPass: AccelerationLowPass
    var watch: SensorWatch
    /// Samples made up since this was last asked.
    private var bridged = 0

    private let longestBridge: Int64
    private let mostBridged: UInt64
    private var estimator: MotionEstimator
    /// The latest that was fed; empty before the first. Looked at where it lies: it is a large thing to take out.
    private var latest = Reading(sampledAt: DeviceTime(nanoseconds: 0))
    /// Its index; `nil` before the first.
    private var latestIndex: UInt64?
    /// How the device turned one reading before that, if no hole lies between and it was measured.
    private var earlierTurn: Reading.Turn?
    /// The sample before was refused as a stray, of this moment.
    private var strayAt: DeviceTime?
    /// The end of the latest hole, or when the gyroscope was last at its range.
    private var doubtedAt: DeviceTime?
    /// The time between two samples as it mostly is, in ns: declarations may be wrong.
    private(set) var usualInterval: Int64

    /// A gap of at most `longestBridge` is filled, with at most `mostBridged` samples.
    init(
        declaration: StreamDeclaration, longestBridge: Duration, mostBridged: Int,
        orientation: OrientationMethod = .handheld, lowPassFactor: Double = 1
    ) {
        self.declaration = declaration
        limits = Reading.Limits(declaration)
        measuresMotion = declaration.measuresMotion
        lowPass = AccelerationLowPass(factor: lowPassFactor)
        estimator = MotionEstimator(orientation, interval: 1 / declaration.nominalRate)
        watch = SensorWatch(declaration)
        self.longestBridge = longestBridge.wholeNanoseconds
        self.mostBridged = UInt64(mostBridged)
        usualInterval = Int64(exactly: (1e9 / declaration.nominalRate).rounded()) ?? 0
        nominalInterval = Int64(exactly: (1e9 / declaration.nominalRate).rounded()) ?? 0
    }

    /// Feeds the next sample; `nil` when it was refused.
    mutating func take(_ arrival: Timeline.Arrival) -> Step? {
        guard let reading = Reading(arrival.sample, within: limits) else {
            tally.absurd += 1
            watch.noteAbsurd()
            return nil
        }
        guard let index = latestIndex else { return feed(reading, of: arrival, interval: nil) }
        let elapsed = reading.sampledAt.nanoseconds.saturatingSubtract(latest.sampledAt.nanoseconds)
        if elapsed <= 0, elapsed > -Self.clockStep, strayAt.map({ reading.sampledAt <= $0 }) ?? true {
            // One alone is a stray; of two in their order the second shows that the clock was set.
            strayAt = reading.sampledAt
            tally.backwards += 1
            return nil
        }
        strayAt = nil
        let missing = arrival.index - index - 1
        let isTooLong = Self.isHole(
            elapsed, missing: missing, longest: longestBridge, usual: max(nominalInterval, usualInterval))
        if missing == 0, elapsed > 0 { noteInterval(elapsed) }
        if isTooLong {
            tally.holes += 1
            doubtedAt = reading.sampledAt
            return feed(reading, of: arrival, interval: nil, hole: elapsed > 0 ? Double(elapsed) / 1e9 : nil)
        }
        let skipped = elapsed <= longestBridge ? Self.skipped(in: elapsed, usual: usualInterval) : 0
        let steps = min(missing > 0 ? missing : skipped, mostBridged) + 1
        if missing > 0 { tally.interpolated += steps - 1 }
        bridge(to: reading, steps: steps, interval: Double(elapsed) / 1e9 / Double(steps))
        return feed(reading, of: arrival, interval: elapsed, steps: steps)
    }

    /// Whatever times a guest makes up, this stays within what streams may declare: 0.1 Hz at the slowest.
    private mutating func noteInterval(_ elapsed: Int64) {
        let believed = min(elapsed, 4 * usualInterval, Self.longestInterval)
        usualInterval += (believed - usualInterval) / 8
    }

    mutating func noteLate() { tally.late += 1 }

    /// A sample of this moment is too old to be acted on.
    mutating func noteRefused(_ sampledAt: DeviceTime, _ arrivedAt: HostTime) {
        noteLate()
        let occurred = clock.latestOccurrence(sampledAt, arrivedAt)
        refusedAt = max(refusedAt ?? occurred, occurred)
    }

    /// What was made up in this lane's place before, and not asked for yet.
    mutating func inheritBridged(of other: inout MotionLane) { bridged += other.takeBridged() }

    /// How many samples were made up since this was last asked.
    mutating func takeBridged() -> Int {
        defer { bridged = 0 }
        return bridged
    }

    /// A slow stream has long intervals without a hole; a step back of the clock is always one.
    ///
    /// Static, as what follows: a lane is too large to be handed over for each sample.
    private static func isHole(_ elapsed: Int64, missing: UInt64, longest: Int64, usual: Int64) -> Bool {
        if elapsed <= 0 { return true }
        return elapsed > longest && (missing > 0 || elapsed / 5 > usual / 2)
    }

    /// How many samples the sensor itself left out, as far as the time stamps show it.
    private static func skipped(in elapsed: Int64, usual: Int64) -> UInt64 {
        guard elapsed / 8 > usual / 5 else { return 0 }
        return UInt64(max((elapsed + usual / 2) / max(usual, 1) - 1, 0))
    }

    /// Shows the estimator what the missing samples probably were: evenly spaced, on a smooth line.
    private mutating func bridge(to after: Reading, steps: UInt64, interval: Double) {
        guard steps > 1, measuresMotion else { return }
        bridged += Int(steps - 1)
        for step in 1..<steps {
            let fraction = Double(step) / Double(steps)
            let between = latest.interpolated(to: after, fraction: fraction, after: earlierTurn)
            _ = estimator.update(between, interval: interval)
        }
    }

    /// `interval` nanoseconds were covered in `steps`, the last of which is this reading; or a hole of so many seconds was
    /// not.
    private mutating func feed(
        _ reading: Reading, of arrival: Timeline.Arrival, interval: Int64?, steps: UInt64 = 1, hole: Double? = nil
    ) -> Step {
        watch.look(at: reading, differs: latestIndex != nil && !latest.hasSameAxes(as: reading))
        if watch.isRotationSaturated { doubtedAt = reading.sampledAt }
        let estimate = estimator.update(
            reading, interval: interval.map { Double($0) / 1e9 / Double(steps) }, hole: hole)
        let occurredAt = clock.occurredAt(sampledAt: reading.sampledAt, arrivedAt: arrival.arrivedAt)
        lowPass.update(estimate.userAcceleration, elapsed: interval.map { Double($0) / 1e9 })
        current = DeviceMotion(
            sampledAt: reading.sampledAt, occurredAt: occurredAt, attitude: estimate.attitude,
            gravity: estimate.gravity, userAcceleration: estimate.userAcceleration,
            rotationRate: estimate.rotationRate, source: estimate.source,
            isDegraded: estimate.source != .controller && Self.isRecovering(doubtedAt, at: reading.sampledAt),
            location: declaration.location, lowPassedAcceleration: lowPass.value, lowPassFactor: lowPass.factor)
        let followsHole = latestIndex != nil && interval == nil
        earlierTurn = interval == nil ? nil : latest.turn
        latest = reading
        latestIndex = arrival.index
        // Buttons alone say nothing of how the device moves.
        if measuresMotion { steady.update(current, elapsed: interval.map { Double($0) / 1e9 }) }
        tally.fed += 1
        return Step(interval: interval, followsHole: followsHole)
    }

    private static func isRecovering(_ doubtedAt: DeviceTime?, at time: DeviceTime) -> Bool {
        guard let doubtedAt else { return false }
        return time.nanoseconds.saturatingSubtract(doubtedAt.nanoseconds) < recovery
    }
}

extension DeviceMotion {
    /// That of nothing, before the first sample.
    fileprivate static let none = DeviceMotion(
        sampledAt: DeviceTime(nanoseconds: 0), occurredAt: HostTime(nanoseconds: 0), attitude: .identity,
        gravity: .zero, userAcceleration: .zero, rotationRate: .zero, source: .controller)
}
