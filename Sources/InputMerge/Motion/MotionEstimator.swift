import WireProtocol

/// Turns one stream's readings into device motion.
///
/// The best evidence wins, reading by reading: an attitude that the controller fused itself, else gyroscope and
/// accelerometer fused here, else the accelerometer alone.
package struct MotionEstimator: Sendable {
    /// An orientation and what follows from it, not yet placed on the host's clock.
    package struct Estimate: Sendable {
        package var attitude: Quaternion
        package var gravity: SIMD3<Double>
        var userAcceleration: SIMD3<Double>
        var rotationRate: SIMD3<Double>
        var source: DeviceMotion.Source
        /// One standard deviation of the gyroscope's bias in rad/s; `nil` where none is estimated.
        var biasSigma: Double?
        var isResting = false
    }

    private let method: OrientationMethod
    /// Attitudes that lie closer say nothing of how fast the device turns: their stamps may be a batch's. In s.
    private let leastInterval: Double
    private var vqf: SteadyVQF
    private var madgwick = MadgwickFilter()
    private var lowPass = GravityLowPass()
    /// Whether the filter was ever shown which way is up.
    private var knowsUp = false

    /// `interval` between samples as declared, in s.
    package init(_ method: OrientationMethod = .handheld, interval: Double) {
        self.method = method
        leastInterval = interval / 2
        vqf = SteadyVQF(method == .published ? .published : .handheld, interval: interval)
    }

    /// Moves on by one reading, `interval` seconds after the previous; `nil` for the first one and after a hole, which
    /// lasted `hole` seconds if that is known.
    package mutating func update(_ reading: Reading, interval: Double?, hole: Double? = nil) -> Estimate {
        if let attitude = reading.attitude {
            // What a controller does not say of how fast it turns, its attitudes do.
            let isTold = reading.rotationRate != nil || !knowsUp
            let turned = isTold ? nil : attitude.rate(since: self.attitude, interval.map { max($0, leastInterval) })
            restart(at: attitude)
            return Self.estimate(
                reading, attitude: self.attitude, knowsUp: knowsUp,
                rotationRate: reading.rotationRate ?? turned ?? .zero, source: .controller)
        }
        guard let rate = reading.rotationRate else { return accelerationOnly(reading, interval: interval) }
        if interval == nil, knowsUp {
            if method == .madgwick { madgwick.interrupt(lasting: hole) } else { vqf.interrupt(lasting: hole) }
        }
        if method == .madgwick {
            madgwick.update(rotationRate: rate, force: reading.force, interval: interval ?? 0)
        } else {
            vqf.update(rotationRate: rate, force: reading.force, interval: interval ?? 0)
        }
        guard let force = reading.force else {
            return Self.estimate(
                reading, attitude: attitude, knowsUp: knowsUp, rotationRate: rate, source: .rotation)
        }
        if !knowsUp { knowsUp = force.length > 1e-6 }
        var result = Self.estimate(
            reading, attitude: attitude, knowsUp: knowsUp,
            rotationRate: rate - (method == .madgwick ? madgwick.bias : vqf.bias), source: .sixAxis)
        result.biasSigma = method == .madgwick ? madgwick.biasSigma : vqf.biasSigma
        result.isResting = method == .madgwick ? madgwick.isResting : vqf.isResting
        return result
    }

    private var attitude: Quaternion { method == .madgwick ? madgwick.attitude : vqf.attitude }

    private mutating func restart(at attitude: Quaternion) {
        if method == .madgwick { madgwick.restart(at: attitude) } else { vqf.restart(at: attitude) }
        knowsUp = true
    }

    private mutating func accelerationOnly(_ reading: Reading, interval: Double?) -> Estimate {
        if let up = lowPass.update(force: reading.force ?? .zero, interval: interval) {
            restart(at: attitude.aligned(withUp: up))
        }
        return Self.estimate(
            reading, attitude: attitude, knowsUp: knowsUp, rotationRate: .zero, source: .acceleration)
    }

    /// Takes what it needs of the estimator, which is too large to be handed over for each sample.
    private static func estimate(
        _ reading: Reading, attitude: Quaternion, knowsUp: Bool, rotationRate: SIMD3<Double>,
        source: DeviceMotion.Source
    ) -> Estimate {
        let gravity = knowsUp ? -attitude.up : .zero
        var userAcceleration = SIMD3<Double>.zero
        if knowsUp, let force = reading.force { userAcceleration = -force / standardGravity - gravity }
        return Estimate(
            attitude: attitude, gravity: gravity, userAcceleration: userAcceleration,
            rotationRate: rotationRate, source: source)
    }
}
