public import WireProtocol

/// The account of one stream epoch's samples.
///
/// ```
/// expected = highest + 1 = delivered + late + abandoned + missing
/// ```
public struct SampleLedger: Hashable, Sendable {
    /// Arrived before the timeline passed their index: fed, or waiting to be.
    public private(set) var delivered: UInt64 = 0
    /// Arrived after the timeline had passed their index.
    public private(set) var late: UInt64 = 0
    /// Fell below the sender's floor: they will never come.
    public private(set) var abandoned: UInt64 = 0
    /// Repeats of what had arrived: outside the law and outside quality.
    public private(set) var redundant: UInt64 = 0
    /// The highest index that is known to exist; `nil` before the first.
    public private(set) var highest: UInt32?

    public init() {}

    public var expected: UInt64 { highest.map { UInt64($0) + 1 } ?? 0 }
    /// Known to exist, and neither here nor given up.
    public var missing: UInt64 { expected - delivered - late - abandoned }

    public mutating func book(_ verdict: ArrivalVerdict, index: UInt32) {
        switch verdict {
        case .delivered: delivered += 1
        case .late: late += 1
        }
        learn(index)
    }

    public mutating func bookRedundant() { redundant += 1 }

    /// - Parameter last: the highest of the abandoned indexes.
    public mutating func book(abandoned count: UInt64, last: UInt32) {
        abandoned += count
        learn(last)
    }

    private mutating func learn(_ index: UInt32) { highest = max(highest ?? 0, index) }

    /// Whether the account's law holds. It cannot fail unless the code is wrong.
    public var isBalanced: Bool { delivered + late + abandoned <= expected }
}

/// Sample ledgers of several stream epochs, added up as integers.
public struct SampleTotals: Hashable, Sendable {
    public var epochs: UInt64 = 0
    public var delivered: UInt64 = 0
    public var late: UInt64 = 0
    public var abandoned: UInt64 = 0
    public var missing: UInt64 = 0
    public var redundant: UInt64 = 0

    public init() {}

    public mutating func add(_ ledger: SampleLedger) {
        epochs += 1
        delivered += ledger.delivered
        late += ledger.late
        abandoned += ledger.abandoned
        missing += ledger.missing
        redundant += ledger.redundant
    }

    public var expected: UInt64 { delivered + late + abandoned + missing }
}
