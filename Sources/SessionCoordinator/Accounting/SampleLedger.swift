package import WireProtocol

/// The account of one stream epoch's samples.
///
/// ```
/// expected = highest + 1 = delivered + late + abandoned + missing
/// ```
public struct SampleLedger: Hashable, Sendable {
    /// Arrived before the timeline passed their index: fed, or waiting to be.
    public private(set) var delivered: UInt64 = 0
    /// Arrived after the timeline had passed their index, or were numbered before, in the epoch before.
    public private(set) var late: UInt64 = 0
    /// Those of the late ones that were sampled before the seat was given: the network is not to blame for them.
    public private(set) var beforeSeat: UInt64 = 0
    /// Fell below the sender's floor: they will never come.
    public private(set) var abandoned: UInt64 = 0
    /// Repeats of what had arrived: outside the law and outside quality.
    public private(set) var redundant: UInt64 = 0
    /// The highest index that is known to exist; `nil` before the first.
    public private(set) var highest: UInt32?

    package init() {}

    /// An account as it was kept.
    package init(
        delivered: UInt64, late: UInt64, beforeSeat: UInt64, abandoned: UInt64, redundant: UInt64, highest: UInt32?
    ) {
        self.delivered = delivered
        self.late = late
        self.beforeSeat = beforeSeat
        self.abandoned = abandoned
        self.redundant = redundant
        self.highest = highest
    }

    /// How many samples the sender made in this stream epoch, as far as indexes and floors tell.
    public var expected: UInt64 { highest.map { UInt64($0) + 1 } ?? 0 }
    /// Known to exist, and neither here nor given up.
    public var missing: UInt64 { expected - delivered - late - abandoned }

    package mutating func book(_ verdict: ArrivalVerdict, index: UInt32) {
        switch verdict {
        case .delivered: delivered += 1
        case .late: late += 1
        case .beforeSeat:
            late += 1
            beforeSeat += 1
        }
        learn(index)
    }

    package mutating func bookRedundant(_ count: Int = 1) { redundant += UInt64(count) }

    /// - Parameter last: the highest of the abandoned indexes.
    package mutating func book(abandoned count: UInt64, last: UInt32) {
        abandoned += count
        learn(last)
    }

    private mutating func learn(_ index: UInt32) { highest = max(highest ?? 0, index) }

    /// Whether the account's law holds. It cannot fail unless the code is wrong.
    public var isBalanced: Bool { delivered + late + abandoned <= expected && beforeSeat <= late }
}

/// Sample ledgers of several stream epochs, added up as integers.
public struct SampleTotals: Hashable, Sendable {
    /// Stream epochs that were added.
    public var epochs: UInt64 = 0
    /// Samples that reached the merge in time.
    public var delivered: UInt64 = 0
    /// Samples that arrived and were counted, never fed: too late for their timeline, sampled without a seat, or
    /// numbered anew in a new epoch.
    public var late: UInt64 = 0
    /// Those of ``late`` that were sampled before the seat was given.
    public var beforeSeat: UInt64 = 0
    /// Samples that fell below their sender's floor: they will never come.
    public var abandoned: UInt64 = 0
    /// Samples that are known to exist, and are neither here nor given up.
    public var missing: UInt64 = 0
    /// Repeats of what had arrived: outside the law and outside quality.
    public var redundant: UInt64 = 0

    package init() {}

    package mutating func add(_ ledger: SampleLedger) {
        epochs += 1
        delivered += ledger.delivered
        late += ledger.late
        beforeSeat += ledger.beforeSeat
        abandoned += ledger.abandoned
        missing += ledger.missing
        redundant += ledger.redundant
    }

    /// How many samples the sender made in all stream epochs, as far as indexes and floors tell.
    public var expected: UInt64 { delivered + late + abandoned + missing }
}
