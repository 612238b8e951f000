import SessionCoordinator
import WireProtocol

/// One lease's books, kept with sets.
struct PeerTruth {
    private var links: [LinkTruth] = []
    private var streams: [StreamTruth] = []
    /// The link that is open.
    var link: (connection: ConnectionID, key: LinkKey)? { links.last.map { ($0.connection, $0.key) } }

    mutating func open(_ keys: Pad, continues: Bool) {
        links.append(LinkTruth(connection: keys.connection, key: keys.motionKey))
        guard !continues else { return }
        for place in streams.indices { streams[place].isClosed = true }
    }

    /// Books a datagram of the open link, and returns the samples that are new.
    mutating func arrived(
        _ entry: SentEntry, from source: PeerAddress, peer: PeerIndex, isLimited: Bool
    ) -> [RecordingSink.Taken] {
        guard links[links.count - 1].arrived(entry, from: source) else { return [] }
        guard !isLimited else {
            links[links.count - 1].limited += 1
            return []
        }
        return entry.blocks.flatMap { take($0, peer: peer) }
    }

    private mutating func take(_ block: SentEntry.Block, peer: PeerIndex) -> [RecordingSink.Taken] {
        let place: Int
        if let known = streams.lastIndex(where: { $0.stream == block.stream && !$0.isClosed }) {
            let steps = (Int(block.epoch) - Int(streams[known].epoch) + 256) % 256
            if steps >= 128 { return [] }
            if steps > 0 { streams[known].isClosed = true }
            place = steps > 0 ? streams.count : known
        } else {
            place = streams.count
        }
        if place == streams.count { streams.append(StreamTruth(stream: block.stream, epoch: block.epoch)) }
        return streams[place].take(block, peer: peer)
    }

    /// In the order of ``Books/counters``.
    var books: [UInt64] {
        func links(_ count: (LinkTruth) -> UInt64) -> UInt64 { self.links.reduce(0) { $0 + count($1) } }
        func streams(_ count: (StreamTruth) -> UInt64) -> UInt64 { self.streams.reduce(0) { $0 + count($1) } }
        return [
            UInt64(self.links.count), links { UInt64($0.numbers.count) }, links(\.duplicate), links(\.tooOld),
            links(\.reordered), links(\.missing), links(\.tailMissing), links(\.bytes), 0, links(\.limited),
            self.links.last?.moves ?? 0,
            UInt64(self.streams.count), streams(\.delivered), streams(\.late), streams { UInt64($0.abandoned.count) },
            streams(\.missing), streams(\.redundant),
        ]
    }
}

/// One link epoch: every number that arrived, in a set.
private struct LinkTruth {
    let connection: ConnectionID
    let key: LinkKey
    var numbers: Set<UInt32> = []
    var duplicate: UInt64 = 0
    var tooOld: UInt64 = 0
    var reordered: UInt64 = 0
    var bytes: UInt64 = 0
    var limited: UInt64 = 0
    /// How often the datagram with the highest number came from elsewhere than the one before.
    var moves: UInt64 = 0
    var highest: Int64 = -1
    var lastSent: Int64 = -1
    var source: PeerAddress?

    init(connection: ConnectionID, key: LinkKey) {
        self.connection = connection
        self.key = key
    }

    var missing: UInt64 { UInt64(highest + 1) - UInt64(numbers.count) }
    var tailMissing: UInt64 { UInt64(max(0, lastSent - highest)) }

    /// Whether the datagram had not arrived before.
    mutating func arrived(_ entry: SentEntry, from address: PeerAddress) -> Bool {
        bytes += UInt64(entry.size)
        if highest - Int64(entry.number) >= 1_024 {
            tooOld += 1
            return false
        }
        guard numbers.insert(entry.number).inserted else {
            duplicate += 1
            return false
        }
        if Int64(entry.number) < highest {
            reordered += 1
        } else {
            highest = Int64(entry.number)
            if let source, source != address { moves += 1 }
            source = address
        }
        if let last = entry.lastSent { lastSent = max(lastSent, Int64(last)) }
        return true
    }
}

/// One stream epoch: every index that arrived or was given up, in sets.
private struct StreamTruth {
    let stream: StreamID
    let epoch: UInt8
    var isClosed = false
    var arrived: Set<UInt32> = []
    var abandoned: Set<UInt32> = []
    var floor: UInt32 = 0
    var newest: UInt32 = 0
    var late: UInt64 = 0
    var redundant: UInt64 = 0

    init(stream: StreamID, epoch: UInt8) {
        self.stream = stream
        self.epoch = epoch
    }

    var delivered: UInt64 { UInt64(arrived.count) - late }
    var missing: UInt64 {
        let known = arrived.union(abandoned)
        return known.max().map { UInt64($0) + 1 - UInt64(known.count) } ?? 0
    }

    mutating func take(_ block: SentEntry.Block, peer: PeerIndex) -> [RecordingSink.Taken] {
        while floor < block.floor {
            if !arrived.contains(floor) { abandoned.insert(floor) }
            floor += 1
        }
        var taken: [RecordingSink.Taken] = []
        for index in block.indexes {
            guard index >= floor, arrived.insert(index).inserted else {
                redundant += 1
                continue
            }
            let isLate = index + RecordingSink.patience < newest
            if isLate { late += 1 }
            newest = max(newest, index)
            let key = StreamKey(peer: peer, stream: stream)
            taken.append(RecordingSink.Taken(key: key, index: index, verdict: isLate ? .late : .delivered))
        }
        return taken
    }
}
