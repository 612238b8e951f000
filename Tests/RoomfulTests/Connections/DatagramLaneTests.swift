import NIOCore
import NIOEmbedded
import NIOWebSocket
import RoomEngine
import Synchronization
import Testing
import WireProtocol

@testable import ControlPort

/// What the lane takes out of a WebSocket is held against what NIO's decoder makes of the same bytes.
@Suite("A lane for browsers' datagrams")
struct DatagramLaneTests {
    /// What came, in its order.
    private final class Log: Sendable {
        private let words = Mutex<[String]>([])
        var all: [String] { words.withLock { $0 } }
        func note(_ word: String) { words.withLock { $0.append(word) } }
        func note(datagram: ByteBuffer) { note("datagram \(Array(datagram.readableBytesView))") }
    }

    /// What the decoder makes of what reaches it.
    private final class Decoded: ChannelInboundHandler {
        typealias InboundIn = WebSocketFrame
        private let log: Log
        private var isAmidMessage = false
        /// How often it was told that this was all for now.
        var ends = 0

        init(_ log: Log) { self.log = log }

        func channelRead(context _: ChannelHandlerContext, data: NIOAny) {
            let frame = unwrapInboundIn(data)
            let bytes = frame.unmaskedData
            if frame.opcode == .binary, frame.fin, !isAmidMessage, bytes.readableBytes <= WireFormat.maximumDatagramSize
            {
                log.note(datagram: bytes)
            } else {
                log.note(
                    "\(frame.opcode) \(frame.fin) \(bytes.readableBytes) \(bytes.readableBytesView.reduce(0) { $0 &* 31 &+ Int($1) })"
                )
            }
            if [.binary, .text, .continuation].contains(frame.opcode) { isAmidMessage = !frame.fin }
        }

        func channelReadComplete(context _: ChannelHandlerContext) { ends += 1 }

        func errorCaught(context _: ChannelHandlerContext, error: any Error) { log.note("error \(error)") }
    }

