import SessionCoordinator
import WireProtocol

/// The delays of one peer's datagrams, in microseconds, up to a minute.
struct PeerDelays: Sendable {
    private static let longest: UInt64 = 60_000_000
    private(set) var queueing = DelayCounts()
    private(set) var oneWay = DelayCounts()
    var frames = FrameLog()
    var recent = RecentFrames()
    /// How the device's clock stands, and how many delays had been counted one way when that was told.
    private var clock: ClockMapping?
    private var countedBefore: UInt64 = 0
    /// How far the least sure of those may be wrong.
    private var errorBefore: Int64?

    /// Notes a datagram's stamps and its delays.
    ///
    /// - Parameters:
    ///   - nanoseconds: what is negative within the clocks' uncertainty counts as 0; so does `oneWay`.
    ///   - isLogged: whether the frame is kept for the paper's log.
    mutating func note(_ frame: FrameStamps, queueing nanoseconds: Int64, oneWay: Int64?, isLogged: Bool) {
        queueing.record(Self.microseconds(nanoseconds))
        if let oneWay { self.oneWay.record(Self.microseconds(oneWay)) }
        recent.note(frame)
        if isLogged { frames.note(frame) }
    }

    /// How far the least sure of the one-way delays may be wrong, in nanoseconds; `nil` before the first.
    ///
    /// What is not known of a clock grows until it is told anew: of those counted by one mapping, the last is the least sure.
    var oneWayUncertainty: Int64? {
        guard oneWay.total > countedBefore, let error = clock?.uncertaintyNanoseconds(at: recent.newestArrival)
        else { return errorBefore }
        return max(errorBefore ?? 0, error)
    }

    /// Stamps of two clocks say nothing about each other: those from before the device's clock was lost go.
    mutating func noteClock(_ mapping: ClockMapping) {
        if mapping.state == .none, let clock, clock.state != .none { forgetStamps() }
        begin(mapping)
    }

    /// What is counted from now on is counted by this clock.
    private mutating func begin(_ mapping: ClockMapping?) {
        (errorBefore, countedBefore, clock) = (oneWayUncertainty, oneWay.total, mapping)
    }

    /// What comes next is stamped by a clock that nobody knows yet.
    mutating func forgetStamps() {
        begin(nil)
        frames = FrameLog()
        recent = RecentFrames()
    }

    private static func microseconds(_ nanoseconds: Int64) -> UInt64 {
        min(longest, UInt64(max(0, nanoseconds / 1_000)))
    }
}

/// The stamps of a peer's last 16 datagrams, kept in rooms of any size: which of them brought a sample.
struct RecentFrames: Sendable {
    private var sentAt = SIMD16<Int64>.zero
    private var arrivedAt = SIMD16<Int64>(repeating: .min)
    private var next = 0

    mutating func note(_ frame: FrameStamps) {
        sentAt[next] = frame.sentAt
        arrivedAt[next] = frame.arrivedAt.nanoseconds
        next = (next + 1) % 16
    }

    /// When the newest came; before the first, long ago.
    var newestArrival: HostTime { HostTime(nanoseconds: arrivedAt[(next + 15) % 16]) }

    /// When the datagram was sent that arrived then; `nil` for one of long ago.
    func sentAt(arrivedAt time: HostTime) -> DeviceTime? {
        let place = (0..<16).first { arrivedAt[$0] == time.nanoseconds }
        return place.map { DeviceTime(nanoseconds: sentAt[$0]) }
    }
}

extension DelaySummary {
    /// `nil` when nothing was recorded.
    init?(_ counts: DelayCounts) {
        guard counts.total > 0 else { return nil }
        self.init(
            count: Int(counts.total), p50: counts.value(at: 50), p95: counts.value(at: 95), p99: counts.value(at: 99),
            maximum: counts.maximum)
    }
}
