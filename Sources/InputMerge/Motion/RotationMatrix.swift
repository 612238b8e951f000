/// An orientation as a matrix: multiplied by it, a vector in the device's axes is seen in the earth's.
///
/// The rows are the earth's axes x, y, z as they lie in the device's; the last one points up.
public struct RotationMatrix: Hashable, Sendable {
    public var x: SIMD3<Double>
    public var y: SIMD3<Double>
    public var z: SIMD3<Double>

    public static let identity = RotationMatrix(x: SIMD3(1, 0, 0), y: SIMD3(0, 1, 0), z: SIMD3(0, 0, 1))

    public init(x: SIMD3<Double>, y: SIMD3<Double>, z: SIMD3<Double>) {
        self.x = x
        self.y = y
        self.z = z
    }

    public init(_ q: Quaternion) {
        let (xx, yy, zz) = (2 * q.x * q.x, 2 * q.y * q.y, 2 * q.z * q.z)
        let (xy, xz, yz) = (2 * q.x * q.y, 2 * q.x * q.z, 2 * q.y * q.z)
        let (wx, wy, wz) = (2 * q.w * q.x, 2 * q.w * q.y, 2 * q.w * q.z)
        x = SIMD3(1 - (yy + zz), xy - wz, xz + wy)
        y = SIMD3(xy + wz, 1 - (xx + zz), yz - wx)
        z = SIMD3(xz - wy, yz + wx, 1 - (xx + yy))
    }

    public static func * (matrix: RotationMatrix, vector: SIMD3<Double>) -> SIMD3<Double> {
        SIMD3((matrix.x * vector).sum(), (matrix.y * vector).sum(), (matrix.z * vector).sum())
    }
}
