import WireProtocol

/// Follows a device's orientation from gyroscope and accelerometer, and learns the gyroscope's bias on the way.
///
/// VQF without magnetometer: D. Laidig, T. Seel, *VQF: Highly accurate IMU orientation estimation with bias estimation
/// and magnetic disturbance rejection*, Information Fusion 91, 2023. The orientation is a product of two:
/// ```
/// q_g  the gyroscope, integrated           turns fast, drifts
/// q_a  tips q_g upright                    from the acceleration, low-passed in q_g's nearly inertial frame
/// ```
/// so that pushes, which average out in an inertial frame, hardly tip the result.
package struct VQFFilter: Sendable {
    /// In rad/s and m/s²: what a hand that holds still does not exceed, nor an accelerometer that is 4 % off.
    private static let stillRate = 0.2
    private static let stillForce = 0.4
    /// For about so long a body pushes one way: what is read meanwhile says the same. In s.
    private static let pushTime = 0.1
    /// A hand that nobody sees may turn the device so fast, in rad/s.
    private static let unseenRate = 0.5
    /// After a longer hole nothing of how the device lay is held on to, in s.
    private static let longestRecall = 1.0

    let parameters: VQFParameters
    /// Between two samples, in s; what the low-passes are made for.
    private(set) var interval: Double

    package private(set) var attitude = Quaternion.identity
    /// How long nothing has stirred, in s.
    private(set) var restedFor = 0.0
    private var estimate: BiasEstimate

    private var gyroscope = Quaternion.identity
    private var tip = Quaternion.identity
    private var slow: LowPassCoefficients
    private var fast: LowPassCoefficients
    private var restRate = SecondOrderLowPass()
    private var restForce = SecondOrderLowPass()
    private var earthForce = SecondOrderLowPass()
    /// The rows of the orientation's matrix; behind the first two, what the bias does in these directions.
    private var rows = (SecondOrderLowPass(), SecondOrderLowPass(), SecondOrderLowPass())
    /// The gyroscope's readings since all is still: their sum, and how many.
    private var stillSum = SIMD3<Double>.zero
    private var stillCount = 0.0
    private var tookRest = false
    /// Whether all was still since the filter began; `nil` before the first sample.
    private var startsStill: Bool?
    /// The latest rotation rate without its bias, in rad/s.
    private var rotation = 0.0
    /// Over the last seconds: the mean squares of that, and of the acceleration across what is up, in (m/s²)².
    private var stirring = (turn: 0.0, push: 0.0)
    /// The hole before the next sample, if it is short: its length in s, and the rotation rate before it.
    private var hole: (length: Double, rotation: Double)?
    /// What was up before a hole still counts.
    private var isRecalled = false
    private var noise: Noise

    /// Variances of what the Kalman filter is shown; they depend on the interval.
    private struct Noise: Sendable {
        var growth: Double
        var moving: SIMD3<Double>
        var resting: Double

        init(_ parameters: VQFParameters, interval: Double) {
            growth = BiasEstimate.variance(parameters.biasDrift) * interval / parameters.biasForgetting
            let motion = BiasEstimate.variance(parameters.motionSigma)
            let rest = BiasEstimate.variance(parameters.restSigma)
            let horizontal = motion * motion / growth + motion
            moving = SIMD3(horizontal, horizontal, horizontal / parameters.verticalForgetting)
            resting = rest * rest / growth + rest
        }
    }

    package init(_ parameters: VQFParameters, interval: Double) {
        self.parameters = parameters
        self.interval = interval
        estimate = BiasEstimate(sigma: parameters.biasSigma, clip: parameters.biasClip)
        slow = LowPassCoefficients(timeConstant: parameters.timeConstant, interval: interval)
        fast = LowPassCoefficients(timeConstant: parameters.restTimeConstant, interval: interval)
        noise = Noise(parameters, interval: interval)
    }

    /// What to take away from the rotation rate, in rad/s.
    package var bias: SIMD3<Double> { estimate.bias }
    /// How sure the bias is: the standard deviation of its least certain axis, in rad/s.
    var biasSigma: Double { estimate.sigma }
    package var isResting: Bool { restedFor >= parameters.restTime }

    /// The stream has another rate than thought.
    mutating func setInterval(_ newInterval: Double) {
        let (oldSlow, oldFast) = (slow, fast)
        interval = newInterval
        slow = LowPassCoefficients(timeConstant: parameters.timeConstant, interval: newInterval)
        fast = LowPassCoefficients(timeConstant: parameters.restTimeConstant, interval: newInterval)
        noise = Noise(parameters, interval: newInterval)
        earthForce.adapt(from: oldSlow, to: slow)
        rows.0.adapt(from: oldSlow, to: slow)
        rows.1.adapt(from: oldSlow, to: slow)
        rows.2.adapt(from: oldSlow, to: slow)
        restRate.adapt(from: oldFast, to: fast)
        restForce.adapt(from: oldFast, to: fast)
    }

    /// Begins anew at a known orientation; the bias stays.
    mutating func restart(at attitude: Quaternion) {
        gyroscope = attitude.normalized() ?? .identity
        tip = .identity
        self.attitude = gyroscope
        stir()
        restRate.restart()
        restForce.restart()
        hole = nil
        isRecalled = false
        // As if the acceleration had been gravity alone until now: one push must not tip what is known.
        earthForce.settle(at: SIMD4(0, 0, standardGravity, 0), slow)
        let matrix = RotationMatrix(gyroscope)
        rows.0.settle(at: SIMD4(matrix.x, (matrix.x * estimate.bias).sum()), slow)
        rows.1.settle(at: SIMD4(matrix.y, (matrix.y * estimate.bias).sum()), slow)
        rows.2.settle(at: SIMD4(matrix.z, 0), slow)
    }

    /// Time was lost, so many seconds if that is known: where up is must be seen anew, and whether the device lay still is
    /// unknown. Heading and bias stay; see ``recall(_:)`` for what else does after a short hole.
    mutating func interrupt(lasting: Double?) {
        gyroscope = attitude
        tip = .identity
        forget()
        hole = nil
        if let lasting, lasting <= Self.longestRecall { hole = (length: lasting, rotation: rotation) }
    }

    /// Moves on by one sample: rotation rate in rad/s as measured, specific force in m/s², and the time in s that the
    /// rotation lasted (`nil`: one interval).
    package mutating func update(rotationRate: SIMD3<Double>, force: SIMD3<Double>?, lasting: Double? = nil) {
        turn(by: rotationRate, lasting: lasting ?? interval)
        guard let force, force != .zero else {
            attitude = (tip * gyroscope).normalized() ?? attitude
            return
        }
        settle(force)
    }

    private mutating func turn(by rate: SIMD3<Double>, lasting: Double) {
        restRate.update(SIMD4(rate, 0), fast)
        let low = restRate.output.xyz
        let deviation = rate - low
        if deviation.dot(deviation) >= parameters.restRate * parameters.restRate
            || max(abs(low.x), abs(low.y), abs(low.z)) > parameters.biasClip
        {
            stir()
        } else {
            stillSum += rate
            stillCount += 1
        }
        let unbiased = rate - estimate.bias
        rotation = unbiased.length
        let step = Quaternion(rotationVector: unbiased * lasting)
        gyroscope = (gyroscope * step).normalized() ?? gyroscope
    }

    private mutating func settle(_ force: SIMD3<Double>) {
        restForce.update(SIMD4(force, 0), fast)
        let deviation = force - restForce.output.xyz
        if deviation.dot(deviation) >= parameters.restForce * parameters.restForce {
            stir()
        } else {
            restedFor = min(restedFor + interval, 1e6)
        }

        if let hole { recall(hole) }
        if isRecalled { believeRest(force) }
        let inertial = gyroscope.rotate(force)
        if parameters.trustsStillStart, earthForce.isAveraging { judgeStart(inertial) }
        earthForce.update(SIMD4(inertial, 0), slow)
        let earth = tip.rotate(earthForce.output.xyz)
        let length = earth.length
        guard length > 1e-9 else { return }
        let up = earth / length
        let half = ((up.z + 1) / 2).squareRoot()
        let correction =
            half > 1e-6
            ? Quaternion(w: half, x: up.y / (2 * half), y: -up.x / (2 * half), z: 0)
            : Quaternion(w: 0, x: 1, y: 0, z: 0)
        tip = (correction * tip).normalized() ?? tip
        attitude = tip * gyroscope
        noteStirring(tip.rotate(inertial))
        learnBias(tilting: SIMD2(-up.y, up.x))
    }

    /// Who begins still and then stirs has shown where up is: from then on nothing is averaged in any more.
    private mutating func judgeStart(_ force: SIMD3<Double>) {
        let stir = startsStill == nil ? .zero : force - earthForce.output.xyz
        let isStill =
            rotation < Self.stillRate && stir.length < Self.stillForce
            && abs(force.length - standardGravity) < Self.stillForce
        if startsStill == true, !isStill { earthForce.settle(at: earthForce.output, slow) }
        startsStill = isStill && startsStill != false
    }

    /// `force`: in earth's axes. Where it stays the same nobody pushes: if up is wrong, that is gravity.
    private mutating func noteStirring(_ force: SIMD3<Double>) {
        let share = interval / (parameters.timeConstant + interval)
        let push = restedFor > 0 ? 0 : force.x * force.x + force.y * force.y
        stirring.turn += share * (rotation * rotation - stirring.turn)
        stirring.push += share * (push - stirring.push)
    }

    /// Where up was before a short hole is worth some of the samples after it.
    ///
    /// One sample in a hard push shows up anywhere. The old up is off by how far the device has turned meanwhile, at most by
    /// about the rate lately, before and after the hole times its length; a push by what pushes were lately. Of two
    /// witnesses each counts by the inverse of its variance. Who is hardly pushed believes what comes, as one may well
    /// have turned the device in the hole.
    private mutating func recall(_ hole: (length: Double, rotation: Double)) {
        self.hole = nil
        guard stirring.push > Self.stillForce * Self.stillForce else { return }
        let rate = max(stirring.turn.squareRoot(), hole.rotation, rotation, Self.unseenRate)
        let astray = standardGravity * rate * hole.length
        let worth = stirring.push / (astray * astray) * Self.pushTime / interval
        let most = Double(slow.warmUp)
        let samples = Int((worth < most ? worth : most).rounded())
        guard samples > 0 else { return }
        startsStill = false
        isRecalled = true
        earthForce.restart(at: SIMD4(0, 0, standardGravity, 0), counting: samples, slow)
        let matrix = RotationMatrix(gyroscope)
        let bias = estimate.bias
        rows.0.restart(at: SIMD4(matrix.x, (matrix.x * bias).sum()), counting: samples, slow)
        rows.1.restart(at: SIMD4(matrix.y, (matrix.y * bias).sum()), counting: samples, slow)
        rows.2.restart(at: SIMD4(matrix.z, 0), counting: samples, slow)
    }

    /// Who lies still after a hole shows for sure where up is, whatever it was before.
    ///
    /// That takes three samples, and the time that a push lasts; half an interval is for how both add up.
    private mutating func believeRest(_ force: SIMD3<Double>) {
        let enough = max(Self.pushTime, 3 * interval) - interval / 2
        guard restedFor > enough, rotation < Self.stillRate else { return }
        guard abs(force.length - standardGravity) < Self.stillForce else { return }
        isRecalled = false
        startsStill = nil
        restartMeans()
    }

    /// `tilting`: where the horizontal correction of this sample pointed, about x and y.
    private mutating func learnBias(tilting: SIMD2<Double>) {
        let matrix = RotationMatrix(attitude)
        let bias = estimate.bias
        rows.0.update(SIMD4(matrix.x, (matrix.x * bias).sum()), slow)
        rows.1.update(SIMD4(matrix.y, (matrix.y * bias).sum()), slow)
        rows.2.update(SIMD4(matrix.z, 0), slow)
        estimate.grow(by: noise.growth)
        if isResting {
            if parameters.averagesRest, !tookRest { return takeRest() }
            estimate.observe(restRate.output.xyz, variance: noise.resting)
            return
        }
        let (x, y, z) = (rows.0.output, rows.1.output, rows.2.output)
        let seen = (x.xyz, y.xyz, z.xyz)
        let innovation = SIMD3(
            tilting.x / interval + x.w - (seen.0 * bias).sum(), tilting.y / interval + y.w - (seen.1 * bias).sum(),
            -(seen.2 * bias).sum())
        estimate.observe(innovation: innovation, through: seen, noise: noise.moving)
    }

    /// The first evidence of a rest: the mean over all of it, as sure as its readings are many.
    private mutating func takeRest() {
        tookRest = true
        estimate.observe(stillSum / max(stillCount, 1), variance: BiasEstimate.variance(parameters.restSigma / 3))
    }

    private mutating func stir() {
        restedFor = 0
        stillSum = .zero
        stillCount = 0
        tookRest = false
    }

    private mutating func forget() {
        stir()
        startsStill = nil
        isRecalled = false
        restRate.restart()
        restForce.restart()
        restartMeans()
    }

    private mutating func restartMeans() {
        earthForce.restart()
        rows.0.restart()
        rows.1.restart()
        rows.2.restart()
    }
}

extension SIMD4<Double> {
    /// The first three.
    var xyz: SIMD3<Double> { SIMD3(x, y, z) }
}
