package import Histogram
import SessionCoordinator
import WireProtocol

/// The delays of one peer's datagrams, in microseconds, up to a minute: HDR histograms of two significant digits.
struct PeerDelays: Sendable {
    private static let longest: UInt64 = 60_000_000
    private(set) var queueing = Self.empty()
    private(set) var oneWay = Self.empty()
    var frames = FrameLog()
    var recent = RecentFrames()
    private var hasClock = false

    /// It grows with the longest delay that came, to 10 KB for a minute: most peers' stay below a third of that.
    private static func empty() -> Histogram<UInt32> { Histogram(numberOfSignificantValueDigits: .two) }

    /// - Parameters: nanoseconds; what is negative within the clocks' uncertainty counts as 0.
    mutating func note(queueing nanoseconds: Int64, oneWay: Int64?) {
        queueing.record(Self.microseconds(nanoseconds))
        if let oneWay { self.oneWay.record(Self.microseconds(oneWay)) }
    }

    /// Stamps of two clocks say nothing about each other: those from before the device's clock was lost go.
    mutating func noteClock(_ state: ClockMapping.State) {
        if state == .none, hasClock { forgetStamps() }
        hasClock = state != .none
    }

    /// What comes next is stamped by a clock that nobody knows yet.
    mutating func forgetStamps() {
        frames = FrameLog()
        recent = RecentFrames()
        hasClock = false
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

    /// When the datagram was sent that arrived then; `nil` for one of long ago.
    func sentAt(arrivedAt time: HostTime) -> DeviceTime? {
        let place = (0..<16).first { arrivedAt[$0] == time.nanoseconds }
        return place.map { DeviceTime(nanoseconds: sentAt[$0]) }
    }
}

extension DelaySummary {
    /// `nil` when nothing was recorded.
    package init?(_ histogram: Histogram<UInt32>) {
        guard histogram.totalCount > 0 else { return nil }
        self.init(
            count: Int(histogram.totalCount), p50: UInt64(histogram.valueAtPercentile(50)),
            p95: UInt64(histogram.valueAtPercentile(95)), p99: UInt64(histogram.valueAtPercentile(99)),
            maximum: UInt64(histogram.max))
    }
}
