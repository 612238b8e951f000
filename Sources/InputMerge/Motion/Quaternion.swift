/// An orientation: the rotation that leads from the device's axes to the earth's, z up.
///
/// Hamilton's convention. After a re-zero it leads to the reference's axes instead of the earth's.
public struct Quaternion: Hashable, Sendable {
    /// Real part: the cosine of half the angle of the rotation.
    public var w: Double
    /// The rotation's axis times the sine of half its angle: along x …
    public var x: Double
    /// … along y …
    public var y: Double
    /// … and along z.
    public var z: Double

    /// No rotation: the device's axes are the earth's, face up.
    public static let identity = Quaternion(w: 1, x: 0, y: 0, z: 0)

    /// Four numbers as they are: an orientation only if their ``length`` is 1.
    public init(w: Double, x: Double, y: Double, z: Double) {
        self.w = w
        self.x = x
        self.y = y
        self.z = z
    }

    /// The rotation about `vector` by its length in rad.
    public init(rotationVector vector: SIMD3<Double>) {
        let angle = vector.length
        guard angle > 1e-12 else {
            self = .identity
            return
        }
        let scale = Elementary.sine(angle / 2) / angle
        self.init(w: Elementary.cosine(angle / 2), x: vector.x * scale, y: vector.y * scale, z: vector.z * scale)
    }

    /// The rotation back.
    public var inverse: Quaternion { Quaternion(w: w, x: -x, y: -y, z: -z) }

    /// The norm; 1 for an orientation.
    public var length: Double { (w * w + x * x + y * y + z * z).squareRoot() }

    /// Where the earth's up lies in the device's axes; gravity as Apple counts it is the opposite.
    public var up: SIMD3<Double> {
        SIMD3(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y))
    }

    /// A vector in the device's axes, seen in the earth's.
    public func rotate(_ vector: SIMD3<Double>) -> SIMD3<Double> {
        let axis = SIMD3(x, y, z)
        let doubled = 2 * axis.cross(vector)
        return vector + w * doubled + axis.cross(doubled)
    }

    /// First `b`, then `a`.
    public static func * (a: Quaternion, b: Quaternion) -> Quaternion {
        Quaternion(
            w: a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
            x: a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            y: a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            z: a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w)
    }

    /// The same direction with length 1, or `nil` when there is hardly any length or it is not a number.
    public func normalized() -> Quaternion? {
        let length = length
        guard length > 1e-6, length < 1e6 else { return nil }
        return Quaternion(w: w / length, x: x / length, y: y / length, z: z / length)
    }

    /// Between this and `other`, along the shorter way: normalised linear interpolation, `fraction` 0 to 1.
    public func nlerp(to other: Quaternion, fraction: Double) -> Quaternion {
        let sign: Double = w * other.w + x * other.x + y * other.y + z * other.z < 0 ? -1 : 1
        let (a, b) = (1 - fraction, sign * fraction)
        let mixed = Quaternion(
            w: a * w + b * other.w, x: a * x + b * other.x, y: a * y + b * other.y, z: a * z + b * other.z)
        return mixed.normalized() ?? self
    }

    /// How fast, in rad/s by the device's own axes, it turned the shortest way from `earlier` to this in so many seconds;
    /// `nil` where nobody knows how many.
    func rate(since earlier: Quaternion, _ seconds: Double?) -> SIMD3<Double>? {
        guard let seconds, seconds > 0 else { return nil }
        let turn = Quaternion(w: earlier.w, x: -earlier.x, y: -earlier.y, z: -earlier.z) * self
        let axis = SIMD3(turn.x, turn.y, turn.z) * (turn.w < 0 ? -1 : 1)
        let length = axis.length
        guard length > 1e-9 else { return .zero }
        return axis * (2 * Elementary.angle(y: length, x: abs(turn.w)) / length / seconds)
    }

    /// This orientation, tipped the shortest way so that `up`, given in the device's axes, points up on earth.
    ///
    /// The heading stays as it was, as far as a shortest way can keep it.
    func aligned(withUp up: SIMD3<Double>) -> Quaternion {
        let length = up.length
        guard length > 1e-6 else { return self }
        let earth = rotate(up / length)
        let half = ((1 + max(-1, earth.z)) / 2).squareRoot()
        guard half > 1e-6 else { return Quaternion(w: 0, x: 1, y: 0, z: 0) * self }
        let tip = Quaternion(w: half, x: earth.y / (2 * half), y: -earth.x / (2 * half), z: 0)
        return (tip * self).normalized() ?? self
    }
}
