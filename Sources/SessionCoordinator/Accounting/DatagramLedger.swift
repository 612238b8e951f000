import WireProtocol

/// The account of one link epoch's datagrams. Numbers start at 0, so the first lost ones count too.
///
/// ```
/// authenticated = unique + duplicate + tooOld
/// expected      = highest + 1 = unique + missing
/// ```
///
/// Both lines define: ``authenticated`` and ``missing`` are computed by them, and agree with them whatever is counted.
/// Laws that a mistake would break are two: no more are unique than expected, and no more reordered than unique.
public struct DatagramLedger: Hashable, Sendable {
    /// Numbers that arrived, each counted once.
    public private(set) var unique: UInt64 = 0
    /// Arrivals of a number that had arrived before.
    public private(set) var duplicate: UInt64 = 0
    /// Arrivals behind the replay window: nobody can tell whether they were copies.
    public private(set) var tooOld: UInt64 = 0
    /// Unique arrivals whose number was below the highest at that moment (RFC 4737).
    public private(set) var reordered: UInt64 = 0
    /// The highest number that arrived; `nil` before the first.
    public private(set) var highest: UInt32?
    /// The highest number that the sender says it used: from heartbeats, goodbyes and the control channel.
    public private(set) var lastSent: UInt32?
    /// Bytes of authenticated datagrams, UDP payload only.
    public private(set) var bytes: UInt64 = 0
    /// Authenticated datagrams whose content could not be read: a bug of the peer's program. Beside the law.
    public private(set) var unreadable: UInt64 = 0
    /// Authenticated datagrams whose runs were not taken because the peer sent too many. Beside the law.
    public private(set) var rateLimited: UInt64 = 0

    package init() {}

    /// An account as it was kept.
    package init(
        unique: UInt64, duplicate: UInt64, tooOld: UInt64, reordered: UInt64, highest: UInt32?, lastSent: UInt32?,
        bytes: UInt64, unreadable: UInt64, rateLimited: UInt64
    ) {
        self.unique = unique
        self.duplicate = duplicate
        self.tooOld = tooOld
        self.reordered = reordered
        self.highest = highest
        self.lastSent = lastSent
        self.bytes = bytes
        self.unreadable = unreadable
        self.rateLimited = rateLimited
    }

    /// Datagrams that opened under the link's key, copies included: each stands in exactly one class of the account.
    public var authenticated: UInt64 { unique + duplicate + tooOld }

    /// How many numbers were used, as far as arrivals tell.
    public var expected: UInt64 { highest.map { UInt64($0) + 1 } ?? 0 }

    /// Numbers below the highest that did not arrive; provisional inside the replay window, final behind it.
    public var missing: UInt64 { expected - unique }

    /// Numbers above the highest that arrived which the sender says it used: the end of a dead link.
    public var tailMissing: UInt64 {
        guard let lastSent else { return 0 }
        return highest.map { lastSent > $0 ? UInt64(lastSent - $0) : 0 } ?? UInt64(lastSent) + 1
    }

    /// RFC 3550's cumulative number of packets lost: expected minus received, where copies count as received, so that
    /// it may be negative.
    public var cumulativeLost: Int64 { Int64(expected) - Int64(unique + duplicate) }

    package mutating func book(_ verdict: ReplayWindow.Verdict, number: UInt32, bytes size: Int) {
        bytes += UInt64(size)
        switch verdict {
        case .newest:
            unique += 1
            highest = number
        case .reordered:
            unique += 1
            reordered += 1
        case .duplicate: duplicate += 1
        case .tooOld: tooOld += 1
        }
    }

    package mutating func bookUnreadable() { unreadable += 1 }
    package mutating func bookRateLimited() { rateLimited += 1 }

    /// Believes the sender about the numbers it used; never backwards.
    public mutating func learn(lastSent number: UInt32) { lastSent = max(lastSent ?? 0, number) }

    /// Whether the account's laws hold. They cannot fail unless the code is wrong.
    public var isBalanced: Bool { unique <= expected && reordered <= unique }
}

/// Datagram ledgers of several link epochs, added up as integers.
public struct DatagramTotals: Hashable, Sendable {
    /// Link epochs that were added.
    public var epochs: UInt64 = 0
    /// Numbers that arrived, each counted once in its link epoch.
    public var unique: UInt64 = 0
    /// Arrivals of a number that had arrived before.
    public var duplicate: UInt64 = 0
    /// Arrivals behind the replay window: nobody can tell whether they were copies.
    public var tooOld: UInt64 = 0
    /// Unique arrivals whose number was below the highest at that moment (RFC 4737).
    public var reordered: UInt64 = 0
    /// Numbers below the highest of their link epoch that did not arrive. Of frames without numbers nothing is known.
    public var missing: UInt64 = 0
    /// Numbers above the highest that arrived which the sender says it used: the ends of links.
    public var tailMissing: UInt64 = 0
    /// Bytes of authenticated datagrams, UDP payload only.
    public var bytes: UInt64 = 0
    /// Authenticated datagrams whose content could not be read: a bug of the peer's program. Beside the law.
    public var unreadable: UInt64 = 0
    /// Authenticated datagrams whose runs were not taken because the peer sent too many. Beside the law.
    public var rateLimited: UInt64 = 0

    package init() {}

    package mutating func add(_ ledger: DatagramLedger) {
        epochs += 1
        unique += ledger.unique
        duplicate += ledger.duplicate
        tooOld += ledger.tooOld
        reordered += ledger.reordered
        missing += ledger.missing
        tailMissing += ledger.tailMissing
        bytes += ledger.bytes
        unreadable += ledger.unreadable
        rateLimited += ledger.rateLimited
    }

    /// The ledger of a link epoch that was added went on a little: nothing in it gets less but what was missing.
    mutating func replace(_ before: DatagramLedger, by now: DatagramLedger) {
        unique += now.unique - before.unique
        duplicate += now.duplicate - before.duplicate
        tooOld += now.tooOld - before.tooOld
        reordered += now.reordered - before.reordered
        missing = missing &+ now.missing &- before.missing
        tailMissing = tailMissing &+ now.tailMissing &- before.tailMissing
        bytes += now.bytes - before.bytes
        unreadable += now.unreadable - before.unreadable
        rateLimited += now.rateLimited - before.rateLimited
    }

    /// Frames without numbers, by their times. What is missing among them nobody knows: it is not 0.
    mutating func add(_ stream: LegacyStream) {
        epochs += 1
        unique += stream.unique
        duplicate += stream.duplicate
        tooOld += stream.tooOld
        bytes += (stream.unique + stream.duplicate + stream.tooOld) * UInt64(LegacyFrame.size)
        rateLimited += stream.rateLimited
    }

    /// Datagrams that opened under one of the links' keys, copies included.
    public var authenticated: UInt64 { unique + duplicate + tooOld }
    /// How many numbers were used in all link epochs, as far as arrivals tell.
    public var expected: UInt64 { unique + missing }
}
