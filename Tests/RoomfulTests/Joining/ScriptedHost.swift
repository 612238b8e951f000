import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket
import Synchronization
import WireProtocol

@testable import Connections
@testable import ControllerClient
@testable import Datagrams
@testable import Identity
@testable import Roomful

/// A host that says what a test wants it to say, over real TLS and WebSocket on loopback. It answers no datagrams.
final class ScriptedHost: Sendable {
    /// What the host does on a control connection.
    enum Move: Sendable {
        case say(ControlMessage)
        /// Says `hello`.
        case greet
        case text(String)
        case frame(WebSocketOpcode, bytes: Int)
        case hangUp
    }

    /// Given the connection's number, from 0, and what came on it; `nil` when it opens.
    typealias Script = @Sendable (_ connection: Int, _ heard: ControlMessage?) -> [Move]

    let authority: RoomAuthority
    let heard = Watched<[ControlMessage]>([])
    private let channel: any Channel
    private let temporary = TemporaryFolder()

    let port: Int
    var greeting: RoomGreeting { Self.greeting(authority) }
    var address: RoomAddress { .direct(host: "127.0.0.1", port: port) }
    var invitations: [Invitation] { heard.value.compactMap { if case .invite(let body) = $0 { body } else { nil } } }

    /// - Parameters:
    ///   - greets: says `hello` on each connection, before the script.
    ///   - upgrades: speaks WebSocket at all.
    init(
        greets: Bool = true, upgrades: Bool = true, maximumVersion: TLSVersion? = nil,
        script: @escaping Script = { _, _ in [] }
    ) async throws {
        let authority = try RoomAuthority(
            folder: temporary.folder, names: ServerNames(dnsNames: ["localhost"], addresses: []))
        self.authority = authority
        var tls = try authority.serverConfiguration()
        tls.maximumTLSVersion = maximumVersion
        let context = try NIOSSLContext(configuration: tls)
        let (heard, counter) = (heard, Counter())
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                let number = counter.next()
                let greeting = ControlMessage.hello(Self.greeting(authority))
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    let upgrader = NIOWebSocketServerUpgrader(
                        shouldUpgrade: { channel, _ in
                            channel.eventLoop.makeSucceededFuture(upgrades ? HTTPHeaders() : nil)
                        },
                        upgradePipelineHandler: { channel, _ in
                            channel.eventLoop.makeCompletedFuture {
                                let player = ScriptPlayer(number, heard: heard) { connection, message in
                                    let hello = greets && message == nil ? [Move.greet] : []
                                    return (hello + script(connection, message)).map { move in
                                        if case .greet = move { .say(greeting) } else { move }
                                    }
                                }
                                try channel.pipeline.syncOperations.addHandler(player)
                            }
                        })
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(
                        withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in }))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    func close() async { try? await channel.close() }

    /// A seat with keys and a secret made of the given byte.
    static func seat(_ byte: UInt8, idle: Int = 1_000, grace: Int = 1_000) -> ControlMessage {
        let key = Hexadecimal.encode([UInt8](repeating: byte, count: 32))
        return .seated(
            Seated(
                seat: 1, player: 1, color: "#0072b2", name: "Blue",
                link: LinkGrant(
                    port: 9, connection: UInt32(byte), suite: .chacha20poly1305, motionKey: key, feedbackKey: key),
                secret: key, continues: false, idle: idle, grace: grace))
    }

    private static func greeting(_ authority: RoomAuthority) -> RoomGreeting {
        RoomGreeting(room: authority.roomID.description, name: "Scripted", game: nil, policy: "open")
    }
}

/// Numbers connections in the order of their coming.
private final class Counter: Sendable {
    private let count = Mutex(0)
    func next() -> Int {
        count.withLock { count in
            defer { count += 1 }
            return count
        }
    }
}

/// Plays the script on one connection.
private final class ScriptPlayer: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let connection: Int
    private let heard: Watched<[ControlMessage]>
    private let script: ScriptedHost.Script

    init(_ connection: Int, heard: Watched<[ControlMessage]>, script: @escaping ScriptedHost.Script) {
        self.connection = connection
        self.heard = heard
        self.script = script
    }

    func handlerAdded(context: ChannelHandlerContext) { play(script(connection, nil), context) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        guard frame.opcode == .text,
            let message = try? JSONDecoder().decode(
                ControlMessage.self, from: Data(frame.unmaskedData.readableBytesView))
        else { return }
        heard.change { $0.append(message) }
        play(script(connection, message), context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func play(_ moves: [ScriptedHost.Move], _ context: ChannelHandlerContext) {
        for move in moves {
            switch move {
            case .say(let message):
                guard let json = try? JSONEncoder().encode(message) else { continue }
                write(.text, ByteBuffer(bytes: json), context)
            case .greet: break
            case .text(let text): write(.text, ByteBuffer(string: text), context)
            case .frame(let opcode, let bytes): write(opcode, ByteBuffer(repeating: 0x5B, count: bytes), context)
            case .hangUp: context.close(promise: nil)
            }
        }
    }

    private func write(_ opcode: WebSocketOpcode, _ data: ByteBuffer, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: opcode, data: data)), promise: nil)
    }
}
