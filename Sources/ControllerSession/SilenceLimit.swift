import WireProtocol

/// How long a link may be silent before its host counts as not heard: longer where silence was not the end.
///
/// A host that gets no processor time is silent for seconds, and then speaks on; what a joining costs it makes it silent
/// for longer still. So the limit follows what silences healed by themselves, and doubles with each joining that silence
/// led to within a minute of the one before.
struct SilenceLimit: Sendable {
    /// Nanoseconds, as all here: ``ControllerLink/Configuration/feedbackTimeout``, from which it starts.
    let shortest: Int64
    /// A fifth of the host's own patience, and 8 s at most: so much of it is left to come back in.
    private(set) var longest: Int64
    private(set) var limit: Int64
    private var changedAt = Int64.min
    private var rejoinedAt: Int64?

    private static let most: Int64 = 8_000_000_000
    /// Two joinings within this time are two of one trouble.
    private static let memory: Int64 = 60_000_000_000
    /// So long without trouble halves what was learnt.
    private static let calm: Int64 = 30_000_000_000

    init(shortest: Int64) { (self.shortest, longest, limit) = (shortest, max(shortest, Self.most), shortest) }

    /// How long the host keeps the seat of somebody whom it does not hear.
    mutating func expect(patience: Int64) {
        longest = max(shortest, min(Self.most, patience / 5))
        limit = min(limit, longest)
    }

    /// A silent link was given up, and another one opened.
    mutating func rejoined(at now: Int64) {
        if let rejoinedAt, now.saturatingSubtract(rejoinedAt) < Self.memory { set(limit.saturatingAdd(limit), now) }
        rejoinedAt = now
    }

    /// The host is heard, on a link that was silent for as long before.
    mutating func healed(after silence: Int64, at now: Int64) {
        set(max(limit, silence.saturatingAdd(silence / 4)), now)
    }

    /// The host is heard in time.
    mutating func heard(at now: Int64) {
        guard limit > shortest, now.saturatingSubtract(changedAt) >= Self.calm else { return }
        set(limit / 2, now)
    }

    /// The host has hung up its control connection without a goodbye: what is starved does not do that, what has died does.
    mutating func hungUp(at now: Int64) { set(shortest, now) }

    private mutating func set(_ limit: Int64, _ now: Int64) {
        self.limit = max(shortest, min(longest, limit))
        changedAt = now
    }
}
