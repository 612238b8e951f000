import WireProtocol

/// Where the tracks stand, by their streams' keys, and when each has something to give up: close together, as to find a
/// track must not touch ten others.
struct TrackIndex: Sendable {
    /// In ascending order.
    private var keys: [StreamKey] = []
    /// `.max` while nothing is missing.
    private var deadlines: [Int64] = []
    /// The earliest of them.
    private(set) var earliest = Int64.max

    // MARK: Places

    func slot(of key: StreamKey) -> Int? {
        // Where everybody has one stream, it stands there.
        if keys.indices.contains(key.peer), keys[key.peer] == key { return key.peer }
        let slot = firstSlot(from: key)
        return slot < keys.count && keys[slot] == key ? slot : nil
    }

    func slots(of peer: PeerIndex) -> Range<Int> {
        let first = firstSlot(from: StreamKey(peer: peer, stream: 0))
        var end = first
        while end < keys.count, keys[end].peer == peer { end += 1 }
        return first..<end
    }

    /// Of its streams the first.
    func firstSlot(of peer: PeerIndex) -> Int? {
        let first = StreamKey(peer: peer, stream: 0)
        if let slot = slot(of: first) { return slot }
        let slot = firstSlot(from: first)
        return slot < keys.count && keys[slot].peer == peer ? slot : nil
    }

    private func firstSlot(from key: StreamKey) -> Int { keys.partitioningIndex { !($0 < key) } }

    /// - Returns: the place of a stream that was not there.
    mutating func insert(_ key: StreamKey) -> Int {
        let place = firstSlot(from: key)
        keys.insert(key, at: place)
        deadlines.insert(.max, at: place)
        return place
    }

    /// - Precondition: none of them has a deadline.
    mutating func removeSubrange(_ slots: Range<Int>) {
        keys.removeSubrange(slots)
        deadlines.removeSubrange(slots)
    }

    // MARK: Deadlines

    func isDue(_ slot: Int, by time: HostTime) -> Bool { deadlines[slot] <= time.nanoseconds }

    /// - Parameter deadline: `nil` while nothing is missing.
    mutating func set(_ deadline: HostTime?, at slot: Int) {
        let (before, now) = (deadlines[slot], deadline?.nanoseconds ?? .max)
        guard now != before else { return }
        deadlines[slot] = now
        if now < earliest {
            earliest = now
        } else if before == earliest {
            recount()
        }
    }

    /// The same for one of many: ``earliest`` is wrong until they are counted anew.
    mutating func put(_ deadline: HostTime?, at slot: Int) { deadlines[slot] = deadline?.nanoseconds ?? .max }

    mutating func recount() { earliest = deadlines.reduce(.max) { min($0, $1) } }
}
