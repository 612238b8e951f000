import ControllerSession
import WireProtocol

/// A controller's datagram as the host reads it.
struct ReadDatagram {
    struct Stream {
        var stream: StreamID
        var epoch: UInt8
        var floor: UInt32
        var samples: [(index: UInt32, sample: Sample)] = []
        var indexes: [UInt32] { samples.map(\.index) }
    }

    var number: UInt32
    var size: Int
    var isHeartbeat = false
    var sentAt: Int64
    var streams: [Stream] = []
    var messages: [(id: UInt32, body: [UInt8])] = []
    var answers: [(id: UInt16, receivedAt: DeviceTime, grain: UInt32)] = []
    var receipt: UInt32?
    var data: [(channel: UInt8, sequence: UInt32, bytes: [UInt8])] = []
    var goodbye: (reason: GoodbyeReason, lastSent: UInt32)?
    /// The samples' indexes of the first stream in the datagram.
    var indexes: [UInt32] { streams.first?.indexes ?? [] }

    /// Opens and reads; `nil` when it is not of this epoch, or not whole.
    init?(_ bytes: [UInt8], epoch: LinkEpoch, declarations: [StreamDeclaration]) {
        var bytes = bytes
        guard let header = bytes.withUnsafeBytes({ try? DatagramHeader(reading: $0) }), header.kind == .motion,
            header.connection == epoch.connection, bytes.count <= WireFormat.maximumDatagramSize,
            bytes.withUnsafeMutableBytes({
                TestCipher().open($0, headerLength: DatagramHeader.size, key: epoch.sendKey, number: header.number)
            })
        else { return nil }
        (number, size, sentAt) = (header.number, bytes.count, 0)
        let isWhole = bytes.withUnsafeBytes { whole in
            let content = UnsafeRawBufferPointer(rebasing: whole[DatagramHeader.size..<whole.count - sealTagLength])
            guard let payload = try? Payload(reading: content) else { return false }
            sentAt = payload.sentAt
            for block in payload.blocks { take(block, declarations) }
            return true
        }
        guard isWhole else { return nil }
    }

    private mutating func take(_ block: Block, _ declarations: [StreamDeclaration]) {
        switch block {
        case .stream(let block):
            guard let declaration = declarations.first(where: { $0.stream == block.stream }) else { return }
            var stream = Stream(stream: block.stream, epoch: block.epoch, floor: block.floor)
            for run in block.runs {
                run.forEach(codec: SampleCodec(declaration)) { stream.samples.append(($0, $1)) }
            }
            streams.append(stream)
        case .message(let id, let body): messages.append((id, Array(body)))
        case .probeAnswer(let id, let receivedAt, let grain): answers.append((id, receivedAt, grain))
        case .receipt(let next): receipt = next
        case .data(let channel, let sequence, let body): data.append((channel, sequence, Array(body)))
        case .goodbye(let reason, let lastSent): goodbye = (reason, lastSent)
        case .acknowledgement, .probe, .account, .tally: break
        }
    }
}

/// What a test lets the host say in one datagram.
struct Feedback {
    var epoch: LinkEpoch
    var number: UInt32
    var sentAt: Int64 = 0

    /// The sealed bytes, with the blocks that `write` adds.
    func sealed(_ write: (inout ByteWriter) -> Void) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: WireFormat.maximumDatagramSize)
        let size = bytes.withUnsafeMutableBytes { buffer in
            var writer = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: buffer[..<(buffer.count - sealTagLength)]))
            DatagramHeader(kind: .feedback, connection: epoch.connection, number: number).write(to: &writer)
            writer.write(sentAt)
            write(&writer)
            let size = writer.count + sealTagLength
            TestCipher().seal(
                UnsafeMutableRawBufferPointer(rebasing: buffer[..<size]), headerLength: DatagramHeader.size,
                key: epoch.receiveKey, number: number)
            return size
        }
        return Array(bytes[..<size])
    }
}
