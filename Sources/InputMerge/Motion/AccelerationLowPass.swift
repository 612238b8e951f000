/// User acceleration without its jitter: a mean that fades, y += k (x - y), as games have smoothed accelerometers since the
/// first phones had one.
struct AccelerationLowPass: Sendable {
    /// A factor means what it does at 100 Hz, in s.
    private static let interval = 0.01

    /// Of each sample, at 100 Hz: 0.01 to 1.
    let factor: Double
    private let timeConstant: Double
    private(set) var value = SIMD3<Double>.zero

    init(factor: Double) {
        self.factor = factor
        timeConstant = Self.interval * (1 - factor) / factor
    }

    /// Moves on by one sample, `elapsed` seconds after the one before; begins at the sample where there is none.
    mutating func update(_ acceleration: SIMD3<Double>, elapsed: Double?) {
        let share = elapsed.map { $0 > 0 ? $0 / (timeConstant + $0) : 0 } ?? 1
        value += share * (acceleration - value)
    }
}
