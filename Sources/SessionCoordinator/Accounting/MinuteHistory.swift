import WireProtocol

/// What one second of a peer was like.
public struct SecondReport: Hashable, Sendable {
    // Without an optional, and the widest first: so it takes 12 bytes, and not 16.
    private var queueing = UInt32.max
    /// Datagrams that arrived for the first time, at most 65,535.
    public var unique: UInt16 = 0
    /// Numbers that were passed over in that second and had not come by its end.
    public var missing: UInt16 = 0
    /// New samples, delivered or late.
    public var samples: UInt16 = 0
    /// Those of them that came too late for gestures.
    public var late: UInt16 = 0

    package init() {}

    /// The longest that a datagram queued on its way, in microseconds; `nil` when none came.
    public var worstQueueing: UInt32? {
        get { queueing == .max ? nil : queueing }
        set { queueing = newValue ?? .max }
    }

    /// Nothing arrived at all.
    public var isSilent: Bool { unique == 0 }
}

/// New samples of the last minute, but for what a peer had held back while nobody heard it, and what came while the host
/// itself was late: that is late on any network.
public struct RecentSamples: Hashable, Sendable {
    /// Delivered or late.
    public var all = 0
    /// Too late for gestures.
    public var late = 0
    /// Those of the late ones that were old when they were sent: in their second and in the one before no datagram was
    /// missing, and none queued for long.
    public var old = 0
    /// Too late for gestures as the host itself stood still, or was behind; none of the others.
    public var missedByHost = 0
    /// Given up by their sender, since a minute passed without any; 0 once the last are a minute ago.
    public var abandoned = 0

    package init() {}
}

/// The last minute of a peer, second by second: room for 60 entries, made when the first is complete.
struct MinuteHistory: Sendable {
    static let length = 60
    /// What was held back through a silence has come after so many seconds.
    private static let wake = 3
    /// A datagram that queued for so many microseconds makes nothing late.
    private static let shortQueue: UInt32 = 100_000

    /// A ring, once it is full.
    private var seconds: [SecondReport] = []
    /// How many seconds are complete, and which of the host's seconds runs now.
    private var complete = 0
    private var running: Int64?
    private var worst: Int64?
    private var before = (
        unique: UInt64(0), missing: UInt64(0), samples: UInt64(0), late: UInt64(0), abandoned: UInt64(0)
    )
    /// The latest losses, and in which of the complete seconds the last of them was.
    private var losses = (count: UInt64(0), at: -length - 1)
    /// Whether the host itself is late in the second that runs; and in which of the complete ones it was, the newest in the
    /// lowest bit.
    private var isHostLate = false
    private var hostLate: UInt64 = 0

    /// A datagram queued for so long, in nanoseconds.
    mutating func note(queueing: Int64) { worst = max(worst ?? 0, queueing) }

    /// The host itself stood still until now.
    mutating func noteHostPause() { isHostLate = true }

    /// What came waited here for so long, in nanoseconds.
    mutating func note(waited: Int64) { if waited > PeerTimer.hostPause { isHostLate = true } }

    /// Whether ``roll(to:unique:missing:samples:late:abandoned:)`` has anything to do.
    func isOver(at now: HostTime) -> Bool { running != now.nanoseconds / 1_000_000_000 }

    /// Closes the seconds that are over, with the counts of all link and stream epochs as they stand.
    mutating func roll(
        to now: HostTime, unique: UInt64, missing: UInt64, samples: UInt64, late: UInt64, abandoned: UInt64 = 0
    ) {
        let second = now.nanoseconds / 1_000_000_000
        defer { before = (unique, missing, samples, late, abandoned) }
        guard let began = running, second > began else {
            running = max(running ?? second, second)
            return
        }
        var closed = SecondReport()
        closed.unique = UInt16(clamping: unique - min(unique, before.unique))
        closed.missing = UInt16(clamping: missing - min(missing, before.missing))
        closed.samples = UInt16(clamping: samples - min(samples, before.samples))
        closed.late = UInt16(clamping: late - min(late, before.late))
        let lost = abandoned - min(abandoned, before.abandoned)
        let isHostsDoing = isHostLate || hostLate & (1 << Self.wake - 1) != 0
        if lost > 0, !isHostsDoing { losses = (isLossRecent ? losses.count + lost : lost, complete) }
        closed.worstQueueing = worst.map { UInt32(clamping: $0 / 1_000) }
        append(closed)
        for _ in 1..<min(second - began, Int64(Self.length) + 1) { append(SecondReport()) }
        worst = nil
        isHostLate = false
        running = second
    }

    private mutating func append(_ second: SecondReport) {
        if seconds.isEmpty { seconds.reserveCapacity(Self.length) }
        if seconds.count < Self.length {
            seconds.append(second)
        } else {
            seconds[complete % Self.length] = second
        }
        complete += 1
        hostLate = hostLate << 1 | (isHostLate ? 1 : 0)
    }

    private var isLossRecent: Bool { complete - losses.at <= Self.length }

    /// The complete seconds, at most 60, oldest first.
    var report: [SecondReport] {
        (max(0, complete - Self.length)..<complete).map { seconds[$0 % Self.length] }
    }

    /// What a slow network shows in. A room that was opened anew begins in the wake of its own silence.
    var recentSamples: RecentSamples {
        var sum = RecentSamples()
        sum.abandoned = isLossRecent ? Int(clamping: losses.count) : 0
        var wake = complete > Self.length ? 0 : Self.wake
        var isHostsDoing = false
        var wasSmooth = false
        let minute = report
        for (place, second) in minute.enumerated() {
            let isHostLate = hostLate >> (minute.count - 1 - place) & 1 != 0
            let isSmooth = second.missing == 0 && second.worstQueueing.map { $0 < Self.shortQueue } ?? false
            defer { wasSmooth = isSmooth }
            if isHostLate || second.isSilent {
                (wake, isHostsDoing) = (Self.wake, isHostLate)
            } else if wake > 0 {
                wake -= 1
            } else {
                isHostsDoing = false
                sum.all += Int(second.samples)
                sum.late += Int(second.late)
                if isSmooth, wasSmooth { sum.old += Int(second.late) }
            }
            if isHostsDoing { sum.missedByHost += Int(second.late) }
        }
        return sum
    }
}
