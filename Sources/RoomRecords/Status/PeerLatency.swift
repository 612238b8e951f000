package import SessionCoordinator
package import WireProtocol

/// The last 1,000 frames of one peer, and what the paper's method makes of them.
package struct PeerLatency: Hashable, Sendable, Codable {
    package var name: String
    package var player: Int
    /// `null` before the first frame.
    package var paper: Paper?
    /// Ours, of its present stay: one way with synchronised clocks, and above the least delay without.
    package var delay: PeerStatus.Percentiles?
    /// How far the least sure of those one way may be wrong.
    package var delayUncertaintyMs: Double?
    package var queueing: PeerStatus.Percentiles?
    /// The median one way of these frames alone, by the clock as it is known now, and how far it may be wrong; `null`
    /// while that is not known.
    package var medianOneWayMs: Double?
    package var medianOneWayUncertaintyMs: Double?
    /// How the clock of the frames' sending stands to the host's, as it is known now; `nil` while it is not known, and of a
    /// host that does not tell.
    package var clock: Clock?
    package var frames: [Frame]

    /// What the device's clock shows at `deviceNs` is the host's `hostNs`; of each nanosecond there, 1 + `rateOffset` pass
    /// here.
    package struct Clock: Hashable, Sendable, Codable {
        package var deviceNs: Int64
        package var hostNs: Int64
        package var rateOffset: Double
    }

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

    /// - Parameter clock: how the clock stands that stamped the frames' sending.
    package init(_ status: PeerStatus, frames: [FrameStamps], clock: ClockMapping?) {
        name = status.name
        player = status.player
        delay = status.delay
        delayUncertaintyMs = status.delayUncertaintyMs
        queueing = status.queueing
        if let clock, let oldest = frames.first, let newest = frames.last,
            let atOldest = clock.uncertaintyNanoseconds(at: oldest.arrivedAt),
            let atNewest = clock.uncertaintyNanoseconds(at: newest.arrivedAt)
        {
            let ways = frames.map { Self.transit($0.sentAt, $0.arrivedAt.nanoseconds, by: clock) }
            medianOneWayMs = Double(ways.sorted()[ways.count / 2]) / 1e6
            medianOneWayUncertaintyMs = Double(max(atOldest, atNewest)) / 1e6
            self.clock = Clock(
                deviceNs: clock.deviceAnchor.nanoseconds, hostNs: clock.hostAnchor.nanoseconds,
                rateOffset: clock.rateOffset)
        }
        self.frames = frames.map { Frame(sentAtNs: $0.sentAt, arrivedAtNs: $0.arrivedAt.nanoseconds) }
        paper = RelativeLatency(frames).map {
            Paper(
                frames: $0.frames, outliers: $0.outliers, meanMs: $0.mean, p95Ms: $0.p95, maximumMs: $0.maximum,
                minimumMs: $0.minimum, standardDeviationMs: $0.standardDeviation)
        }
    }

    /// How long a frame was under way, in nanoseconds; `nil` while the clock is not known.
    package func transit(of frame: Frame) -> Int64? {
        guard let clock else { return nil }
        let mapping = ClockMapping(
            state: .coarse, deviceAnchor: DeviceTime(nanoseconds: clock.deviceNs),
            hostAnchor: HostTime(nanoseconds: clock.hostNs), rateOffset: clock.rateOffset)
        return Self.transit(frame.sentAtNs, frame.arrivedAtNs, by: mapping)
    }

    private static func transit(_ sentAt: Int64, _ arrivedAt: Int64, by clock: ClockMapping) -> Int64 {
        arrivedAt.saturatingSubtract(clock.hostTime(of: DeviceTime(nanoseconds: sentAt)).nanoseconds)
    }
}
