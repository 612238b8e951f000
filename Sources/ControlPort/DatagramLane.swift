import Datagrams
import NIOCore
import WireProtocol

/// A browser's datagrams, taken out of its WebSocket where they lie: nearly all that a phone sends is one small masked
/// binary frame after another (RFC 6455, 5.2), which needs no decoder, no aggregator and no heartbeat on its way.
///
/// Stands before the decoder. All other frames go on to it, byte for byte, and what is in pieces is its to put together.
final class DatagramLane: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let handler: ControlHandler
    /// The beginning of a frame whose head is not all here.
    private var begun: ByteBuffer?
    /// Bytes of the frame before that are still to come, and go on.
    private var owed = 0
    /// A message in several frames is on its way: what lies between them is the decoder's to judge.
    private var isAmidMessage = false
    /// A rule of WebSocket was broken: nothing is taken any more, and whoever stands behind ends the connection.
    private var isBroken = false
    /// Something went on to those behind, who are to hear that this was all for now.
    private var hasPassedOn = false

    private let pause: ReadingPause?

    /// Made on the thread that reads its connection.
    ///
    /// - Parameter gather: how long datagrams may gather there, where many come.
    init(to handler: ControlHandler, gather: Duration = .zero) {
        self.handler = handler
        pause = ReadingPause.here(atMost: gather)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if var begun {
            self.begun = nil
            begun.writeBuffer(&bytes)
            bytes = begun
        }
        let arrivedAt = HostClock.now()
        var taken = 0
        defer { if taken > 0 { pause?.note(taken, arrivedAt: arrivedAt, on: context.eventLoop) } }
        while bytes.readableBytes > 0 {
            if owed == 0 {
                guard let head = bytes.withUnsafeReadableBytes(FrameHead.init) else {
                    begun = bytes
                    return
                }
                if head.isDatagram, !isAmidMessage, !isBroken, bytes.readableBytes >= head.size + head.length {
                    bytes.moveReaderIndex(forwardBy: head.size)
                    let datagram = Self.unmask(&bytes, head, context.channel.allocator)
                    handler.take(datagram, arrivedAt: arrivedAt, on: context.channel)
                    taken += 1
                    continue
                }
                isBroken = isBroken || !head.isAllowed(amidMessage: isAmidMessage)
                if head.isData { isAmidMessage = !head.isFinal }
                owed = head.size + head.length
            }
            guard let part = bytes.readSlice(length: min(owed, bytes.readableBytes)) else { return }
            owed -= part.readableBytes
            hasPassedOn = true
            context.fireChannelRead(wrapInboundOut(part))
        }
    }

    /// Of what was taken here nobody behind knows.
    func channelReadComplete(context: ChannelHandlerContext) {
        guard hasPassedOn else { return }
        hasPassedOn = false
        context.fireChannelReadComplete()
    }

    /// A copy without its mask: what it lies in is shared with frames that go on.
    private static func unmask(_ bytes: inout ByteBuffer, _ head: FrameHead, _ allocator: ByteBufferAllocator)
        -> ByteBuffer
    {
        var datagram = allocator.buffer(capacity: head.length)
        bytes.readWithUnsafeReadableBytes { masked in
            datagram.writeWithUnsafeMutableBytes(minimumWritableBytes: head.length) { plain in
                // As the key lies in memory, byte by byte, twice.
                let key = UInt64(head.key) << 32 | UInt64(head.key)
                var place = 0
                while place + 8 <= head.length {
                    let word = masked.loadUnaligned(fromByteOffset: place, as: UInt64.self) ^ key
                    plain.storeBytes(of: word, toByteOffset: place, as: UInt64.self)
                    place += 8
                }
                while place < head.length {
                    plain[place] = masked[place] ^ UInt8(truncatingIfNeeded: key.littleEndian >> UInt64(place % 8 * 8))
                    place += 1
                }
                return head.length
            }
            return head.length
        }
        return datagram
    }
}

/// What stands before a frame's payload.
private struct FrameHead {
    private let first: UInt8
    private let isMasked: Bool
    let size: Int
    /// Of the payload; one that no number here holds is as long as can be: the decoder refuses it.
    let length: Int
    /// As it lies in memory; 0 without a mask.
    let key: UInt32

    /// `nil` while it is not all here.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 2 else { return nil }
        first = bytes[0]
        isMasked = bytes[1] & 0x80 != 0
        let short = Int(bytes[1] & 0x7F)
        let lengthSize = short == 127 ? 8 : short == 126 ? 2 : 0
        size = 2 + lengthSize + (isMasked ? 4 : 0)
        guard bytes.count >= size else { return nil }
        switch lengthSize {
        case 8:
            let long = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt64.self))
            length = Int(min(long, UInt64(Int.max) - 14))
        case 2: length = Int(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
        default: length = short
        }
        key = isMasked ? bytes.loadUnaligned(fromByteOffset: size - 4, as: UInt32.self) : 0
    }

    var isFinal: Bool { first & 0x80 != 0 }
    /// No control frame: those may lie between the frames of a message.
    var isData: Bool { first & 0x08 == 0 }
    /// Whether RFC 6455, 5.4 and 5.5, allow it at this place.
    func isAllowed(amidMessage: Bool) -> Bool {
        guard isMasked, first & 0x70 == 0, length <= ControlServer.longestMessage else { return false }
        return switch first & 0x0F {
        case 0: amidMessage
        case 1, 2: !amidMessage
        case 8, 9, 10: isFinal && length <= 125
        default: false
        }
    }
    /// A binary message of one frame, without extensions, that may be a datagram.
    var isDatagram: Bool { first == 0x82 && isMasked && length <= WireFormat.maximumDatagramSize }
}
