package import SessionCoordinator
import WireProtocol

/// The last 1,000 frames of one peer, and what the paper's method makes of them.
package struct PeerLatency: Hashable, Sendable, Codable {
    package var name: String
    package var player: Int
    /// `null` before the first frame.
    package var paper: Paper?
    /// Ours, since the room opened: one way with synchronised clocks, and above the least delay without.
    package var delay: PeerStatus.Percentiles?
    package var delayUncertaintyMs: Double?
    package var queueing: PeerStatus.Percentiles?
    package var frames: [Frame]

    /// Relative to the median of all frames, with those beyond three standard deviations taken out (KeepCalm's method).
    package struct Paper: Hashable, Sendable, Codable {
        package var frames: Int
        package var outliers: Int
        package var meanMs: Double
        package var p95Ms: Double
        package var maximumMs: Double
        package var minimumMs: Double
        package var standardDeviationMs: Double
    }

    /// Two stamps, each on its own clock, in nanoseconds.
    package struct Frame: Hashable, Sendable, Codable {
        package var sentAtNs: Int64
        package var arrivedAtNs: Int64
    }

    package init(_ status: PeerStatus, frames: [FrameStamps]) {
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
