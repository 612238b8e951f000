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
    /// A hole in the stream lies less than a second back, so that orientation and gravity may still be off.
    public var isDegraded: Bool

    /// Roll (about y, right edge down is positive) and pitch (about x, top edge up is positive) of ``attitude`` in rad.
    public var tilt: SIMD2<Double> {
        let up = attitude.up
        let roll = Elementary.angle(y: -up.x, x: up.z)
        let pitch = Elementary.angle(y: up.y, x: (up.x * up.x + up.z * up.z).squareRoot())
        return SIMD2(roll, pitch)
    }

    public init(
        sampledAt: DeviceTime, occurredAt: HostTime, attitude: Quaternion, gravity: SIMD3<Double>,
        userAcceleration: SIMD3<Double>, rotationRate: SIMD3<Double>, source: Source, isDegraded: Bool = false
    ) {
        self.sampledAt = sampledAt
        self.occurredAt = occurredAt
        self.attitude = attitude
        self.gravity = gravity
        self.userAcceleration = userAcceleration
        self.rotationRate = rotationRate
        self.source = source
        self.isDegraded = isDegraded
    }

    /// The same motion with its attitude counted from another one instead of from the earth.
    func relative(to reference: Quaternion) -> DeviceMotion {
        var motion = self
        motion.attitude = reference.inverse * attitude
        return motion
    }
}
