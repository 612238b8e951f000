/// What a gyroscope reads while nothing turns, and how sure that is: a Kalman filter of three states.
///
/// Laidig & Seel 2023, section 3.4. The bias is in rad/s, its covariance in (0.01 °/s)². The paper takes three measurements
/// at once and inverts a matrix; their noises are independent of each other, so that one after the other comes to the same
/// (Bierman, *Factorization Methods for Discrete Sequential Estimation*, 1977, chapter II) at less cost.
struct BiasEstimate: Sendable {
    /// Three rows.
    typealias Matrix = (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>)

    private(set) var bias = SIMD3<Double>.zero
    /// Of the covariance, which is symmetric: the diagonal, …
    private var spread: SIMD3<Double>
    /// … and beside it yz, xz and xy.
    private var mixed = SIMD3<Double>.zero
    /// The variance that each axis begins with; it never grows beyond.
    private let initialVariance: Double
    /// Largest bias and largest innovation per axis, in rad/s.
    private let clip: Double

    /// Both per axis, in rad/s.
    init(sigma: Double, clip: Double) {
        initialVariance = Self.variance(sigma)
        spread = SIMD3(repeating: initialVariance)
        self.clip = clip
    }

    /// The square of a rate in rad/s, in the covariance's unit.
    static func variance(_ sigma: Double) -> Double {
        let hundredths = sigma * 18_000 / .pi
        return hundredths * hundredths
    }

    /// The standard deviation of the least certain axis, in rad/s.
    var sigma: Double { max(spread.x, spread.y, spread.z, 0).squareRoot() * .pi / 18_000 }

    /// Time passes: each axis becomes less certain by `variance`, up to where it began.
    @inline(__always)
    mutating func grow(by variance: Double) {
        if spread.x < initialVariance { spread.x += variance }
        if spread.y < initialVariance { spread.y += variance }
        if spread.z < initialVariance { spread.z += variance }
    }

    /// The bias itself was measured.
    @inline(__always)
    mutating func observe(_ measured: SIMD3<Double>, variance: Double) {
        observe(
            innovation: measured - bias, through: (SIMD3(1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1)),
            noise: SIMD3(repeating: variance))
    }

    /// What was seen of the bias through a matrix (its rows) differs from what was expected by `innovation`.
    @inline(__always)
    mutating func observe(innovation: SIMD3<Double>, through rows: Matrix, noise: SIMD3<Double>) {
        var step = SIMD3<Double>.zero
        correct(&step, clipped(innovation.x), along: rows.0, noise: noise.x)
        correct(&step, clipped(innovation.y), along: rows.1, noise: noise.y)
        correct(&step, clipped(innovation.z), along: rows.2, noise: noise.z)
        bias = SIMD3(clipped(bias.x + step.x), clipped(bias.y + step.y), clipped(bias.z + step.z))
    }

    /// One measurement, of the bias's part along `h`.
    ///
    /// - Parameter step: what the measurements before it moved the bias by, which `innovation` does not know of.
    @inline(__always)
    private mutating func correct(
        _ step: inout SIMD3<Double>, _ innovation: Double, along h: SIMD3<Double>, noise: Double
    ) {
        let across = SIMD3(
            spread.x * h.x + mixed.z * h.y + mixed.y * h.z, mixed.z * h.x + spread.y * h.y + mixed.x * h.z,
            mixed.y * h.x + mixed.x * h.y + spread.z * h.z)
        let variance = h.x * across.x + h.y * across.y + h.z * across.z + noise
        guard variance > 0, variance.isFinite else { return }
        let gain = across * (1 / variance)
        step += gain * (innovation - (h.x * step.x + h.y * step.y + h.z * step.z))
        spread -= gain * across
        mixed -= SIMD3(gain.y * across.z, gain.x * across.z, gain.x * across.y)
    }

    /// What is not a number becomes one: the order counts.
    private func clipped(_ rate: Double) -> Double { min(max(-clip, rate), clip) }
}
