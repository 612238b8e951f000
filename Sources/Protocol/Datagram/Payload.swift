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
            return .probeAnswer(id: try body.read(), receivedAt: DeviceTime(nanoseconds: try body.read()))
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

extension ByteWriter {
    /// Bytes of a block's type and length.
    static let blockOverhead = 3

    private mutating func begin(_ type: BlockType, length: Int) -> Bool {
        guard room >= Self.blockOverhead + length else { return false }
        write(type.rawValue)
        write(UInt16(length))
        return true
    }

    /// Each of the following returns false, and writes nothing, when the block does not fit: into the datagram, or a
    /// body into ``WireFormat/maximumMessageSize``.
    public mutating func writeProbe(id: UInt16) -> Bool {
        guard begin(.probe, length: 2) else { return false }
        write(id)
        return true
    }

    /// Appends what a controller answers to a probe; `receivedAt` is when the probe reached its socket.
    /// - Returns: `false`, with nothing written, where the block does not fit any more.
    public mutating func writeProbeAnswer(id: UInt16, receivedAt: DeviceTime) -> Bool {
        guard begin(.probeAnswer, length: 10) else { return false }
        write(id)
        write(receivedAt.nanoseconds)
        return true
    }

    /// Appends a reliable message.
    /// - Returns: `false`, with nothing written, where it does not fit or is longer than
    ///   ``WireFormat/maximumMessageSize``.
    public mutating func writeMessage(id: UInt32, body: some Collection<UInt8>) -> Bool {
        guard body.count <= WireFormat.maximumMessageSize, begin(.message, length: 4 + body.count) else { return false }
        write(id)
        write(body)
        return true
    }

    /// Appends the receipt of all messages with an id below `next`.
    /// - Returns: `false`, with nothing written, where the block does not fit any more.
    public mutating func writeReceipt(next: UInt32) -> Bool {
        guard begin(.receipt, length: 4) else { return false }
        write(next)
        return true
    }

    /// Appends newest-wins data; `sequence` rises from piece to piece of a channel.
    /// - Returns: `false`, with nothing written, where it does not fit or is longer than
    ///   ``WireFormat/maximumMessageSize``.
    public mutating func writeData(channel: UInt8, sequence: UInt32, body: some Collection<UInt8>) -> Bool {
        guard body.count <= WireFormat.maximumMessageSize, begin(.data, length: 5 + body.count) else { return false }
        write(channel)
        write(sequence)
        write(body)
        return true
    }

    /// Appends a goodbye; `lastSent` counts the datagram that carries it.
    /// - Returns: `false`, with nothing written, where the block does not fit any more.
    public mutating func writeGoodbye(_ reason: GoodbyeReason, lastSent: UInt32) -> Bool {
        guard begin(.goodbye, length: 5) else { return false }
        write(reason.rawValue)
        write(lastSent)
        return true
    }

    /// Appends what has arrived of the controller's link epoch: the highest number (0 also before the first), and how
    /// many different ones.
    /// - Returns: `false`, with nothing written, where the block does not fit any more.
    public mutating func writeAccount(highest: UInt32, unique: UInt32) -> Bool {
        guard begin(.account, length: 8) else { return false }
        write(highest)
        write(unique)
        return true
    }

    /// Appends all that the controller has sent since the host first knew this run of its program.
    /// - Returns: `false`, with nothing written, where the block does not fit any more.
    public mutating func writeTally(_ tally: SenderTally) -> Bool {
        guard begin(.tally, length: 26) else { return false }
        write(tally.links)
        write(tally.datagrams)
        write(tally.samples)
        write(tally.confirmed)
        return true
    }

    /// Writes an acknowledgement whose bitmap says, for each index above `cumulative`, whether it arrived.
    ///
    /// - Parameters:
    ///   - end: one past the highest index that arrived.
    ///   - hasArrived: asked for `cumulative + 1 ..< end`, as far as the bitmap has room.
    public mutating func writeAcknowledgement(
        stream: StreamID, epoch: UInt8, cumulative: UInt32, end: UInt32, hasArrived: (UInt32) -> Bool
    ) -> Bool {
        guard room >= Self.blockOverhead + 6 else { return false }
        let told = end > cumulative ? Int(end - cumulative) - 1 : 0
        let bytes = min((told + 7) / 8, room - Self.blockOverhead - 6, Int(WireFormat.streamWindow) / 8)
        guard begin(.acknowledgement, length: 6 + bytes) else { return false }
        write(stream)
        write(epoch)
        write(cumulative)
        for byte in 0..<bytes {
            var bits: UInt8 = 0
            for bit in 0..<8 where byte * 8 + bit < told {
                if hasArrived(cumulative + 1 + UInt32(byte * 8 + bit)) { bits |= 1 << UInt8(bit) }
            }
            write(bits)
        }
        return true
    }
}
