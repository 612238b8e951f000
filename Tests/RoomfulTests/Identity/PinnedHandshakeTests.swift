import NIOCore
import NIOPosix
import NIOSSL
import Synchronization
import Testing

@testable import Datagrams
@testable import Identity
@testable import Roomful

@Suite("Pinned handshake, over real TLS on loopback")
struct PinnedHandshakeTests {
    let temporary = TemporaryFolder()

    private func room() throws -> RoomAuthority {
        try RoomAuthority(folder: temporary.folder, names: machine("127.0.0.1"))
    }

    /// Connects to a host with this configuration; `true` if both sides finished the handshake and a byte came back.
    private func connect(_ handshake: PinnedHandshake, to server: TLSConfiguration) async throws -> Bool {
        let group = MultiThreadedEventLoopGroup.singleton
        let serverContext = try NIOSSLContext(configuration: server)
        let clientContext = try NIOSSLContext(configuration: PinnedHandshake.configuration())
        let host = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(NIOSSLServerHandler(context: serverContext), Echo())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(host.localAddress?.port)

        let answered = group.any().makePromise(of: Bool.self)
        let client = try await ClientBootstrap(group: group)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let tls = try NIOSSLClientHandler(
                        context: clientContext, serverHostname: nil,
                        customVerificationCallback: handshake.verification)
                    try channel.pipeline.syncOperations.addHandlers(tls, Asker(answered: answered))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        let result = try await answered.futureResult.get()
        try? await client.close()
        try await host.close()
        return result
    }

    @Test("The host with the expected pin is spoken to, and its pin and room are known then")
    func expected() async throws {
        let room = try room()
        let handshake = PinnedHandshake(expecting: room.pin)
        #expect(handshake.outcome == nil)
        #expect(try await connect(handshake, to: room.serverConfiguration()))
        #expect(handshake.outcome == .success(ChainVerifier.Finding(pin: room.pin, roomID: room.roomID)))
    }

    @Test("A host with another pin is refused in the handshake")
    func unexpected() async throws {
        let stranger = TemporaryFolder()
        let other = try RoomAuthority(folder: stranger.folder, names: machine("127.0.0.1"))
        let handshake = PinnedHandshake(expecting: try room().pin)
        #expect(try await connect(handshake, to: other.serverConfiguration()) == false)
        guard case .failure(let error) = handshake.outcome else {
            Issue.record("\(String(describing: handshake.outcome))")
            return
        }
        #expect(error.code == .pinMismatch)
        #expect(error.description.contains(other.pin.short))
    }

    @Test("A host that shows another's authority beside a certificate of its own is refused")
    func borrowedAuthority() async throws {
        let stranger = TemporaryFolder()
        let (truth, other) = (try room(), try RoomAuthority(folder: stranger.folder, names: machine("127.0.0.1")))
        var forged = try other.serverConfiguration()
        forged.certificateChain[1] = .certificate(try NIOSSLCertificate(bytes: truth.chain[1], format: .der))
        let handshake = PinnedHandshake(expecting: truth.pin)
        #expect(try await connect(handshake, to: forged) == false)
        guard case .failure(let error) = handshake.outcome else {
            Issue.record("\(String(describing: handshake.outcome))")
            return
        }
        #expect(error.code == .notSigned)
    }

    @Test("An unknown host is let through for a person to be asked, with its pin")
    func asking() async throws {
        let room = try room()
        let handshake = PinnedHandshake.asking()
        #expect(try await connect(handshake, to: room.serverConfiguration()))
        #expect(try handshake.outcome?.get().pin == room.pin)
    }

    @Test("A native controller does not speak TLS 1.2")
    func downgrade() async throws {
        let room = try room()
        var old = try room.serverConfiguration()
        old.maximumTLSVersion = .tlsv12
        let handshake = PinnedHandshake(expecting: room.pin)
        #expect(try await connect(handshake, to: old) == false)
        #expect(handshake.outcome == nil)
    }
}

/// Sends back what it gets.
final class Echo: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.writeAndFlush(wrapOutboundOut(unwrapInboundIn(data)), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// Sends a byte once the connection stands, and tells whether it came back.
final class Asker: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
    private let answered: EventLoopPromise<Bool>

    init(answered: EventLoopPromise<Bool>) { self.answered = answered }

    func channelActive(context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: [42])), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { answered.succeed(true) }

    func channelInactive(context: ChannelHandlerContext) { answered.succeed(false) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        answered.succeed(false)
        context.close(promise: nil)
    }
}
