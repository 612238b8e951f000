public import WireProtocol

/// How a player moves at one moment, whatever the number of its controllers: what a game that steers asks in every frame.
public struct PlayerMotion: Hashable, Sendable {
    /// The moment that this describes: the one that was asked for, but at most 50 ms after the newest sample.
    public var occurredAt: HostTime
    /// Device to earth with z up, or to where it lay at the last re-zero.
    public var attitude: Quaternion
    /// Where things fall, in the device's axes and in g.
    public var gravity: SIMD3<Double>
    /// In g, Apple's sign.
    public var userAcceleration: SIMD3<Double>
    /// The same, low-passed: see ``DeviceMotion/lowPassedAcceleration``.
    public var lowPassedAcceleration: SIMD3<Double>
    /// How fast that follows: see ``DeviceMotion/lowPassFactor``.
    public var lowPassFactor: Double
    /// In rad/s.
    public var rotationRate: SIMD3<Double>
    /// Whose motion it is, in ascending order.
    public var controllers: [PeerIndex]
    /// How old the oldest sample is that it rests on.
    public var age: Duration
    /// Less than a second ago one of the streams had a hole.
    public var isDegraded: Bool

    /// It rests on a sample older than what may be extrapolated: a memory, not a measurement.
    public var isStale: Bool { age > LiveMotion.longestExtrapolation }
    /// ``attitude`` as roll, pitch and yaw.
    public var eulerAngles: EulerAngles { EulerAngles(attitude) }
    /// Roll (right edge down is positive) and pitch (top edge up is positive) in rad.
    public var tilt: SIMD2<Double> {
        let angles = eulerAngles
        return SIMD2(angles.roll, angles.pitch)
    }

    /// One controller's motion as it is.
    init(_ live: LiveMotion, of peer: PeerIndex) {
        occurredAt = live.motion.occurredAt + live.extrapolated
        attitude = live.motion.attitude
        gravity = live.motion.gravity
        userAcceleration = live.motion.userAcceleration
        lowPassedAcceleration = live.motion.lowPassedAcceleration
        lowPassFactor = live.motion.lowPassFactor
        rotationRate = live.motion.rotationRate
        controllers = [peer]
        age = live.age
        isDegraded = live.motion.isDegraded
    }
}
