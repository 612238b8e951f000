/// The blocks of a datagram, as they are written.
extension ByteWriter {
    /// Bytes of a block's type and length.
    static let blockOverhead = 3

    private mutating func begin(_ type: BlockType, length: Int) -> Bool {
        guard room >= Self.blockOverhead + length else { return false }
        write(type.rawValue)
        write(UInt16(length))
        return true
    }

    /// Appends a probe of the controller's clock.
    /// - Returns: `false`, with nothing written, where the block does not fit any more.
    public mutating func writeProbe(id: UInt16) -> Bool {
        guard begin(.probe, length: 2) else { return false }
        write(id)
        return true
    }

    /// Appends what a controller answers to a probe; `receivedAt` is when the probe reached its socket, `grain` how coarse
    /// its clock is, in nanoseconds.
    /// - Returns: `false`, with nothing written, where the block does not fit any more.
    public mutating func writeProbeAnswer(id: UInt16, receivedAt: DeviceTime, grain: UInt32 = 0) -> Bool {
        guard begin(.probeAnswer, length: grain > 0 ? 14 : 10) else { return false }
        write(id)
        write(receivedAt.nanoseconds)
        if grain > 0 { write(grain) }
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
    /// - Returns: `false`, with nothing written, where not even its beginning fits any more.
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
