/// The gradient-descent orientation filter for gyroscope and accelerometer (Madgwick 2010, gain 0.03).
///
/// The gyroscope's turn is applied in closed form instead of Euler's step, so that slow streams stay exact. Its bias is
/// learned at rest, by ``RestBias``.
struct MadgwickFilter: OrientationFilter {
    /// How fast the inclination is pulled to the accelerometer's, in rad/s.
    private static let gain = 0.03

    private(set) var attitude = Quaternion.identity
    private var rest = RestBias()
    private var knowsUp = false

    var bias: SIMD3<Double> { rest.bias }
    var biasSigma: Double { rest.sigma }
    var isResting: Bool { rest.isResting }

    mutating func restart(at attitude: Quaternion) {
        self.attitude = attitude.normalized() ?? .identity
        knowsUp = true
        rest.interrupt()
    }

    mutating func interrupt(lasting: Double?) {
        knowsUp = false
        rest.interrupt()
    }

    mutating func update(rotationRate: SIMD3<Double>, force: SIMD3<Double>?, interval: Double) {
        if let force { rest.update(rotationRate: rotationRate, force: force, interval: interval) }
        if let force, !knowsUp {
            knowsUp = force.length > 1e-6
            attitude = attitude.aligned(withUp: force)
            return
        }
        var next = attitude * Quaternion(rotationVector: (rotationRate - rest.bias) * interval)
        if let force, let slope = Self.slope(at: attitude, force: force) {
            let step = Self.gain * interval
            next.w -= step * slope.w
            next.x -= step * slope.x
            next.y -= step * slope.y
            next.z -= step * slope.z
        }
        attitude = next.normalized() ?? attitude
    }

    /// The direction in which the disagreement between gravity predicted and force measured grows most; length 1.
    private static func slope(at q: Quaternion, force: SIMD3<Double>) -> Quaternion? {
        let length = force.length
        guard length > 1e-6 else { return nil }
        let f = q.up - force / length
        return Quaternion(
            w: -2 * q.y * f.x + 2 * q.x * f.y,
            x: 2 * q.z * f.x + 2 * q.w * f.y - 4 * q.x * f.z,
            y: -2 * q.w * f.x + 2 * q.z * f.y - 4 * q.y * f.z,
            z: 2 * q.x * f.x + 2 * q.y * f.y
        ).normalized()
    }
}
