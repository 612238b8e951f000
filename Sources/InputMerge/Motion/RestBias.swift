/// Learns what a gyroscope reads while nothing turns, so that it can be taken away.
///
/// At rest means: for 1.5 s neither gyroscope nor accelerometer strayed from their own low-passed values (the test of
/// Laidig & Seel 2023, with first-order low-passes).
struct RestBias: Sendable {
    private static let timeConstant = 0.5
    private static let longEnough = 1.5
    private static let rateSpread = 2 * Double.pi / 180
    private static let forceSpread = 0.5
    /// No sensor of a phone is biased by more, in rad/s per axis: 5 °/s.
    private static let largestBias = 5 * Double.pi / 180

    /// What to take away from the rotation rate, in rad/s.
    private(set) var bias = SIMD3<Double>.zero
    /// Whether the device lies still now.
    var isResting: Bool { restedFor >= Self.longEnough }

    /// A guess: 0.5 °/s while nothing was learned, 0.03 °/s after the first rest.
    private(set) var sigma = 0.5 * Double.pi / 180

    private var rate: SIMD3<Double>?
    private var force = SIMD3<Double>.zero
    private var restedFor = 0.0

    /// Moves on by one sample: rotation rate in rad/s as measured, specific force in m/s², interval in s.
    mutating func update(rotationRate: SIMD3<Double>, force newForce: SIMD3<Double>, interval: Double) {
        let weight = interval / (Self.timeConstant + interval)
        let lowRate = rate.map { $0 + weight * (rotationRate - $0) } ?? rotationRate
        force = rate == nil ? newForce : force + weight * (newForce - force)
        rate = lowRate

        let isStill =
            (rotationRate - lowRate).length < Self.rateSpread && (newForce - force).length < Self.forceSpread
            && max(abs(lowRate.x), abs(lowRate.y), abs(lowRate.z)) <= Self.largestBias
        restedFor = isStill ? min(restedFor + interval, Self.longEnough) : 0
        guard isResting else { return }
        bias += weight * (lowRate - bias)
        sigma = 0.03 * Double.pi / 180
    }

    /// A hole in the stream: whether the device lay still meanwhile is unknown, the bias stays.
    mutating func interrupt() {
        rate = nil
        restedFor = 0
    }
}
