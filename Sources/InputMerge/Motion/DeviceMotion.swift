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
    /// Device to earth with z up, or device to reference after a re-zero, until its stream begins anew.
    public var attitude: Quaternion
    /// Where things fall, in the device's axes and in g: face up at rest it is (0, 0, -1).
    public var gravity: SIMD3<Double>
    /// What the holder adds, in g and in Apple's sign: `-force / 9.80665 - gravity`.
    public var userAcceleration: SIMD3<Double>
    /// ``userAcceleration`` as the fading mean that ``lowPassFactor`` makes of it, in the same sign and unit.
    public var lowPassedAcceleration: SIMD3<Double>
    /// How much of each sample the low-passed one takes over, if samples lie 10 ms apart (0.01 to 1); at another rate as
    /// much as keeps it equally slow.
    public var lowPassFactor: Double
    /// Angular rate in rad/s; free of bias once the device lay still for 1.5 s.
    public var rotationRate: SIMD3<Double>
    /// What the orientation rests on, and so how far to trust it.
    public var source: Source
    /// Less than a second ago the stream had a hole too long to be bridged or the gyroscope was at its range, so that
    /// orientation and gravity may still be off; never where ``source`` is the controller.
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

    /// Motion at one moment; where no low-passed acceleration is given it is the raw one.
    public init(
        sampledAt: DeviceTime, occurredAt: HostTime, attitude: Quaternion, gravity: SIMD3<Double>,
        userAcceleration: SIMD3<Double>, rotationRate: SIMD3<Double>, source: Source, isDegraded: Bool = false,
        location: SensorLocation = .default, lowPassedAcceleration: SIMD3<Double>? = nil, lowPassFactor: Double = 1
    ) {
        self.sampledAt = sampledAt
        self.occurredAt = occurredAt
        self.attitude = attitude
        self.gravity = gravity
        self.userAcceleration = userAcceleration
        self.lowPassedAcceleration = lowPassedAcceleration ?? userAcceleration
        self.lowPassFactor = lowPassFactor
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