    private static func channel(
        _ log: Log, hasLane: Bool, isSeated: Bool = true, decoded: Log? = nil
    ) throws -> EmbeddedChannel {
        let conversations = Conversations(
            capacity: 8, greeting: RoomGreeting(room: "", name: "Hall", game: nil, policy: "open"),
            post: { input in
                if case .datagram(let bytes, _, arrivedAt: _) = input { log.note(datagram: bytes) }
                return true
            })
        let channel = EmbeddedChannel()
        try channel.connect(to: SocketAddress(ipAddress: "192.168.1.9", port: 50_000)).wait()
        let id = try #require(conversations.admit(channel))
        conversations.seat(of: id).isTaken = isSeated
        if hasLane {
            let connection = PortConnection(id: id, arrival: .tls, conversations: conversations)
            let lane = DatagramLane(to: ControlHandler(connection, transport: .wss))
            try channel.pipeline.syncOperations.addHandler(lane)
        }
        let decoder = ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: 16_384))
        try channel.pipeline.syncOperations.addHandlers([decoder, Decoded(decoded ?? log)])
        return channel
    }

    /// As a browser writes them, by NIO's own encoder.
    private static func written(_ frames: [WebSocketFrame]) throws -> [UInt8] {
        let channel = EmbeddedChannel(handler: WebSocketFrameEncoder())
        var bytes: [UInt8] = []
        for frame in frames {
            try channel.writeOutbound(frame)
            while let part = try channel.readOutbound(as: ByteBuffer.self) { bytes += part.readableBytesView }
        }
        _ = try channel.finish()
        return bytes
    }

    private static func frame(
        _ opcode: WebSocketOpcode, _ count: Int, isFinal: Bool = true, _ draws: inout SplitMix64
    ) -> WebSocketFrame {
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &draws) }
        let key = WebSocketMaskingKey((0..<4).map { _ in UInt8.random(in: 0...255, using: &draws) })
        return WebSocketFrame(fin: isFinal, opcode: opcode, maskKey: key, data: ByteBuffer(bytes: bytes))
    }

    /// Datagrams mostly; and what else a browser, or somebody else, may send.
    private static func frames(_ draws: inout SplitMix64) -> [WebSocketFrame] {
        (0..<60).flatMap { _ -> [WebSocketFrame] in
            switch Int.random(in: 0..<12, using: &draws) {
            case 0: [frame(.text, .random(in: 0...400, using: &draws), &draws)]
            case 1: [frame(.ping, .random(in: 0...125, using: &draws), &draws)]
            case 2: [frame(.binary, .random(in: 1_190...1_210, using: &draws), &draws)]
            case 3:
                [
                    frame(.binary, 50, isFinal: false, &draws), frame(.pong, 3, &draws),
                    frame(.continuation, 60, isFinal: false, &draws), frame(.continuation, 7, &draws),
                ]
            case 4: [frame(.binary, 0, &draws)]
            default: [frame(.binary, .random(in: 1...300, using: &draws), &draws)]
            }
        }
    }

    @Test("Whatever comes, in whatever pieces, the room gets what the decoder alone would give it", arguments: 0..<40)
    func pieces(seed: Int) throws {
        var draws = SplitMix64(seed: UInt64(seed))
        let bytes = try Self.written(Self.frames(&draws))
        let (ours, theirs) = (Log(), Log())
        let (lane, decoder) = (try Self.channel(ours, hasLane: true), try Self.channel(theirs, hasLane: false))
        let longest = seed % 4 == 0 ? 3 : 700
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = rest.prefix(.random(in: 1...longest, using: &draws))
            rest.removeFirst(part.count)
            try lane.writeInbound(ByteBuffer(bytes: part))
            try decoder.writeInbound(ByteBuffer(bytes: part))
        }
        #expect(ours.all == theirs.all)
        #expect(ours.all.count > 60)
        _ = try? (lane.finish(), decoder.finish())
    }

    @Test("Who stands behind hears that a read is over where something of it came there, and not where nothing did")
    func ends() throws {
        let channel = try Self.channel(Log(), hasLane: true)
        let decoded = try channel.pipeline.syncOperations.handler(type: Decoded.self)
        var draws = SplitMix64(seed: 1)
        func read(_ frames: [WebSocketFrame]) throws -> Int {
            let before = decoded.ends
            try channel.writeInbound(ByteBuffer(bytes: try Self.written(frames)))
            return decoded.ends - before
        }
        let (datagram, text) = (Self.frame(.binary, 90, &draws), Self.frame(.text, 9, &draws))
        #expect(try read([datagram, datagram]) == 0)
        #expect(try read([datagram, text]) == 1)
        #expect(try read([datagram]) == 0)
        _ = try? channel.finish()
    }

    @Test("A frame longer than any number here is the decoder's to refuse, and nothing traps")
    func long() throws {
        for length: [UInt8] in [[255, 255, 255, 255, 255, 255, 255, 255], [127, 255, 255, 255, 255, 255, 255, 255]] {
            let log = Log()
            let channel = try Self.channel(log, hasLane: true)
            _ = try? channel.writeInbound(ByteBuffer(bytes: [0x82, 0xFF] + length + [1, 2, 3, 4, 5, 6]))
            _ = try? channel.writeInbound(ByteBuffer(repeating: 7, count: 5_000))
            #expect(log.all.allSatisfy { $0.hasPrefix("error") })
            #expect(!log.all.isEmpty)
            _ = try? channel.finish()
        }
    }

    @Test(
        "After a frame that no rule allows nothing is taken any more",
        arguments: [
            [0x09, 0x81, 1, 2, 3, 4, 5], [0xC1, 0x81, 1, 2, 3, 4, 5], [0x80, 0x81, 1, 2, 3, 4, 5],
            [0x83, 0x81, 1, 2, 3, 4, 5], [0x81, 0x01, 5],
        ] as [[UInt8]])
    func broken(frame: [UInt8]) throws {
        let log = Log()
        let channel = try Self.channel(log, hasLane: true, decoded: Log())
        var draws = SplitMix64(seed: 1)
        let datagram = try Self.written([Self.frame(.binary, 100, &draws)])
        _ = try? channel.writeInbound(ByteBuffer(bytes: datagram))
        #expect(log.all.map { $0.hasPrefix("datagram") } == [true])
        _ = try? channel.writeInbound(ByteBuffer(bytes: frame + datagram + datagram))
        #expect(log.all.count == 1)
        _ = try? channel.finish()
    }

    @Test("Of one without a seat nothing reaches the room")
    func stranger() throws {
        let log = Log()
        let channel = try Self.channel(log, hasLane: true, isSeated: false)
        var draws = SplitMix64(seed: 1)
        try channel.writeInbound(ByteBuffer(bytes: Self.written([Self.frame(.binary, 100, &draws)])))
        #expect(log.all.isEmpty)
        _ = try? channel.finish()
    }
}
