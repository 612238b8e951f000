/// The few transcendental functions that this module needs, computed here: they give the same bits on every machine.
///
/// Only operations that IEEE 754 rounds correctly are used (+, -, ×, ÷, square root), so that a replay does not depend
/// on the platform's libm. Errors stay below 1e-15 for angles up to a million rad.
enum Elementary {
    static func sine(_ angle: Double) -> Double { sineAndCosine(angle).sine }
    static func cosine(_ angle: Double) -> Double { sineAndCosine(angle).cosine }

    /// Both at once; NaN for what is not finite.
    static func sineAndCosine(_ angle: Double) -> (sine: Double, cosine: Double) {
        if abs(angle) <= .pi / 4 { return (sineNearZero(angle), cosineNearZero(angle)) }
        guard abs(angle) < 1e6 else { return angle.isFinite ? sineAndCosine(remainder(angle)) : (.nan, .nan) }
        // Cody & Waite: π/2 in three parts; the first two have 33 bits, so that their multiples are exact.
        let quarters = (angle * (2 / .pi)).rounded()
        let rest =
            ((angle - quarters * 1.57079632673412561417) - quarters * 6.07710050630396597660e-11)
            - quarters * 2.02226624879595063154e-21
        let (sine, cosine) = (sineNearZero(rest), cosineNearZero(rest))
        switch Int(quarters) & 3 {
        case 0: return (sine, cosine)
        case 1: return (cosine, -sine)
        case 2: return (-sine, -cosine)
        default: return (-cosine, sine)
        }
    }

    static func tangent(_ angle: Double) -> Double {
        let (sine, cosine) = sineAndCosine(angle)
        return sine / cosine
    }

    /// The angle of the point (x, y) in rad, -π to π.
    static func angle(y: Double, x: Double) -> Double {
        let (across, along) = (abs(y), abs(x))
        guard across > 0 || along > 0 else { return y.isNaN || x.isNaN ? .nan : 0 }
        // The smaller over the larger is at most 1; halving the angle twice brings it below tan(π/16).
        var tangent = min(across, along) / max(across, along)
        tangent /= 1 + (1 + tangent * tangent).squareRoot()
        tangent /= 1 + (1 + tangent * tangent).squareRoot()
        var angle = 4 * arctangentNearZero(tangent)
        if across > along { angle = .pi / 2 - angle }
        if x < 0 { angle = .pi - angle }
        return y < 0 ? -angle : angle
    }

    /// Angles so large say nothing any more, but must not be NaN.
    private static func remainder(_ angle: Double) -> Double { angle.remainder(dividingBy: 2 * .pi) }

    /// Taylor's series, up to π/4 exact to the last bit or two.
    private static func sineNearZero(_ x: Double) -> Double {
        let s = x * x
        var sum = 1.0 / 355_687_428_096_000
        sum = sum * s - 1.0 / 1_307_674_368_000
        sum = sum * s + 1.0 / 6_227_020_800
        sum = sum * s - 1.0 / 39_916_800
        sum = sum * s + 1.0 / 362_880
        sum = sum * s - 1.0 / 5_040
        sum = sum * s + 1.0 / 120
        sum = sum * s - 1.0 / 6
        return x + x * s * sum
    }

    private static func cosineNearZero(_ x: Double) -> Double {
        let s = x * x
        var sum = 1.0 / 20_922_789_888_000
        sum = sum * s - 1.0 / 87_178_291_200
        sum = sum * s + 1.0 / 479_001_600
        sum = sum * s - 1.0 / 3_628_800
        sum = sum * s + 1.0 / 40_320
        sum = sum * s - 1.0 / 720
        sum = sum * s + 1.0 / 24
        return 1 - s / 2 + s * s * sum
    }

    /// Gregory's series, for tangents up to 0.2.
    private static func arctangentNearZero(_ t: Double) -> Double {
        let s = t * t
        var sum = 1.0 / 23
        for odd in stride(from: 21.0, through: 3, by: -2) { sum = 1 / odd - s * sum }
        return t - t * s * sum
    }
}

extension SIMD3<Double> {
    func dot(_ other: Self) -> Double { x * other.x + y * other.y + z * other.z }
    var length: Double { dot(self).squareRoot() }
    /// The greatest of its axes, whatever their signs.
    var largest: Double { Swift.max(abs(x), abs(y), abs(z)) }

    func cross(_ other: Self) -> Self {
        Self(y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x)
    }

    /// The angle to another vector in rad, 0 to π; 0 when either has no length.
    func angle(to other: Self) -> Double { Elementary.angle(y: cross(other).length, x: dot(other)) }
}
