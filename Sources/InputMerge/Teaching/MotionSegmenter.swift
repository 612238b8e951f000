import WireProtocol

/// Cuts what a device does into pieces from rest to rest.
///
/// A piece is told as soon as it is over for sure: a third of a second after the last movement. That rest is part of it, and
/// so is as much of the rest before it: which sample is the first and the last that moves is chance where a hand sets out
/// and settles slowly, and with rest at both ends time warping puts that right. Allocates when it is made and never again.
struct MotionSegmenter: Sendable {
    /// The device moves when it turns faster, in rad/s, …
    static let rate = 0.6
    /// … or is pushed harder, in g.
    static let push = 0.12
    /// It rests below this share of both, …
    private static let hysteresis = 0.6
    /// … for so long, in s.
    static let rest = 0.35
    /// Shorter movements are twitches, longer ones no gestures, in s.
    static let durations = 0.25...6.0
    /// Moments closer than this add nothing, in ns: 100 Hz are enough.
    private static let spacing: Int64 = 9_500_000
    private static let mostMoved = 640
    /// Moments that a rest has at most, give or take one.
    private static let mostRested = 37
    private static let capacity = mostMoved + 2 * mostRested

    /// What the device did at one time.
    private struct Recent: Sendable {
        var at = DeviceTime(nanoseconds: .min)
        var force = SIMD3<Float>.zero
        var rotationRate = SIMD3<Float>.zero
    }

    /// The force since it last changed, in g.
    private var held = SIMD3<Double>.zero
    /// What it did lately, each in the place of the one that is a rest older.
    private var recent = [Recent](repeating: Recent(), count: mostRested)
    /// How many of them there have been.
    private var recentCount = 0
    private var moments: [MotionTrace.Moment] = []
    private var startedAt: DeviceTime?
    private var movedAt = DeviceTime(nanoseconds: 0)
    private var keptAt = DeviceTime(nanoseconds: .min)
    /// A hole came after what was kept last.
    private var isInterrupted = false
    /// Moments up to the last movement; once the piece is over, all of them.
    private var pieceCount = 0

    init() { moments.reserveCapacity(Self.capacity) }

    var isMoving: Bool { startedAt != nil }

    /// What was done, from the rest before it up to the last movement, or to the end of the rest after it once that is over;
    /// until the next one begins. Its time is 0 where the device began to move.
    var piece: ArraySlice<MotionTrace.Moment> { moments[..<pieceCount] }

    /// Whether a piece that may be a gesture has just ended: ``piece``.
    mutating func update(_ motion: DeviceMotion) -> Bool {
        guard motion.gravity != .zero else { return false }
        let now = motion.sampledAt
        bridge(until: now)
        let activity = max(motion.rotationRate.length / Self.rate, push(motion) / Self.push)
        guard let startedAt, now >= startedAt else {
            if activity > 1 { start(motion) } else { note(motion) }
            return false
        }
        keep(motion, since: startedAt)
        if activity > Self.hysteresis {
            movedAt = now
            pieceCount = moments.count
            return false
        }
        guard now.seconds(since: movedAt) >= Self.rest else { return false }
        self.startedAt = nil
        let isWhole = pieceCount < Self.mostMoved + Self.mostRested
        pieceCount = moments.count
        return Self.durations.contains(movedAt.seconds(since: startedAt)) && isWhole
    }

    mutating func interrupt() { isInterrupted = true }

    /// A gesture survives a hole that is shorter than a rest, as nobody ends one and begins another in it: its shape, of few
    /// moments, hardly changes. Slow sensors and stuttering phones have such holes in many a gesture.
    private mutating func bridge(until now: DeviceTime) {
        guard isInterrupted else { return }
        isInterrupted = false
        guard now.seconds(since: keptAt) > Self.rest else { return }
        startedAt = nil
        recentCount = 0
    }

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
        let now = motion.sampledAt
        startedAt = now
        movedAt = now
        moments.removeAll(keepingCapacity: true)
        for place in max(0, recentCount - Self.mostRested)..<recentCount {
            let moment = recent[place % Self.mostRested]
            let time = moment.at.seconds(since: now)
            guard time < 0, time >= -Self.rest else { continue }
            moments.append(
                MotionTrace.Moment(time: time, force: moment.force, rotationRate: moment.rotationRate))
        }
        // However soon after the last one, the first that moves counts.
        keptAt = DeviceTime(nanoseconds: .min)
        keep(motion, since: now)
        pieceCount = moments.count
    }

    private mutating func keep(_ motion: DeviceMotion, since start: DeviceTime) {
        guard moments.count < Self.capacity, let moment = note(motion) else { return }
        moments.append(
            MotionTrace.Moment(
                time: moment.at.seconds(since: start), force: moment.force, rotationRate: moment.rotationRate))
    }

    /// - Returns: `nil` when it comes so soon after the last one that it adds nothing.
    @discardableResult
    private mutating func note(_ motion: DeviceMotion) -> Recent? {
        let now = motion.sampledAt
        if now < keptAt { (keptAt, recentCount) = (DeviceTime(nanoseconds: .min), 0) }
        guard now.nanoseconds.saturatingSubtract(keptAt.nanoseconds) >= Self.spacing else { return nil }
        keptAt = now
        let moment = Recent(
            at: now, force: SIMD3<Float>(-(motion.gravity + motion.userAcceleration)),
            rotationRate: SIMD3<Float>(motion.rotationRate))
        recent[recentCount % Self.mostRested] = moment
        recentCount += 1
        return moment
    }
}
