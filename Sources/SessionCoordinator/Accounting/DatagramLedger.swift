import WireProtocol

/// The account of one link epoch's datagrams. Numbers start at 0, so the first lost ones count too.
///
/// ```
/// authenticated = unique + duplicate + tooOld
/// expected      = highest + 1 = unique + missing
/// ```
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

    public init() {}

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

    public mutating func book(_ verdict: ReplayWindow.Verdict, number: UInt32, bytes size: Int) {
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

    public mutating func bookUnreadable() { unreadable += 1 }
    public mutating func bookRateLimited() { rateLimited += 1 }

    /// Believes the sender about the numbers it used; never backwards.
    public mutating func learn(lastSent number: UInt32) { lastSent = max(lastSent ?? 0, number) }

    /// Whether the account's laws hold. They cannot fail unless the code is wrong.
    public var isBalanced: Bool { unique <= expected && reordered <= unique && unique + missing == expected }
}

/// Datagram ledgers of several link epochs, added up as integers.
public struct DatagramTotals: Hashable, Sendable {
    public var epochs: UInt64 = 0
    public var unique: UInt64 = 0
    public var duplicate: UInt64 = 0
    public var tooOld: UInt64 = 0
    public var reordered: UInt64 = 0
    public var missing: UInt64 = 0
    public var tailMissing: UInt64 = 0
    public var bytes: UInt64 = 0
    public var unreadable: UInt64 = 0
    public var rateLimited: UInt64 = 0

    public init() {}

    public mutating func add(_ ledger: DatagramLedger) {
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

    /// Frames without numbers, by their times. What is missing among them nobody knows: it is not 0.
    mutating func add(_ stream: LegacyStream) {
        epochs += 1
        unique += stream.unique
        duplicate += stream.duplicate
        tooOld += stream.tooOld
        bytes += (stream.unique + stream.duplicate + stream.tooOld) * UInt64(LegacyFrame.size)
        rateLimited += stream.rateLimited
    }

    public var authenticated: UInt64 { unique + duplicate + tooOld }
    public var expected: UInt64 { unique + missing }
}
