/// Reads a datagram's sealed content: when it was sent, then its blocks.
///
/// `init` walks everything once, so a payload that could be opened can be read to its end without an error.
public struct Payload {
    /// When the datagram was sent, in nanoseconds on the sender's clock.
    public let sentAt: Int64
    /// How many blocks it holds, known before any of them is acted on.
    public let counts: Counts
    /// Whether its sender leaves or pauses.
    public let saysGoodbye: Bool
    /// Whether its sender leaves, and does not only pause.
    public let endsForGood: Bool
    private let blockBytes: UnsafeRawBufferPointer.SubSequence

    /// Blocks by what acting on them costs; those that this version does not know cost nothing.
    public struct Counts: Hashable, Sendable {
        /// Blocks with samples, each of which leads the host through one stream's ledger.
        public var streamBlocks = 0
        /// Reliable messages, the ones that arrived before included.
        public var messages = 0
        /// Pieces of newest-wins data.
        public var data = 0
        /// All others: short, and one of a kind is enough.
        public var answers = 0

        /// No blocks yet.
        public init() {}

        mutating func count(_ block: Block) {
            switch block {
            case .stream: streamBlocks += 1
            case .message: messages += 1
            case .data: data += 1
            case .acknowledgement, .probe, .probeAnswer, .receipt, .goodbye, .account, .tally: answers += 1
            }
        }
    }

    /// - Throws: ``FrameError`` when anything in it is malformed; nothing of it should then be used.
    public init(reading bytes: UnsafeRawBufferPointer) throws(FrameError) {
        var reader = ByteReader(bytes)
        sentAt = try reader.read()
        blockBytes = reader.remaining
        var counts = Counts()
        var (saysGoodbye, endsForGood) = (false, false)
        while !reader.isAtEnd {
            guard let block = try Self.readBlock(from: &reader, wasChecked: false) else { continue }
            counts.count(block)
            guard case .goodbye(let reason, _) = block else { continue }
            saysGoodbye = true
            if reason != .paused { endsForGood = true }
        }
        (self.counts, self.saysGoodbye, self.endsForGood) = (counts, saysGoodbye, endsForGood)
    }

    /// The blocks that this version knows, in the order in which they stand.
    public var blocks: Blocks { Blocks(reader: ByteReader(blockBytes)) }

    /// The blocks one after another, read anew from the bytes at each pass.
    public struct Blocks: Sequence, IteratorProtocol {
        fileprivate var reader: ByteReader

        public mutating func next() -> Block? {
            while !reader.isAtEnd {
                do throws(FrameError) {
                    if let known = try Payload.readBlock(from: &reader, wasChecked: true) { return known }
                } catch {
                    return nil
                }
            }
            return nil
        }
    }

    /// The next block; `nil` for one that a later version added.
    private static func readBlock(from reader: inout ByteReader, wasChecked: Bool) throws(FrameError) -> Block? {
        let type: UInt8 = try reader.read()
        let length: UInt16 = try reader.read()
        let bytes = try reader.readBytes(Int(length))
        guard let type = BlockType(rawValue: type) else { return nil }
        var body = ByteReader(bytes)
        switch type {
        case .stream:
            return .stream(try StreamBlock(reading: bytes, wasChecked: wasChecked))
        case .acknowledgement:
            return .acknowledgement(try StreamAcknowledgement(reading: bytes))
        case .probe:
            return .probe(id: try body.read())
        case .probeAnswer:
            let (id, receivedAt): (UInt16, Int64) = (try body.read(), try body.read())
            // Who does not say has a clock without steps, or is of an earlier version.
            let grain: UInt32 = try body.remaining.count < 4 ? 0 : body.read()
            return .probeAnswer(id: id, receivedAt: DeviceTime(nanoseconds: receivedAt), grain: grain)
        case .message:
            let id: UInt32 = try body.read()
            guard body.remaining.count <= WireFormat.maximumMessageSize else { throw .messageTooLong }
            return .message(id: id, body: body.remaining)
        case .receipt:
            return .receipt(next: try body.read())
        case .data:
            let channel: UInt8 = try body.read()
            let sequence: UInt32 = try body.read()
            guard body.remaining.count <= WireFormat.maximumMessageSize else { throw .messageTooLong }
            return .data(channel: channel, sequence: sequence, body: body.remaining)
        case .goodbye:
            let reason = GoodbyeReason(rawValue: try body.read()) ?? .other
            return .goodbye(reason: reason, lastSent: try body.read())
        case .account:
            return .account(highest: try body.read(), unique: try body.read())
        case .tally:
            return .tally(
                SenderTally(
                    links: try body.read(), datagrams: try body.read(), samples: try body.read(),
                    confirmed: try body.read()))
        }
    }
}
