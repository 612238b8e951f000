/// What became of one stream's samples in the merge, since the stream's epoch began.
public struct StreamTally: Hashable, Sendable {
    /// Fed to device motion, in order.
    public var fed: UInt64 = 0
    /// Arrived after the timeline had passed them; never fed.
    public var late: UInt64 = 0
    /// Axes that are no numbers or beyond the declared range; skipped.
    public var absurd: UInt64 = 0
    /// Sampled at or before the preceding sample; skipped.
    public var backwards: UInt64 = 0
    /// Missing, and filled in by interpolation.
    public var interpolated: UInt64 = 0
    /// Holes too long to fill; motion was degraded after each.
    public var holes: UInt64 = 0

    package init() {}
}
