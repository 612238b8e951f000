/// Follows a device's orientation from gyroscope and accelerometer.
///
/// The seam between the merge and the art of sensor fusion: whoever keeps this promise can take the place of
/// ``SteadyVQF``.
protocol OrientationFilter: Sendable {
    /// Device to earth, z up; always a unit quaternion.
    var attitude: Quaternion { get }
    /// What the gyroscope reads while nothing turns, in rad/s.
    var bias: SIMD3<Double> { get }
    /// How sure the bias is: one standard deviation of the least certain axis, in rad/s.
    var biasSigma: Double { get }
    /// Whether the device lies still.
    var isResting: Bool { get }

    /// Begins anew at a known orientation; the bias stays.
    mutating func restart(at attitude: Quaternion)

    /// Time was lost, so many seconds, or nobody knows how many: up must be seen anew; heading and bias stay.
    mutating func interrupt(lasting: Double?)

    /// Moves on by one sample.
    ///
    /// - Parameters:
    ///   - rotationRate: in rad/s, as measured.
    ///   - force: specific force in m/s²; `nil` when it was not measured.
    ///   - interval: since the previous sample by the device's clock, in s; 0 for the first one and after a hole.
    mutating func update(rotationRate: SIMD3<Double>, force: SIMD3<Double>?, interval: Double)
}

/// Which filter makes orientations of raw axes.
public enum OrientationMethod: String, Hashable, Sendable, Codable {
    /// VQF with what phones need: a bias of up to 5 °/s, learned within the first second of any rest.
    case handheld
    /// VQF as its authors published it.
    case published
    /// Madgwick's: a fifth of the time, twice the error.
    case madgwick
}
