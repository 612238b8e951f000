/// The controller's datagram ledger of what the host sent, over all link epochs.
///
/// ```
/// arrivals      = authenticated + badAuth + unknown + malformed
/// authenticated = unique + duplicate + tooOld
/// expected      = unique + missing
/// ```
public struct FeedbackLedger: Hashable, Sendable {
    /// Datagrams of any kind that came.
    public var arrivals = 0
    /// Those that opened under the link's key.
    public var authenticated = 0
    /// Those whose tag did not fit.
    public var badAuth = 0
    /// Those for another link.
    public var unknown = 0
    /// Those that are no datagram of the motion link, or of a kind that does not come this way.
    public var malformed = 0
    /// Different ones that opened.
    public var unique = 0
    /// Copies of those.
    public var duplicate = 0
    /// Those too far behind the highest to tell.
    public var tooOld = 0
    /// Unique ones below the highest number when they came (RFC 4737).
    public var reordered = 0
    /// Numbers up to the highest, in all link epochs.
    public var expected = 0
    /// Unique ones whose content could not be read, or claimed what cannot be; counted beside the law.
    public var unreadable = 0

    package init() {}

    /// Numbers that did not come.
    public var missing: Int { expected - unique }

    /// Whether each datagram is in exactly one class.
    public var isBalanced: Bool {
        arrivals == authenticated + badAuth + unknown + malformed && authenticated == unique + duplicate + tooOld
            && missing >= 0
    }
}
