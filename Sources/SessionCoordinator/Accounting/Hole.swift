public import WireProtocol

/// Consecutive numbers of which some never arrived, and when that was.
public struct Hole: Hashable, Sendable {
    /// The first number that was passed over.
    public var first: UInt32
    /// How many were.
    public var count: UInt32
    /// How many of them have not come since.
    public var missing: UInt32
    /// When the number before arrived, and the one after: the numbers were on their way in between, or lost.
    public var after: HostTime
    /// See ``after``.
    public var before: HostTime
}

/// The newest holes of a link, oldest first; what reordering fills is taken out. Bounded.
struct HoleList: Sendable {
    /// Holes that are remembered at most.
    static let most = 64

    private(set) var holes: [Hole] = []
    private var newestArrivedAt: HostTime?
    /// The number that arrived first of all, and when.
    private var firstNumber: UInt32 = 0
    private var firstArrivedAt: HostTime?

    /// The newest number so far arrived.
    mutating func noteNewest(_ number: UInt32, after previous: UInt32?, at time: HostTime) {
        let first = previous.map { $0 &+ 1 } ?? 0
        if number > first {
            if holes.count >= Self.most { holes.removeFirst() }
            let skipped = number - first
            holes.append(
                Hole(first: first, count: skipped, missing: skipped, after: newestArrivedAt ?? time, before: time))
        }
        if previous == nil { (firstNumber, firstArrivedAt) = (number, time) }
        newestArrivedAt = time
    }

    /// Nanoseconds from one number to the next, on average of all up to the newest; `nil` before the second has come.
    func pace(upTo newest: UInt32?) -> Double? {
        guard let newest, newest > firstNumber, let firstArrivedAt, let newestArrivedAt else { return nil }
        return Double((newestArrivedAt - firstArrivedAt).wholeNanoseconds) / Double(newest - firstNumber)
    }

    /// A number arrived that had been passed over.
    mutating func noteReordered(_ number: UInt32) {
        guard let place = holes.lastIndex(where: { $0.first <= number && number - $0.first < $0.count }) else { return }
        holes[place].missing -= 1
        if holes[place].missing == 0 { holes.remove(at: place) }
    }
}
