public import WireProtocol

/// A player's motion for this very moment, as a game that steers wants it in every frame.
///
/// The newest sample is a little old when it is asked for; the device is taken to have turned on meanwhile as it turned
/// then, for at most 50 ms:
/// ```
/// age           0 ──────────── 50 ms ─────────────▶
/// extrapolated  0 ────────────▶ 50 ms  and no more
/// isStale       false                  true
/// ```
public struct LiveMotion: Hashable, Sendable {
    /// No turn is carried on for longer.
    public static let longestExtrapolation = Duration.milliseconds(50)

    /// The newest motion, with ``DeviceMotion/attitude`` and ``DeviceMotion/gravity`` carried on. Its times are still
    /// those of the sample.
    public var motion: DeviceMotion
    /// Which sensor shows it.
    public var sensor: StreamKey
    /// How long ago the sample was taken.
    public var age: Duration
    /// How far attitude and gravity were carried on.
    public var extrapolated: Duration

    /// The sample is older than what may be extrapolated: the attitude is a memory, not a measurement.
    public var isStale: Bool { age > Self.longestExtrapolation }

    /// - Parameter reference: what the motion's attitude is counted from.
    init(_ newest: DeviceMotion, of sensor: StreamKey, at now: HostTime) {
        motion = newest
        self.sensor = sensor
        age = max(now - newest.occurredAt, .zero)
        extrapolated = min(age, Self.longestExtrapolation)
        let turn = Quaternion(rotationVector: newest.rotationRate * extrapolated.seconds)
        motion.attitude = (newest.attitude * turn).normalized() ?? newest.attitude
        motion.gravity = turn.inverse.rotate(newest.gravity)
    }
}
