/// Which of a room's events have come: all up to one number, and some beyond it.
///
/// Numbers have no gaps where they are given out; what comes by a broker may come twice, late or never.
struct ToldNumbers: Sendable {
    /// So many pieces are remembered beyond a missing one.
    private static let mostBeyond = 256

    /// Every event up to this one has come; `nil` until it is known from where on they are of interest.
    private(set) var whole: Int?
    /// Beyond a missing one: ascending, apart from one another.
    private var beyond: [ClosedRange<Int>] = []

    /// Whether one is missing before some that have come.
    var hasGap: Bool { whole != nil && !beyond.isEmpty }

    /// Up to this number, events are of no interest; only the first call counts.
    mutating func begin(after number: Int) {
        if whole == nil { advance(through: number) }
    }

    /// - Returns: whether any of them is new.
    mutating func note(_ numbers: ClosedRange<Int>) -> Bool {
        let next = whole?.advanced(byAtMost: 1) ?? .min
        guard numbers.upperBound >= next, numbers.upperBound != whole else { return false }
        let fresh = max(numbers.lowerBound, next)...numbers.upperBound
        let isKnown = beyond.contains { $0.lowerBound <= fresh.lowerBound && fresh.upperBound <= $0.upperBound }
        guard !isKnown else { return false }
        var merged = fresh
        // Neighbours become one piece. A number at the end of the range has no neighbour.
        beyond.removeAll { piece in
            let touches =
                piece.lowerBound <= merged.upperBound.advanced(byAtMost: 1)
                && merged.lowerBound <= piece.upperBound.advanced(byAtMost: 1)
            if touches {
                merged = min(piece.lowerBound, merged.lowerBound)...max(piece.upperBound, merged.upperBound)
            }
            return touches
        }
        let place = beyond.firstIndex { $0.lowerBound > merged.lowerBound } ?? beyond.endIndex
        beyond.insert(merged, at: place)
        if whole == nil {
            if beyond.count > Self.mostBeyond { beyond.removeFirst() }
        } else if merged.lowerBound == next || beyond.count > Self.mostBeyond {
            skip(through: nil)
        }
        return true
    }

    /// What is missing will not come any more: up to this number, or where none is said, up to what has come.
    mutating func skip(through number: Int?) {
        guard let whole else { return }
        let first = beyond.first.map { $0.lowerBound.advanced(byAtMost: -1) }
        advance(through: max(whole, number ?? first ?? whole))
    }

    private mutating func advance(through number: Int) {
        var reached = number
        while let first = beyond.first, first.lowerBound <= reached.advanced(byAtMost: 1) {
            reached = max(reached, first.upperBound)
            beyond.removeFirst()
        }
        whole = reached
    }
}

extension Int {
    fileprivate func advanced(byAtMost step: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(step)
        return overflow ? (step < 0 ? .min : .max) : sum
    }
}
