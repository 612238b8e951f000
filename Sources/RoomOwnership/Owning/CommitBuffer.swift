import WireProtocol

/// How much waits at most for a log that cannot be reached.
package struct CommitBounds: Hashable, Sendable {
    package var items = 4_096
    /// Sealed bytes.
    package var bytes = 1_048_576
    package var age: Duration = .seconds(3_600)

    package init() {}
}

/// What became of everything that a room offered: each item is in one of these.
package struct CommitAccount: Hashable, Sendable {
    package internal(set) var offered: UInt64 = 0
    package internal(set) var committed: UInt64 = 0
    /// Had no place, or grew too old.
    package internal(set) var dropped: UInt64 = 0
    /// Offered by a host that was not the owner, or no more when their turn came.
    package internal(set) var abandoned: UInt64 = 0

    /// Waits to be committed, or is on its way.
    package var uncommitted: UInt64 { offered - committed - dropped - abandoned }
}

/// What waits to be written into the log: bounded by count, bytes and age.
struct CommitBuffer: Sendable {
    struct Waiting: Sendable {
        /// By which the room knows it: the first item that it offered is 1.
        var number: UInt64
        var item: SiteItem
        var offeredAt: HostTime
    }

    let bounds: CommitBounds
    private(set) var waiting: [Waiting] = []
    private(set) var bytes = 0

    init(_ bounds: CommitBounds) { self.bounds = bounds }

    /// Takes an item, and names those that had to go for it: the oldest events first, as a successor can do without an event
    /// sooner than without a seat.
    mutating func offer(_ item: Waiting) -> [UInt64] {
        waiting.append(item)
        bytes += item.item.sealed.count
        var gone: [UInt64] = []
        while waiting.count > bounds.items || bytes > bounds.bytes {
            gone.append(remove(at: waiting.firstIndex { $0.item.isEvent } ?? 0))
        }
        return gone
    }

    /// Names those that are too old.
    mutating func expire(_ now: HostTime) -> [UInt64] {
        var gone: [UInt64] = []
        while let first = waiting.first, now - first.offeredAt > bounds.age { gone.append(remove(at: 0)) }
        return gone
    }

    /// When the oldest will be too old.
    var nextDeadline: HostTime? { waiting.first.map { $0.offeredAt + bounds.age + .nanoseconds(1) } }

    /// The oldest, as many as one record holds.
    mutating func takeBatch() -> [Waiting] {
        var room = SiteLogRecord.maximumSize - SiteLogRecord.headerSize - 6
        var count = 0
        for entry in waiting.prefix(SiteLogRecord.maximumItems) {
            room -= entry.item.sealed.count + SiteLogRecord.itemOverhead
            guard room >= 0 else { break }
            count += 1
        }
        let batch = Array(waiting.prefix(count))
        waiting.removeFirst(count)
        bytes -= batch.reduce(0) { $0 + $1.item.sealed.count }
        return batch
    }

    mutating func takeAll() -> [UInt64] {
        defer { (waiting, bytes) = ([], 0) }
        return waiting.map(\.number)
    }

    private mutating func remove(at place: Int) -> UInt64 {
        let entry = waiting.remove(at: place)
        bytes -= entry.item.sealed.count
        return entry.number
    }
}
