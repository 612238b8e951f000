#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The few transcendental functions that this module needs, from the platform's libm.
///
/// They are the only part of a replay that depends on the machine: the same libm gives the same bits.
enum Elementary {
    static func sine(_ angle: Double) -> Double { sin(angle) }
    static func cosine(_ angle: Double) -> Double { cos(angle) }
    /// The angle of the point (x, y) in rad, -π to π.
    static func angle(y: Double, x: Double) -> Double { atan2(y, x) }
}

extension SIMD3<Double> {
    func dot(_ other: Self) -> Double { x * other.x + y * other.y + z * other.z }
    var length: Double { dot(self).squareRoot() }

    func cross(_ other: Self) -> Self {
        Self(y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x)
    }

    /// The angle to another vector in rad, 0 to π; 0 when either has no length.
    func angle(to other: Self) -> Double { Elementary.angle(y: cross(other).length, x: dot(other)) }
}
