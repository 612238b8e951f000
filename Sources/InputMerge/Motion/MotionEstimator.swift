import WireProtocol

/// Turns one stream's readings into device motion.
///
/// The best evidence wins, reading by reading: an attitude that the controller fused itself, else gyroscope and
/// accelerometer fused here, else the accelerometer alone.
struct MotionEstimator: Sendable {
    /// An orientation and what follows from it, not yet placed on the host's clock.
    struct Estimate: Sendable {
        var attitude: Quaternion
        var gravity: SIMD3<Double>
        var userAcceleration: SIMD3<Double>
        var rotationRate: SIMD3<Double>
        var source: DeviceMotion.Source
    }

    private var filter = SixAxisFilter()
    private var restBias = RestBias()
    private var lowPass = GravityLowPass()
    /// Whether the filter was ever shown which way is up.
    private var knowsUp = false

    /// Moves on by one reading, `interval` seconds after the previous; `nil` for the first one and after a hole.
    mutating func update(_ reading: Reading, interval: Double?) -> Estimate {
        if let attitude = reading.attitude {
            filter.restart(at: attitude)
            knowsUp = true
            return estimate(reading, rotationRate: reading.rotationRate ?? .zero, source: .controller)
        }
        guard let rate = reading.rotationRate else { return accelerationOnly(reading, interval: interval) }
        guard let force = reading.force else {
            if let interval { filter.update(rotationRate: rate, force: nil, interval: interval) }
            return estimate(reading, rotationRate: rate, source: .rotation)
        }
        if interval == nil { restBias.interrupt() }
        restBias.update(rotationRate: rate, force: force, interval: interval ?? 0)
        let unbiased = rate - restBias.bias
        if let interval, knowsUp {
            filter.update(rotationRate: unbiased, force: force, interval: interval)
        } else {
            filter.restart(withUp: force)
            knowsUp = force.length > 1e-6
        }
        return estimate(reading, rotationRate: unbiased, source: .sixAxis)
    }

    private mutating func accelerationOnly(_ reading: Reading, interval: Double?) -> Estimate {
        if let up = lowPass.update(force: reading.force ?? .zero, interval: interval) {
            filter.restart(withUp: up)
            knowsUp = true
        }
        return estimate(reading, rotationRate: .zero, source: .acceleration)
    }

    private func estimate(
        _ reading: Reading, rotationRate: SIMD3<Double>, source: DeviceMotion.Source
    ) -> Estimate {
        let gravity = knowsUp ? -filter.attitude.up : .zero
        var userAcceleration = SIMD3<Double>.zero
        if knowsUp, let force = reading.force { userAcceleration = -force / standardGravity - gravity }
        return Estimate(
            attitude: filter.attitude, gravity: gravity, userAcceleration: userAcceleration,
            rotationRate: rotationRate, source: source)
    }
}
