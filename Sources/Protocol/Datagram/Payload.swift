/// Reads a datagram's sealed content: when it was sent, then its blocks.
///
/// `init` walks everything once, so a payload that could be opened can be read to its end without an error.
public struct Payload {
    /// When the datagram was sent, in nanoseconds on the sender's clock.
    public let sentAt: Int64
    /// How many blocks it holds, known before any of them is acted on.
    public let counts: Counts
    private let blockBytes: UnsafeRawBufferPointer.SubSequence

    /// Blocks by what acting on them costs; those that this version does not know cost nothing.
    public struct Counts: Hashable, Sendable {
        public var streamBlocks = 0
        public var messages = 0
        public var data = 0
        /// All others: short, and one of a kind is enough.
        public var answers = 0

        public init() {}

        mutating func count(_ block: Block) {
            switch block {
            case .stream: streamBlocks += 1
            case .message: messages += 1
            case .data: data += 1
            case .acknowledgement, .probe, .probeAnswer, .receipt, .goodbye, .account: answers += 1
            }
        }
    }

    /// - Throws: ``FrameError`` when anything in it is malformed; nothing of it should then be used.
    public init(reading bytes: UnsafeRawBufferPointer) throws(FrameError) {
        var reader = ByteReader(bytes)
        sentAt = try reader.read()
        blockBytes = reader.remaining
        var counts = Counts()
        while !reader.isAtEnd {
            if let block = try Self.readBlock(from: &reader) { counts.count(block) }
        }
        self.counts = counts
    }

    /// The blocks that this version knows, in the order in which they stand.
    public var blocks: Blocks { Blocks(reader: ByteReader(blockBytes)) }

    public struct Blocks: Sequence, IteratorProtocol {
        fileprivate var reader: ByteReader

        public mutating func next() -> Block? {
            while !reader.isAtEnd {
                do throws(FrameError) {
                    if let known = try Payload.readBlock(from: &reader) { return known }
                } catch {
                    return nil
                }
            }
            return nil
        }
    }

    /// The next block; `nil` for one that a later version added.
    private static func readBlock(from reader: inout ByteReader) throws(FrameError) -> Block? {
        let type: UInt8 = try reader.read()
        let length: UInt16 = try reader.read()
        let bytes = try reader.readBytes(Int(length))
        guard let type = BlockType(rawValue: type) else { return nil }
        var body = ByteReader(bytes)
        switch type {
        case .stream:
            return .stream(try StreamBlock(reading: bytes))
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

    public mutating func writeProbeAnswer(id: UInt16, receivedAt: DeviceTime) -> Bool {
        guard begin(.probeAnswer, length: 10) else { return false }
        write(id)
        write(receivedAt.nanoseconds)
        return true
    }

    public mutating func writeMessage(id: UInt32, body: some Collection<UInt8>) -> Bool {
        guard body.count <= WireFormat.maximumMessageSize, begin(.message, length: 4 + body.count) else { return false }
        write(id)
        write(body)
        return true
    }

    public mutating func writeReceipt(next: UInt32) -> Bool {
        guard begin(.receipt, length: 4) else { return false }
        write(next)
        return true
    }

    public mutating func writeData(channel: UInt8, sequence: UInt32, body: some Collection<UInt8>) -> Bool {
        guard body.count <= WireFormat.maximumMessageSize, begin(.data, length: 5 + body.count) else { return false }
        write(channel)
        write(sequence)
        write(body)
        return true
    }

    public mutating func writeGoodbye(_ reason: GoodbyeReason, lastSent: UInt32) -> Bool {
        guard begin(.goodbye, length: 5) else { return false }
        write(reason.rawValue)
        write(lastSent)
        return true
    }

    public mutating func writeAccount(highest: UInt32, unique: UInt32) -> Bool {
        guard begin(.account, length: 8) else { return false }
        write(highest)
        write(unique)
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
