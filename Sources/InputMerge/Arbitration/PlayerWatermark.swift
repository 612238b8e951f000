public import WireProtocol

/// Until when everything is known that a player did.
///
/// A watermark as in stream processing (Akidau et al., *The Dataflow Model*, VLDB 2015): nothing that happened before it will
/// be told any more.
public struct PlayerWatermark: Hashable, Sendable {
    /// Whose it is.
    public var player: PlayerNumber
    /// Whether one of its controllers was heard of late.
    public var isLive: Bool
    /// On the host's clock; `nil` before the first sample, and where nobody is heard.
    public var watermark: HostTime?
    /// How far that moment may be wrong either way, in ns; `nil` while no controller's clock was measured.
    public var uncertaintyNanoseconds: Int64?
    /// How well the clock is known of the controller, of those that are heard, whose clock is known worst.
    public var clock: ClockMapping.State

    /// What is known of a player.
    public init(
        player: PlayerNumber, isLive: Bool, watermark: HostTime?, uncertaintyNanoseconds: Int64?,
        clock: ClockMapping.State
    ) {
        self.player = player
        self.isLive = isLive
        self.watermark = watermark
        self.uncertaintyNanoseconds = uncertaintyNanoseconds
        self.clock = clock
    }
}
