/// What an emulated link decided about one datagram, known at the moment when it was sent.
public enum Fate: Hashable, Sendable {
    /// The link was down.
    case down
    /// It was lost on the way, or found the bottleneck's queue full.
    case lost
    /// It arrives, once or twice.
    case carried(Copy, duplicate: Copy?)

    /// One arrival of a datagram.
    public struct Copy: Hashable, Sendable {
        /// When it arrives, in nanoseconds on the clock that `send` was given.
        public var at: Int64
        /// One of its bits is flipped.
        public var isCorrupted: Bool
        /// It was held back on top of its delay.
        public var isHeldBack: Bool

        public init(at: Int64, isCorrupted: Bool = false, isHeldBack: Bool = false) {
            self.at = at
            self.isCorrupted = isCorrupted
            self.isHeldBack = isHeldBack
        }
    }
}
