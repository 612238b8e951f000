/// Guesses gravity on a device without gyroscope: what remains of the acceleration after half a second.
struct GravityLowPass: Sendable {
    private static let timeConstant = 0.5

    private var force: SIMD3<Double>?

    /// Moves on by one sample of specific force in m/s²; `interval` in s, `nil` to begin anew. Returns where up is,
    /// length 1, or `nil` while the device has only been falling.
    mutating func update(force newForce: SIMD3<Double>, interval: Double?) -> SIMD3<Double>? {
        var low = newForce
        if let old = force, let interval {
            low = old + interval / (Self.timeConstant + interval) * (newForce - old)
        }
        force = low
        let length = low.length
        return length > 0.1 ? low / length : nil
    }
}
