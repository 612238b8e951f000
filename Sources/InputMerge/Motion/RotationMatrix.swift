/// An orientation as a matrix: multiplied by it, a vector in the device's axes is seen in the earth's.
///
/// The rows are the earth's axes x, y, z as they lie in the device's; the last one points up.
public struct RotationMatrix: Hashable, Sendable {
    /// The first row: the earth's x axis in the device's axes.
    public var x: SIMD3<Double>
    /// The second row: the earth's y axis in the device's axes.
    public var y: SIMD3<Double>
    /// The third row: the earth's z axis, up, in the device's axes.
    public var z: SIMD3<Double>

    /// No rotation: the device's axes are the earth's, face up.
    public static let identity = RotationMatrix(x: SIMD3(1, 0, 0), y: SIMD3(0, 1, 0), z: SIMD3(0, 0, 1))

    /// Three rows; an orientation only if they are of length 1 and at right angles.
    public init(x: SIMD3<Double>, y: SIMD3<Double>, z: SIMD3<Double>) {
        self.x = x
        self.y = y
        self.z = z
    }

    /// The rotation of a quaternion of length 1.
    public init(_ q: Quaternion) {
        let (xx, yy, zz) = (2 * q.x * q.x, 2 * q.y * q.y, 2 * q.z * q.z)
        let (xy, xz, yz) = (2 * q.x * q.y, 2 * q.x * q.z, 2 * q.y * q.z)
        let (wx, wy, wz) = (2 * q.w * q.x, 2 * q.w * q.y, 2 * q.w * q.z)
        x = SIMD3(1 - (yy + zz), xy - wz, xz + wy)
        y = SIMD3(xy + wz, 1 - (xx + zz), yz - wx)
        z = SIMD3(xz - wy, yz + wx, 1 - (xx + yy))
    }

    /// A vector in the device's axes, seen in the earth's.
    public static func * (matrix: RotationMatrix, vector: SIMD3<Double>) -> SIMD3<Double> {
        SIMD3((matrix.x * vector).sum(), (matrix.y * vector).sum(), (matrix.z * vector).sum())
    }
}
