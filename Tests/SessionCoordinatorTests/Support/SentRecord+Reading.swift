import ControllerSession
import RoomSimulation
import WireProtocol

extension SentRecord {
    /// Logs a datagram: what its bytes say once opened.
    init(_ sent: SentDatagram, bytes: [UInt8], by pad: Pad) {
        var opened = bytes
        self = opened.withUnsafeMutableBytes { buffer in
            _ = TestCipher().open(
                buffer, headerLength: DatagramHeader.size, key: pad.motionKey, number: sent.number)
            return SentRecord(
                connection: pad.connection, key: pad.motionKey, number: sent.number, bytes: sent.size,
                content: UnsafeRawBufferPointer(
                    rebasing: buffer[DatagramHeader.size..<buffer.count - sealTagLength]))
        }
    }

    /// Whether the controller's own record of the runs says the same as the bytes.
    func agrees(with runs: [RunRecord]) -> Bool {
        blocks.flatMap(\.indexes) == runs.flatMap { $0.first..<$0.first + $0.count }
    }
}
