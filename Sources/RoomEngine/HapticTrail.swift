import InputMerge
import WireProtocol

/// A haptic on its way: what its receipt will be held against.
struct HapticTrail: Sendable {
    /// The gesture that it answers, and when the sample that showed it was sent, as far as that is known.
    struct Cause: Sendable {
        var origin: GestureOrigin
        var sentAt: HostTime?
        /// How far that may be wrong, in ns: by the controller's clock alone.
        var clockUncertainty: Int64
    }

    var peer: PeerIndex
    var commandedAt: HostTime
    var duration: Duration
    var cause: Cause?

    /// Where the time went.
    ///
    /// - Parameters:
    ///   - sentAt: when the command left; `nil` when that is not known.
    ///   - playedAt: on the host's clock, ± `uncertainty` ns; `nil` while the controller's clock is not known.
    func latency(sentAt: HostTime?, playedAt: HostTime, uncertainty: Int64?) -> HapticLatency {
        var latency = HapticLatency(gesture: cause?.origin.gesture)
        var from: (HostTime, Int64)? = (commandedAt, 0)
        if let cause {
            let origin = cause.origin
            from = origin.uncertaintyNanoseconds.map { (origin.occurredAt, $0) }
            if let uncertainty = origin.uncertaintyNanoseconds, let sent = cause.sentAt {
                // Both moments are of one clock: how that stands to ours makes no difference.
                let own = max(0, uncertainty - cause.clockUncertainty)
                latency.sensor = Self.span(from: origin.occurredAt, to: sent, own)
                latency.network = Self.span(from: sent, to: origin.arrivedAt, cause.clockUncertainty)
            }
            latency.fusion = Self.span(from: origin.arrivedAt, to: origin.toldAt, 0)
        }
        if let sentAt {
            latency.command = Self.span(from: cause?.origin.toldAt ?? commandedAt, to: sentAt, 0)
            latency.played = uncertainty.map { Self.span(from: sentAt, to: playedAt, $0) }
        }
        if let uncertainty, let from {
            latency.total = Self.span(from: from.0, to: playedAt, from.1.saturatingAdd(uncertainty))
        }
        return latency
    }

    private static func span(from: HostTime, to: HostTime, _ uncertainty: Int64) -> HapticLatency.Span {
        .init(duration: to - from, uncertainty: .nanoseconds(uncertainty))
    }
}
