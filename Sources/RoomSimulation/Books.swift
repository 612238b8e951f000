import ControllerSession
import SessionCoordinator
import WireProtocol

/// What one lease's ledgers must say, worked out naively from what its controller sent and what the network's injector
/// let through: sets and loops only, no window, no bitmap, no code of the coordinator.
struct LeaseBooks: Sendable {
    private var links: [LinkBooks] = []
    private var streams: [StreamBooks] = []
    /// Its controller has said goodbye for good: what still comes is nobody's.
    private var isOver = false

    var connection: ConnectionID? { links.last?.connection }
    var key: LinkKey? { links.last?.key }

    mutating func open(_ connection: ConnectionID, _ key: LinkKey, continues: Bool) {
        links.append(LinkBooks(connection: connection, key: key))
        guard !continues else { return }
        for place in streams.indices { streams[place].isClosed = true }
    }

    /// A datagram of the open link reached the host whole.
    mutating func arrived(_ sent: SentRecord) {
        guard !isOver, !links.isEmpty, links[links.count - 1].arrived(sent) else { return }
        for block in sent.blocks { take(block) }
        isOver = sent.isFarewell
    }

    private mutating func take(_ block: SentRecord.Block) {
        let known = streams.lastIndex { $0.stream == block.stream && !$0.isClosed }
        if let known {
            let steps = block.epoch &- streams[known].epoch
            if steps >= 128 { return }
            if steps == 0 { return streams[known].take(block) }
            streams[known].isClosed = true
        }
        streams.append(StreamBooks(stream: block.stream, epoch: block.epoch))
        streams[streams.count - 1].take(block)
    }

    /// Everything in which the host's report differs, in words.
    func differences(_ report: PeerReport) -> [String] {
        var all: [String] = []
        func compare(_ what: String, _ found: UInt64, _ truth: Int) {
            if found != UInt64(truth) { all.append("\(report.name): \(what) is \(found), in truth \(truth)") }
        }
        func links(_ count: (LinkBooks) -> Int) -> Int { self.links.reduce(0) { $0 + count($1) } }
        func streams(_ count: (StreamBooks) -> Int) -> Int { self.streams.reduce(0) { $0 + count($1) } }
        let (datagrams, samples) = (report.datagrams, report.samples)
        compare("link epochs", datagrams.epochs, self.links.count)
        compare("unique", datagrams.unique, links { $0.numbers.count })
        compare("duplicate", datagrams.duplicate, links(\.duplicate))
        compare("tooOld", datagrams.tooOld, links(\.tooOld))
        compare("missing", datagrams.missing, links(\.missing))
        compare("reordered", datagrams.reordered, links(\.reordered))
        compare("bytes", datagrams.bytes, links(\.bytes))
        compare("unreadable", datagrams.unreadable, 0)
        compare("rateLimited", datagrams.rateLimited, 0)
        compare("stream epochs", samples.epochs, self.streams.count)
        compare("delivered and late", samples.delivered + samples.late, streams { $0.arrived.count })
        compare("abandoned", samples.abandoned, streams { $0.abandoned.count })
        compare("samples missing", samples.missing, streams(\.missing))
        compare("redundant", samples.redundant, streams(\.redundant))
        if !report.epoch.isBalanced { all.append("\(report.name): the datagram ledger's law is broken") }
        return all
    }
}

/// One datagram as its sender logged it.
struct SentRecord: Sendable {
    struct Block: Sendable {
        var stream: StreamID
        var epoch: UInt8
        var floor: UInt32
        var indexes: [UInt32]
    }

    var connection: ConnectionID
    var key: LinkKey
    var number: UInt32
    var bytes: Int
    var blocks: [Block] = []
    /// It ends the stay for good: what comes after it is nobody's.
    var isFarewell = false

    /// - Parameter content: the clear payload, after the header and before the tag.
    init(connection: ConnectionID, key: LinkKey, number: UInt32, bytes: Int, content: UnsafeRawBufferPointer) {
        self.connection = connection
        self.key = key
        self.number = number
        self.bytes = bytes
        guard let payload = try? Payload(reading: content) else { return }
        for block in payload.blocks {
            if case .goodbye(let reason, _) = block, reason != .paused { isFarewell = true }
            guard case .stream(let stream) = block else { continue }
            let indexes = stream.runs.flatMap { run in run.first..<run.first + UInt32(run.count) }
            blocks.append(
                Block(stream: stream.stream, epoch: stream.epoch, floor: stream.floor, indexes: indexes))
        }
    }
}

/// One link epoch: every number that arrived, in a set.
private struct LinkBooks: Sendable {
    let connection: ConnectionID
    let key: LinkKey
    var numbers: Set<UInt32> = []
    var (duplicate, tooOld, reordered, bytes) = (0, 0, 0, 0)
    var highest = -1

    init(connection: ConnectionID, key: LinkKey) {
        self.connection = connection
        self.key = key
    }

    var missing: Int { highest + 1 - numbers.count }

    /// Whether the datagram had not arrived before.
    mutating func arrived(_ sent: SentRecord) -> Bool {
        bytes += sent.bytes
        if highest - Int(sent.number) >= 1_024 {
            tooOld += 1
            return false
        }
        guard numbers.insert(sent.number).inserted else {
            duplicate += 1
            return false
        }
        if Int(sent.number) < highest { reordered += 1 } else { highest = Int(sent.number) }
        return true
    }
}

/// One stream epoch: every index that arrived or was given up, in sets.
private struct StreamBooks: Sendable {
    let stream: StreamID
    let epoch: UInt8
    var isClosed = false
    var arrived: Set<UInt32> = []
    var abandoned: Set<UInt32> = []
    private var floor: UInt32 = 0
    private var end = 0
    var redundant = 0

    init(stream: StreamID, epoch: UInt8) {
        self.stream = stream
        self.epoch = epoch
    }

    var missing: Int { end - arrived.count - abandoned.count }

    mutating func take(_ block: SentRecord.Block) {
        while floor < block.floor {
            if !arrived.contains(floor) { abandoned.insert(floor) }
            floor += 1
        }
        end = max(end, Int(floor))
        for index in block.indexes {
            guard index >= floor, arrived.insert(index).inserted else {
                redundant += 1
                continue
            }
            end = max(end, Int(index) + 1)
        }
    }
}
