import SessionCoordinator
import WireProtocol

/// The last 1,000 frames of one peer, and what the paper's method makes of them.
public struct PeerLatency: Hashable, Sendable, Codable {
    public var name: String
    public var player: Int
    /// `null` before the first frame.
    public var paper: Paper?
    /// Ours, since the room opened: one way with synchronised clocks, and above the least delay without.
    public var delay: PeerStatus.Percentiles?
    public var delayUncertaintyMs: Double?
    public var queueing: PeerStatus.Percentiles?
    public var frames: [Frame]

    /// Relative to the median of all frames, with those beyond three standard deviations taken out (KeepCalm's method).
    public struct Paper: Hashable, Sendable, Codable {
        public var frames: Int
        public var outliers: Int
        public var meanMs: Double
        public var p95Ms: Double
        public var maximumMs: Double
        public var minimumMs: Double
        public var standardDeviationMs: Double
    }

    /// Two stamps, each on its own clock, in nanoseconds.
    public struct Frame: Hashable, Sendable, Codable {
        public var sentAtNs: Int64
        public var arrivedAtNs: Int64
    }

    init(_ status: PeerStatus, frames: [FrameStamps]) {
        name = status.name
        player = status.player
        delay = status.delay
        delayUncertaintyMs = status.clock.uncertaintyMs
        queueing = status.queueing
        self.frames = frames.map { Frame(sentAtNs: $0.sentAt, arrivedAtNs: $0.arrivedAt.nanoseconds) }
        paper = RelativeLatency(frames).map {
            Paper(
                frames: $0.frames, outliers: $0.outliers, meanMs: $0.mean, p95Ms: $0.p95, maximumMs: $0.maximum,
                minimumMs: $0.minimum, standardDeviationMs: $0.standardDeviation)
        }
    }
}
