import ControllerSession
import WireProtocol

extension SentEntry {
    /// Logs a datagram: what its bytes say once opened.
    init(_ sent: SentDatagram, bytes: [UInt8], by pad: Pad) {
        self.init(connection: pad.connection, key: pad.motionKey, number: sent.number, size: sent.size)
        var opened = bytes
        opened.withUnsafeMutableBytes { buffer in
            _ = TestCipher().open(
                buffer, headerLength: DatagramHeader.size, key: pad.motionKey, number: sent.number)
            let content = UnsafeRawBufferPointer(rebasing: buffer[DatagramHeader.size..<buffer.count - sealTagLength])
            guard let payload = try? Payload(reading: content) else { return }
            for block in payload.blocks { log(block) }
        }
    }

    private mutating func log(_ block: WireProtocol.Block) {
        switch block {
        case .stream(let stream):
            let indexes = stream.runs.flatMap { run in run.first..<run.first + UInt32(run.count) }
            blocks.append(
                Block(stream: stream.stream, epoch: stream.epoch, floor: stream.floor, indexes: indexes))
        case .goodbye(_, let last): lastSent = last
        case .acknowledgement, .probe, .probeAnswer, .message, .receipt, .data, .account: break
        }
    }

    /// Whether the controller's own record of the runs says the same as the bytes.
    func agrees(with runs: [RunRecord]) -> Bool {
        blocks.flatMap(\.indexes) == runs.flatMap { $0.first..<$0.first + $0.count }
    }
}
