import WireProtocol

/// What one second of a peer was like.
public struct SecondReport: Hashable, Sendable {
    /// Datagrams that arrived for the first time, at most 65,535.
    public var unique: UInt16 = 0
    /// Numbers that were passed over in that second and had not come by its end.
    public var missing: UInt16 = 0
    /// New samples, delivered or late.
    public var samples: UInt16 = 0
    /// The longest that a datagram queued on its way, in microseconds; `nil` when none came.
    public var worstQueueing: UInt32?

    public init() {}

    /// Nothing arrived at all.
    public var isSilent: Bool { unique == 0 }
}

/// The last minute of a peer, second by second: 60 entries, made once.
struct MinuteHistory: Hashable, Sendable {
    static let length = 60

    private var seconds = [SecondReport](repeating: SecondReport(), count: Self.length)
    /// How many seconds are complete, and which of the host's seconds runs now.
    private var complete = 0
    private var running: Int64?
    private var worst: Int64?
    private var before = (unique: UInt64(0), missing: UInt64(0), samples: UInt64(0))

    static func == (a: Self, b: Self) -> Bool { a.seconds == b.seconds && a.complete == b.complete && a.running == b.running }
    func hash(into hasher: inout Hasher) { hasher.combine(seconds) }

    /// A datagram queued for so long, in nanoseconds.
    mutating func note(queueing: Int64) { worst = max(worst ?? 0, queueing) }

    /// Whether ``roll(to:unique:missing:samples:)`` has anything to do.
    func isOver(at now: HostTime) -> Bool { running != now.nanoseconds / 1_000_000_000 }

    /// Closes the seconds that are over, with the counts of all link and stream epochs as they stand.
    mutating func roll(to now: HostTime, unique: UInt64, missing: UInt64, samples: UInt64) {
        let second = now.nanoseconds / 1_000_000_000
        defer { before = (unique, missing, samples) }
        guard let began = running, second > began else {
            running = max(running ?? second, second)
            return
        }
        var closed = SecondReport()
        closed.unique = UInt16(clamping: unique - min(unique, before.unique))
        closed.missing = UInt16(clamping: missing - min(missing, before.missing))
        closed.samples = UInt16(clamping: samples - min(samples, before.samples))
        closed.worstQueueing = worst.map { UInt32(clamping: $0 / 1_000) }
        append(closed)
        for _ in 1..<min(second - began, Int64(Self.length) + 1) { append(SecondReport()) }
        worst = nil
        running = second
    }

    private mutating func append(_ second: SecondReport) {
        seconds[complete % Self.length] = second
        complete += 1
    }

    /// The complete seconds, at most 60, oldest first.
    var report: [SecondReport] {
        (max(0, complete - Self.length)..<complete).map { seconds[$0 % Self.length] }
    }
}
