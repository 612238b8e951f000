public import WireProtocol

/// One datagram's two stamps, on two clocks.
public struct FrameStamps: Hashable, Sendable {
    /// Nanoseconds on the sender's clock.
    public var sentAt: Int64
    /// When the datagram reached the host's socket.
    public var arrivedAt: HostTime

    /// The stamps of one datagram, as they are: neither clock is corrected.
    public init(sentAt: Int64, arrivedAt: HostTime) {
        self.sentAt = sentAt
        self.arrivedAt = arrivedAt
    }

    /// Arrival minus send stamp, in nanoseconds; the clocks' offset is in it.
    public var transit: Int64 { arrivedAt.nanoseconds.saturatingSubtract(sentAt) }
}

/// Latency as the paper measures it, without synchronised clocks: of the last frames, arrival minus send stamp, less the
/// median of these; what lies more than three standard deviations from the mean is taken out (KeepCalm).
///
/// What remains says how unevenly frames arrive, and nothing about how long they take; that the offset of the clocks
/// cannot tell.
public struct RelativeLatency: Hashable, Sendable {
    /// Frames that were looked at, and those of them that were taken out.
    public var frames: Int
    /// See ``frames``: farther than three standard deviations from the mean.
    public var outliers: Int
    /// All in milliseconds, relative to the median.
    public var mean: Double
    /// The 95th percentile, in ms.
    public var p95: Double
    /// The latest frame that is left, in ms behind the median.
    public var maximum: Double
    /// The earliest frame that is left, in ms: below 0 when it came before the median.
    public var minimum: Double
    /// Of the whole population that is left, not of a sample.
    public var standardDeviation: Double

    /// `nil` for no frames at all.
    public init?(_ stamps: some Collection<FrameStamps>) {
        guard !stamps.isEmpty else { return nil }
        let transits = stamps.map(\.transit).sorted()
        let median = transits[transits.count / 2]
        let delays = transits.map { Double($0.saturatingSubtract(median)) / 1e6 }
        let (mean, deviation) = Self.moments(delays)
        let kept = delays.filter { abs($0 - mean) <= 3 * deviation }
        (self.mean, standardDeviation) = Self.moments(kept)
        (frames, outliers) = (delays.count, delays.count - kept.count)
        // The smallest value at or above 95 % of them (nearest rank).
        p95 = kept[max(0, (kept.count * 95 + 99) / 100 - 1)]
        (minimum, maximum) = (kept[0], kept[kept.count - 1])
    }

    private static func moments(_ values: [Double]) -> (mean: Double, deviation: Double) {
        let mean = values.reduce(0, +) / Double(values.count)
        let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return (mean, (squares / Double(values.count)).squareRoot())
    }
}

/// The stamps of a peer's last 1,000 frames, oldest first: 16 KB, made when the first comes.
package struct FrameLog: Hashable, Sendable {
    package static let length = 1_000

    private var stamps: [FrameStamps] = []
    private var next = 0

    package init() {}

    package mutating func note(_ frame: FrameStamps) {
        if stamps.count < Self.length {
            if stamps.isEmpty { stamps.reserveCapacity(Self.length) }
            stamps.append(frame)
        } else {
            stamps[next] = frame
            next = (next + 1) % Self.length
        }
    }

    package var frames: [FrameStamps] { Array(stamps[next...] + stamps[..<next]) }
}
