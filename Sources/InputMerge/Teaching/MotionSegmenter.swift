import WireProtocol

/// Cuts what a device does into pieces from rest to rest.
///
/// A piece is told as soon as it is over for sure: a third of a second after the last movement. Allocates once, when
/// it is made.
struct MotionSegmenter: Sendable {
    /// The device moves when it turns faster, in rad/s, …
    private static let rate = 0.6
    /// … or is pushed harder, in g.
    private static let push = 0.12
    /// It rests below this share of both, …
    private static let hysteresis = 0.6
    /// … for so long, in s.
    private static let rest = 0.35
    /// Shorter movements are twitches, longer ones no gestures, in s.
    static let durations = 0.25...6.0
    /// Moments closer than this add nothing, in ns: 100 Hz are enough.
    private static let spacing: Int64 = 9_500_000
    private static let capacity = 640

    /// The force since it last changed, in g.
    private var held = SIMD3<Double>.zero
    private var moments: [MotionTrace.Moment] = []
    private var startedAt: DeviceTime?
    private var movedAt = DeviceTime(nanoseconds: 0)
    private var keptAt = DeviceTime(nanoseconds: .min)
    /// Moments up to the last movement.
    private var movedCount = 0

    init() { moments.reserveCapacity(Self.capacity) }

    var isMoving: Bool { startedAt != nil }

    /// What was moved, up to the last movement; until the next one begins.
    var piece: ArraySlice<MotionTrace.Moment> { moments[..<movedCount] }

    /// Whether a piece that may be a gesture has just ended: ``piece``.
    mutating func update(_ motion: DeviceMotion) -> Bool {
        guard motion.gravity != .zero else { return false }
        let now = motion.sampledAt
        let activity = max(motion.rotationRate.length / Self.rate, push(motion) / Self.push)
        guard let startedAt, now >= startedAt else {
            if activity > 1 { start(motion) }
            return false
        }
        keep(motion, since: startedAt)
        if activity > Self.hysteresis {
            movedAt = now
            movedCount = moments.count
            return false
        }
        guard now.seconds(since: movedAt) >= Self.rest else { return false }
        self.startedAt = nil
        return Self.durations.contains(movedAt.seconds(since: startedAt)) && movedCount < Self.capacity
    }

    mutating func interrupt() { startedAt = nil }

    /// How hard the device is pushed, in g. Gravity may be off by some degrees after a wild movement, and sensors by some
    /// per cent: as long as the force stays the same it is no push, whatever the filter makes of it.
    private mutating func push(_ motion: DeviceMotion) -> Double {
        let force = motion.gravity + motion.userAcceleration
        let change = (force - held).length
        if change > Self.hysteresis * Self.push {
            held = force
            return motion.userAcceleration.length
        }
        return min(motion.userAcceleration.length, change)
    }

    private mutating func start(_ motion: DeviceMotion) {
        startedAt = motion.sampledAt
        movedAt = motion.sampledAt
        keptAt = DeviceTime(nanoseconds: .min)
        moments.removeAll(keepingCapacity: true)
        keep(motion, since: motion.sampledAt)
        movedCount = moments.count
    }

    private mutating func keep(_ motion: DeviceMotion, since start: DeviceTime) {
        let now = motion.sampledAt
        guard now.nanoseconds.saturatingSubtract(keptAt.nanoseconds) >= Self.spacing,
            moments.count < Self.capacity
        else { return }
        keptAt = now
        moments.append(
            MotionTrace.Moment(
                time: now.seconds(since: start), force: SIMD3<Float>(-(motion.gravity + motion.userAcceleration)),
                rotationRate: SIMD3<Float>(motion.rotationRate)))
    }
}
