public import WireProtocol

/// How a device lies and moves at one moment, in CoreMotion's terms and signs.
public struct DeviceMotion: Hashable, Sendable {
    /// What the orientation rests on.
    public enum Source: String, Hashable, Sendable, Codable {
        /// The controller sent its attitude; it was taken over.
        case controller
        /// Gyroscope and accelerometer were fused here. The heading starts at zero and drifts slowly.
        case sixAxis
        /// There is no gyroscope: gravity is the low-passed acceleration, the heading is meaningless.
        case acceleration
        /// There is no accelerometer: the orientation only counts turns, gravity is unknown and reads zero.
        case rotation
    }

    /// When the sensor was read, on the device's clock.
    public var sampledAt: DeviceTime
    /// The same moment on the host's clock.
    public var occurredAt: HostTime
    /// Device to earth with z up, or device to reference after a re-zero.
    public var attitude: Quaternion
    /// Where things fall, in the device's axes and in g: face up at rest it is (0, 0, -1).
    public var gravity: SIMD3<Double>
    /// What the holder adds, in g and in Apple's sign: `-force / 9.80665 - gravity`.
    public var userAcceleration: SIMD3<Double>
    /// Angular rate in rad/s; free of bias once the device lay still for 1.5 s.
    public var rotationRate: SIMD3<Double>
    public var source: Source
    /// Less than a second ago the stream had a hole or the gyroscope was at its range, so that orientation and gravity
    /// may still be off.
    public var isDegraded: Bool
    /// Where on its person the sensor sits.
    public var location: SensorLocation

    /// ``attitude`` as a matrix, device to earth. Its last row is where up lies in the device: ``gravity`` reversed.
    public var rotationMatrix: RotationMatrix { RotationMatrix(attitude) }
    /// ``attitude`` as roll, pitch and yaw.
    public var eulerAngles: EulerAngles { EulerAngles(attitude) }

    /// Roll (about y, right edge down is positive) and pitch (about x, top edge up is positive) of ``attitude`` in rad.
    public var tilt: SIMD2<Double> {
        let angles = eulerAngles
        return SIMD2(angles.roll, angles.pitch)
    }

    public init(
        sampledAt: DeviceTime, occurredAt: HostTime, attitude: Quaternion, gravity: SIMD3<Double>,
        userAcceleration: SIMD3<Double>, rotationRate: SIMD3<Double>, source: Source, isDegraded: Bool = false,
        location: SensorLocation = .default
    ) {
        self.sampledAt = sampledAt
        self.occurredAt = occurredAt
        self.attitude = attitude
        self.gravity = gravity
        self.userAcceleration = userAcceleration
        self.rotationRate = rotationRate
        self.source = source
        self.isDegraded = isDegraded
        self.location = location
    }

    /// The same motion with its attitude counted from another one instead of from the earth.
    func relative(to reference: Quaternion) -> DeviceMotion {
        var motion = self
        motion.attitude = reference.inverse * attitude
        return motion
    }
}
