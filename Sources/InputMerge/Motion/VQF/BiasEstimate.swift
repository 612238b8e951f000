/// What a gyroscope reads while nothing turns, and how sure that is: a Kalman filter of three states.
///
/// Laidig & Seel 2023, section 3.4. The bias is in rad/s, its covariance in (0.01 °/s)².
struct BiasEstimate: Sendable {
    /// Three rows, or three columns where it says so.
    typealias Matrix = (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>)

    private(set) var bias = SIMD3<Double>.zero
    /// Symmetric.
    private var covariance: Matrix
    /// The variance that each axis begins with; it never grows beyond.
    private let initialVariance: Double
    /// Largest bias and largest innovation per axis, in rad/s.
    private let clip: Double

    /// Both per axis, in rad/s.
    init(sigma: Double, clip: Double) {
        initialVariance = Self.variance(sigma)
        covariance = Self.diagonal(initialVariance)
        self.clip = clip
    }

    /// The square of a rate in rad/s, in the covariance's unit.
    static func variance(_ sigma: Double) -> Double {
        let hundredths = sigma * 18_000 / .pi
        return hundredths * hundredths
    }

    /// The standard deviation of the least certain axis, in rad/s.
    var sigma: Double {
        max(covariance.0.x, covariance.1.y, covariance.2.z, 0).squareRoot() * .pi / 18_000
    }

    /// Time passes: each axis becomes less certain by `variance`, up to where it began.
    @inline(__always)
    mutating func grow(by variance: Double) {
        if covariance.0.x < initialVariance { covariance.0.x += variance }
        if covariance.1.y < initialVariance { covariance.1.y += variance }
        if covariance.2.z < initialVariance { covariance.2.z += variance }
    }

    /// Takes over what the gyroscope read on average while nothing turned, known to `sigma` in rad/s.
    mutating func set(_ measured: SIMD3<Double>, sigma: Double) {
        bias = measured.clamped(lowerBound: SIMD3(repeating: -clip), upperBound: SIMD3(repeating: clip))
        covariance = Self.diagonal(min(Self.variance(sigma), initialVariance))
    }

    /// The bias itself was measured.
    @inline(__always)
    mutating func observe(_ measured: SIMD3<Double>, variance: Double) {
        correct(innovation: measured - bias, across: covariance, spread: covariance, noise: SIMD3(repeating: variance))
    }

    /// What was seen of the bias through a matrix (its rows) differs from what was expected by `innovation`.
    @inline(__always)
    mutating func observe(innovation: SIMD3<Double>, through rows: Matrix, noise: SIMD3<Double>) {
        let p = covariance
        let across = (
            p.0 * rows.0.x + p.1 * rows.0.y + p.2 * rows.0.z, p.0 * rows.1.x + p.1 * rows.1.y + p.2 * rows.1.z,
            p.0 * rows.2.x + p.1 * rows.2.y + p.2 * rows.2.z
        )
        let y = SIMD3(rows.0.dot(across.1), rows.1.dot(across.1), rows.2.dot(across.1))
        let z = SIMD3(rows.0.dot(across.2), rows.1.dot(across.2), rows.2.dot(across.2))
        let x = SIMD3(rows.0.dot(across.0), y.x, z.x)
        correct(innovation: innovation, across: across, spread: (x, y, z), noise: noise)
    }

    /// - Parameters:
    ///   - across: P Rᵀ, its columns.
    ///   - spread: R P Rᵀ, of which the upper half is read.
    @inline(__always)
    private mutating func correct(
        innovation: SIMD3<Double>, across a: Matrix, spread: Matrix, noise: SIMD3<Double>
    ) {
        let (xx, yy, zz) = (spread.0.x + noise.x, spread.1.y + noise.y, spread.2.z + noise.z)
        let (xy, xz, yz) = (spread.1.x, spread.2.x, spread.2.y)
        let cofactors = SIMD3(yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy)
        let determinant = xx * cofactors.x + xy * cofactors.y + xz * cofactors.z
        guard determinant > 0, determinant.isFinite else { return }
        let i0 = cofactors / determinant
        let i1 = SIMD3(cofactors.y, xx * zz - xz * xz, xy * xz - xx * yz) / determinant
        let i2 = SIMD3(cofactors.z, xy * xz - xx * yz, xx * yy - xy * xy) / determinant

        let gain = (
            a.0 * i0.x + a.1 * i0.y + a.2 * i0.z, a.0 * i1.x + a.1 * i1.y + a.2 * i1.z,
            a.0 * i2.x + a.1 * i2.y + a.2 * i2.z
        )
        let (low, high) = (SIMD3(repeating: -clip), SIMD3(repeating: clip))
        let step = innovation.clamped(lowerBound: low, upperBound: high)
        bias += gain.0 * step.x + gain.1 * step.y + gain.2 * step.z
        bias = bias.clamped(lowerBound: low, upperBound: high)

        var p = covariance
        p.0 -= gain.0 * a.0.x + gain.1 * a.1.x + gain.2 * a.2.x
        p.1 -= gain.0 * a.0.y + gain.1 * a.1.y + gain.2 * a.2.y
        p.2 -= gain.0 * a.0.z + gain.1 * a.1.z + gain.2 * a.2.z
        // Rounding must not make it lopsided over hours.
        (p.0.y, p.0.z, p.1.z) = ((p.0.y + p.1.x) / 2, (p.0.z + p.2.x) / 2, (p.1.z + p.2.y) / 2)
        (p.1.x, p.2.x, p.2.y) = (p.0.y, p.0.z, p.1.z)
        covariance = p
    }

    private static func diagonal(_ value: Double) -> Matrix {
        (SIMD3(value, 0, 0), SIMD3(0, value, 0), SIMD3(0, 0, value))
    }
}
