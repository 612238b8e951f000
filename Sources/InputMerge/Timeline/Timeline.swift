import WireProtocol

/// Puts one stream's samples back into the order of their indices, waiting a little for those that are missing.
///
/// ```
/// index arrived   0 1 . 3 4 . . . 5          2 is missing
/// taken           0 1 ^           3 4 5      3 came, and holdback later 2 was given up
/// ```
/// A missing index is awaited until ``holdback`` after the first *later* sample arrived. What arrives for an index
/// already passed is late, for ever. What comes in its turn goes by (``goesBy(_:)``); memory is a ring that is made when the
/// first sample has to wait, grows to ``capacity`` where they wait for so many missing ones, and stays so; the largest jump
/// costs one turn of it.
struct Timeline: Sendable {
    /// A sample as it waits for its turn.
    struct Arrival: Sendable {
        var index: UInt64
        var sample: Sample
        var arrivedAt: HostTime
    }

    let holdback: Duration
    /// The lowest index that was neither taken nor given up.
    private(set) var next: UInt64 = 0
    /// How many samples wait behind a missing one.
    private(set) var waiting = 0

    /// The most samples that can wait, the missing ones among them counted: a power of two.
    let capacity: Int
    private var ring: ContiguousArray<Arrival?>
    /// Most streams that ever wait need no more.
    private static let fewest = 8
    /// Missing indices below this are given up.
    private var givenUpBelow: UInt64 = 0
    /// The highest index in the ring while anything waits.
    private var highest: UInt64 = 0
    /// When the first of the waiting samples arrived.
    private var firstArrival: HostTime?
    /// Whether that one may have been taken since.
    private var isFirstArrivalOutdated = false

    /// A ring for `capacity` samples, rounded up to a power of two.
    init(holdback: Duration, capacity: Int) {
        self.holdback = holdback
        var slots = 1
        while slots < capacity { slots *= 2 }
        self.capacity = slots
        ring = []
    }

    /// When the missing sample at ``next`` is given up; `nil` while none is missing.
    var deadline: HostTime? { firstArrival.map { $0 + holdback } }

    /// The samples that wait, in order.
    func forEachWaiting(_ body: (Arrival) -> Void) {
        var left = waiting
        var index = next
        while left > 0 {
            if let arrival = ring[slot(of: index)] {
                left -= 1
                body(arrival)
            }
            index += 1
        }
    }

    /// Gives up every missing index whose time has run out. Take what became ready afterwards.
    mutating func pass(until now: HostTime) {
        let longAgo = now - holdback
        guard let firstArrival, firstArrival <= longAgo else { return }
        // Whatever is missing before the highest sample that came long ago was awaited long enough.
        var index = highest
        while index > next {
            if let arrival = ring[slot(of: index)], arrival.arrivedAt <= longAgo { break }
            index -= 1
        }
        givenUpBelow = max(givenUpBelow, index)
    }

    /// Gives up every missing index below `floor`: the sender said that they will never come. Take afterwards.
    mutating func abandon(below floor: UInt64) { givenUpBelow = max(givenUpBelow, floor) }

    /// Gives up every missing index that something waits for: nobody sends any more. Take afterwards.
    mutating func end() {
        if waiting > 0 { givenUpBelow = max(givenUpBelow, highest) }
    }

    /// Gives up what would not fit into the ring together with `index`. Take afterwards, then insert.
    mutating func makeRoom(for index: UInt64) {
        if index >= next + UInt64(capacity) { givenUpBelow = max(givenUpBelow, index - UInt64(capacity) + 1) }
    }

    /// Inserts and takes in one, where it is this sample's turn and none waits behind it; else changes nothing, and it is to
    /// be inserted.
    mutating func goesBy(_ index: UInt64) -> Bool {
        guard waiting == 0 else { return false }
        next = max(next, givenUpBelow)
        guard index == next else { return false }
        next += 1
        return true
    }

    /// Puts a sample in its place. The same index twice keeps the first one.
    mutating func insert(_ sample: Sample, index: UInt64, arrivedAt: HostTime) -> ArrivalVerdict {
        guard index >= next else { return .late }
        if index - next >= UInt64(ring.count), ring.count < capacity { grow(to: index - next) }
        let place = slot(of: index)
        guard ring[place] == nil else { return .delivered }
        ring[place] = Arrival(index: index, sample: sample, arrivedAt: arrivedAt)
        highest = waiting == 0 ? index : max(highest, index)
        firstArrival = firstArrival.map { min($0, arrivedAt) } ?? arrivedAt
        waiting += 1
        return .delivered
    }

    /// The next sample whose turn it is; `nil` when one is missing and still awaited. Take until `nil`.
    mutating func take() -> Arrival? {
        while waiting > 0 {
            let place = slot(of: next)
            if let arrival = ring[place] {
                ring[place] = nil
                next += 1
                waiting -= 1
                // One that came later than another which waits is not the first.
                if arrival.arrivedAt == firstArrival { isFirstArrivalOutdated = true }
                return arrival
            }
            guard next < givenUpBelow else { break }
            next += 1
        }
        if waiting == 0 { next = max(next, givenUpBelow) }
        if isFirstArrivalOutdated { findFirstArrival() }
        return nil
    }

    private mutating func findFirstArrival() {
        isFirstArrivalOutdated = false
        var first: HostTime?
        forEachWaiting { arrival in first = first.map { min($0, arrival.arrivedAt) } ?? arrival.arrivedAt }
        firstArrival = first
    }

    /// Makes the ring reach as far beyond ``next``, or to its capacity.
    private mutating func grow(to distance: UInt64) {
        var slots = max(ring.count, min(Self.fewest, capacity))
        while slots < capacity, UInt64(slots) <= distance { slots *= 2 }
        var larger = ContiguousArray<Arrival?>(repeating: nil, count: slots)
        forEachWaiting { larger[Int(truncatingIfNeeded: $0.index) & (slots - 1)] = $0 }
        ring = larger
    }

    private func slot(of index: UInt64) -> Int { Int(truncatingIfNeeded: index) & (ring.count - 1) }
}
