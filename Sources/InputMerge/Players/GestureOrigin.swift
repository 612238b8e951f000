public import WireProtocol

/// Where a gesture's time went until it was told: what latency is counted from.
public struct GestureOrigin: Hashable, Sendable {
    /// The gesture whose time it is about; the same as in its ``GestureEvent``.
    public var gesture: GestureID
    /// When it happened, on the host's clock.
    public var occurredAt: HostTime
    /// ± ns; `nil` while a clock was not measured.
    public var uncertaintyNanoseconds: Int64?
    /// When the sample that showed it reached the host; of several controllers, the last one's.
    public var arrivedAt: HostTime
    /// When ``Merge/advance(to:heardUntil:)`` told it.
    public var toldAt: HostTime
    /// Who made it.
    public var controllers: [PeerIndex]
}
