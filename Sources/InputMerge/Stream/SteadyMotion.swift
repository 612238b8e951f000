/// User acceleration and rotation rate as means that fade with time, so that motion of different rates can be blended.
struct SteadyMotion: Sendable {
    /// What was felt so long ago counts 1/e of what is felt now, in s: half of the last 50 ms.
    private static let timeConstant = 0.025

    private(set) var userAcceleration = SIMD3<Double>.zero
    private(set) var rotationRate = SIMD3<Double>.zero

    /// The newest motion counts by the time that it covers: `elapsed` s since the one before, `nil` where there is none.
    mutating func update(_ motion: DeviceMotion, elapsed: Double?) {
        let share = elapsed.map { $0 / (Self.timeConstant + $0) } ?? 1
        userAcceleration += share * (motion.userAcceleration - userAcceleration)
        rotationRate += share * (motion.rotationRate - rotationRate)
    }
}
