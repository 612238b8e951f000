/// Follows a device's orientation from gyroscope and accelerometer.
///
/// The seam between the merge and the art of sensor fusion: whoever keeps this promise can take the place of
/// ``SixAxisFilter``.
protocol OrientationFilter: Sendable {
    /// Device to earth, z up; always a unit quaternion.
    var attitude: Quaternion { get }

    /// Begins anew at a known orientation.
    mutating func restart(at attitude: Quaternion)

    /// Moves on by one sample.
    ///
    /// - Parameters:
    ///   - rotationRate: bias-free, in rad/s.
    ///   - force: specific force in m/s²; `nil` when it was not measured.
    ///   - interval: since the previous sample by the device's clock, in s, above 0.
    mutating func update(rotationRate: SIMD3<Double>, force: SIMD3<Double>?, interval: Double)
}

extension OrientationFilter {
    /// Begins anew with the inclination that gravity shows, keeping the heading.
    mutating func restart(withUp force: SIMD3<Double>) {
        restart(at: attitude.aligned(withUp: force))
    }
}

/// The filter in use.
typealias SixAxisFilter = MadgwickFilter
