import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Roomful
import Synchronization
import WireProtocol

/// One listener: when it had each player's jumps in its hands.
final class Hearing: Sendable {
    let name: String
    private let jumps = Mutex<[PlayerNumber: [Int64]]>([:])

    init(_ name: String) { self.name = name }

    func note(_ player: PlayerNumber, at time: DeviceTime) {
        jumps.withLock { $0[player, default: []].append(time.nanoseconds) }
    }

    /// From each press until its event was here, in milliseconds, in so many rounds one after the other.
    ///
    /// - Throws: when a press was not told, or something that nobody pressed.
    func delays(of presses: [PlayerNumber: [Int64]], in rounds: Int) throws -> [[Double]] {
        let heard = jumps.withLock { $0 }
        var delays = [[Double]](repeating: [], count: rounds)
        for (player, times) in presses {
            let told = heard[player] ?? []
            guard told.count == times.count else {
                throw HandsBenchmark.Misuse(
                    description: "P\(player) pressed \(times.count) times, and \(name) heard of \(told.count)")
            }
            for (place, (pressed, came)) in zip(times, told).enumerated() {
                delays[place * rounds / times.count].append(Double(came - pressed) / 1e6)
            }
        }
        return delays
    }

    /// Swift's own stream.
    func listen(to events: RoomEvents) async {
        for await event in events {
            let now = Controller.deviceTimeNow()
            guard case .gesture(let gesture, _) = event, gesture.gesture == .jump, gesture.phase == .began else {
                continue
            }
            note(gesture.player, at: now)
        }
    }

    /// A WebSocket, as a game's page opens one, in a thread that is not the room's.
    ///
    /// - Parameter link: with the game's token behind the `#`.
    func connect(to link: String) async throws {
        guard let address = URLComponents(string: link), let port = address.port, let fragment = address.fragment,
            fragment.hasPrefix("t=")
        else { throw HandsBenchmark.Misuse(description: "\(link) is no game's link") }
        let first = try JSONSerialization.data(
            withJSONObject: ["token": String(fragment.dropFirst(2)), "types": ["gesture"]])
        let head = HTTPRequestHead(
            version: .http1_1, method: .GET, uri: "/api/events",
            headers: ["Host": "127.0.0.1:\(port)", "Content-Length": "0"])
        let upgrader = NIOTypedWebSocketClientUpgrader<Void>(maxFrameSize: 1 << 16) { channel, _ in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(Reader(self, first: first))
            }
        }
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let upgrade = try await ClientBootstrap(group: loops).connect(host: "127.0.0.1", port: port) { channel in
            channel.eventLoop.makeCompletedFuture {
                var configuration = NIOUpgradableHTTPClientPipelineConfiguration(
                    upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration(
                        upgradeRequestHead: head, upgraders: [upgrader],
                        notUpgradingCompletionHandler: { channel in
                            channel.eventLoop.makeFailedFuture(
                                HandsBenchmark.Misuse(description: "the room did not agree to a WebSocket"))
                        }))
                configuration.leftOverBytesStrategy = .forwardBytes
                return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
                    configuration: configuration)
            }
        }
        try await upgrade.get()
    }

    /// Reads events; the time is taken when the text is here, before anybody has read it.
    private final class Reader: ChannelInboundHandler {
        typealias InboundIn = WebSocketFrame
        typealias OutboundOut = WebSocketFrame

        private struct Jump: Decodable {
            var type: String
            var player: Int?
            var gesture: String?
            var phase: String?
        }

        private let hearing: Hearing
        private let first: Data

        init(_ hearing: Hearing, first: Data) { (self.hearing, self.first) = (hearing, first) }

        func handlerAdded(context: ChannelHandlerContext) {
            let frame = WebSocketFrame(fin: true, opcode: .text, maskKey: .random(), data: ByteBuffer(bytes: first))
            // Once the connection has become a WebSocket altogether.
            let channel = context.channel
            channel.eventLoop.execute { channel.writeAndFlush(frame, promise: nil) }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let now = Controller.deviceTimeNow()
            let frame = unwrapInboundIn(data)
            guard frame.opcode == .text,
                let jump = try? JSONDecoder().decode(Jump.self, from: Data(frame.unmaskedData.readableBytesView)),
                jump.type == "gesture", jump.gesture == "jump", jump.phase == "began", let player = jump.player
            else { return }
            hearing.note(PlayerNumber(player), at: now)
        }
    }
}
