/// An orientation as three turns, in CoreMotion's order and signs: first yaw, then pitch, then roll.
///
/// ```
/// R(q) = Rz(yaw) · Rx(pitch) · Ry(roll)      device to earth, angles in rad
/// ```
/// At a pitch of ±90° yaw and roll turn about the same line: their sum (or difference) is right, neither alone is.
public struct EulerAngles: Hashable, Sendable {
    /// About y, the long side; right edge down is positive: -π to π.
    public var roll: Double
    /// About x; top edge up is positive: -π/2 to π/2.
    public var pitch: Double
    /// About z; counter-clockwise seen from above is positive: -π to π.
    public var yaw: Double

    /// Three angles in rad, applied as yaw, then pitch, then roll.
    public init(roll: Double, pitch: Double, yaw: Double) {
        self.roll = roll
        self.pitch = pitch
        self.yaw = yaw
    }

    /// The angles of an orientation; near a pitch of ± π/2 roll and yaw cannot be told apart.
    public init(_ q: Quaternion) {
        let up = q.up
        roll = Elementary.angle(y: -up.x, x: up.z)
        pitch = Elementary.angle(y: up.y, x: (up.x * up.x + up.z * up.z).squareRoot())
        yaw = Elementary.angle(y: 2 * (q.w * q.z - q.x * q.y), x: 1 - 2 * (q.x * q.x + q.z * q.z))
    }
}

extension Quaternion {
    /// The orientation that these angles lead to: yaw about z, then pitch about x, then roll about y.
    public init(_ angles: EulerAngles) {
        let yaw = Quaternion(rotationVector: SIMD3(0, 0, angles.yaw))
        let pitch = Quaternion(rotationVector: SIMD3(angles.pitch, 0, 0))
        self = yaw * pitch * Quaternion(rotationVector: SIMD3(0, angles.roll, 0))
    }
}
