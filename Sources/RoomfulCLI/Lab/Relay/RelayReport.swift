/// What a relay did to the datagrams that passed through it, in all.
///
/// `taken + doubled == lost + delivered + corrupted` when it has ended.
struct RelayReport: Hashable, Sendable, Codable {
    /// Datagrams that came from controllers and bear a header.
    var taken = 0
    var lost = 0
    /// Second copies made.
    var doubled = 0
    /// Whole copies passed on.
    var delivered = 0
    /// Copies passed on with a bit flipped.
    var corrupted = 0
    /// Arrivals without a header that can be read; passed on like all others.
    var unreadable = 0
    /// Arrivals of senders for whom there was no place.
    var turnedAway = 0
    /// Datagrams that this machine's kernel threw away before the relay read them; `null` when it does not say.
    var kernelDrops: Int?
    /// Datagrams that the kernel did not take, up and down.
    var unsentUp = 0
    var unsentDown = 0
    /// Datagrams from the room, and copies of them passed on.
    var downTaken = 0
    var downDelivered = 0

    var isBalanced: Bool { taken + doubled == lost + delivered + corrupted }
}
