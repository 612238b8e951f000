package import WireProtocol

/// The motion in one sample after everything absurd was taken out: finite, within the declared ranges, in doubles.
package struct Reading: Sendable {
    var sampledAt: DeviceTime
    /// Specific force in m/s².
    var force: SIMD3<Double>?
    /// Rad/s, as measured.
    var rotationRate: SIMD3<Double>?
    /// A unit quaternion.
    var attitude: Quaternion?

    /// How the device turned at one moment, in rad/s.
    struct Turn: Sendable {
        var sampledAt: DeviceTime
        var rate: SIMD3<Double>
    }

    /// `nil` where no rotation was measured.
    var turn: Turn? { rotationRate.map { Turn(sampledAt: sampledAt, rate: $0) } }

    /// What a stream can measure, as it declared.
    struct Limits: Sendable {
        /// In m/s².
        let acceleration: Double
        /// In rad/s.
        let rotation: Double
        let hasMotion: Bool

        init(_ declaration: StreamDeclaration) {
            acceleration = declaration.accelerationRange
            rotation = declaration.rotationRange
            hasMotion = declaration.measuresMotion
        }
    }

    /// The same, of a stream that declared so.
    package init?(_ sample: Sample, of declaration: StreamDeclaration) {
        self.init(sample, within: Limits(declaration))
    }

    /// `nil` when a measured axis is not a number or beyond its range, or when nothing remains of what is measured.
    ///
    /// A quaternion whose length is not 0.5 to 1.5 counts as not measured: the axes may still be good.
    init?(_ sample: Sample, within limits: Limits) {
        sampledAt = sample.sampledAt
        let measures = sample.measures
        if measures.contains(.acceleration) {
            guard let force = Self.axes(sample.acceleration, within: limits.acceleration) else { return nil }
            self.force = force
        }
        if measures.contains(.rotationRate) {
            guard let rate = Self.axes(sample.rotationRate, within: limits.rotation) else { return nil }
            self.rotationRate = rate
        }
        if measures.contains(.attitude) {
            let q = SIMD4<Double>(sample.attitude)
            let attitude = Quaternion(w: q.x, x: q.y, y: q.z, z: q.w)
            if (0.5...1.5).contains(attitude.length) { self.attitude = attitude.normalized() }
        }
        if force == nil, rotationRate == nil, attitude == nil, limits.hasMotion { return nil }
    }

    /// In which nothing was measured.
    init(sampledAt: DeviceTime) { self.sampledAt = sampledAt }

    /// Whether force and rotation rate are those of the other one, to the last bit.
    func hasSameAxes(as other: Reading) -> Bool { force == other.force && rotationRate == other.rotationRate }

    /// A reading on the way to `later`, `fraction` 0 to 1, of what both measured: on the straight line, but the rotation
    /// rate on the parabola through what it was `earlier` too, as what is integrated must not lose its bends.
    func interpolated(to later: Reading, fraction: Double, after earlier: Turn? = nil) -> Reading {
        let span = Double((later.sampledAt - sampledAt).wholeNanoseconds)
        var between = Reading(sampledAt: sampledAt + .nanoseconds(Int64((span * fraction).rounded())))
        if let a = force, let b = later.force { between.force = a + fraction * (b - a) }
        if let a = rotationRate, let b = later.rotationRate {
            var rate = a + fraction * (b - a)
            if let earlier {
                let back = Double((sampledAt - earlier.sampledAt).wholeNanoseconds) / span
                // Over a longer gap the slope before it says more of the noise than of the turn.
                if back >= 0.2 {
                    let bend = (b - a) - (a - earlier.rate) / back
                    let share = fraction * (fraction - 1) / (1 + back)
                    rate += share * bend
                }
            }
            between.rotationRate = rate
        }
        if let a = attitude, let b = later.attitude { between.attitude = a.nlerp(to: b, fraction: fraction) }
        return between
    }

    /// Fixed-point axes may round a hair beyond their range. NaN fails every comparison.
    private static func axes(_ values: SIMD3<Float>, within range: Double) -> SIMD3<Double>? {
        let axes = SIMD3<Double>(values)
        let limit = 1.01 * range
        return abs(axes.x) <= limit && abs(axes.y) <= limit && abs(axes.z) <= limit ? axes : nil
    }
}
