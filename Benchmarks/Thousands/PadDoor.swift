import ControllerSession
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket
import Roomful
import WireProtocol

/// A seat that the room gave.
struct PadSeat: Sendable {
    let controller: String
    let epoch: LinkEpoch
    let suite: CipherSuite
    let port: UInt16
}

/// The pads' control connections: each asks for a seat, as any native controller does, and stays.
final class PadDoor: Sendable {
    struct Refused: Error, CustomStringConvertible { let description: String }

    private let ticket: Ticket
    private let rate: Double
    private let context: NIOSSLContext
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    init(to ticket: Ticket, rate: Double) throws {
        (self.ticket, self.rate) = (ticket, rate)
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateVerification = .none
        tls.minimumTLSVersion = .tlsv13
        tls.applicationProtocols = ["http/1.1"]
        context = try NIOSSLContext(configuration: tls)
    }

    func join(_ number: Int) async throws -> PadSeat {
        let seated = group.next().makePromise(of: PadSeat.self)
        let (context, address) = (context, ticket.addresses[0])
        do {
            let upgrade = try await ClientBootstrap(group: group)
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .connect(host: address.host, port: Int(address.port)) { [webSocket] channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: nil))
                        return try pipeline.configureUpgradableHTTPClientPipeline(
                            configuration: webSocket(number, seated))
                    }
                }
            try await upgrade.get()
        } catch {
            seated.fail(error)
        }
        return try await seated.futureResult.get()
    }

    func close() async { try? await group.shutdownGracefully() }

    private func webSocket(
        _ number: Int, _ seated: EventLoopPromise<PadSeat>
    ) -> NIOUpgradableHTTPClientPipelineConfiguration<Void> {
        let head = HTTPRequestHead(
            version: .http1_1, method: .GET, uri: "/control", headers: ["Host": "127.0.0.1", "Content-Length": "0"])
        let (rate, code) = (rate, ticket.code?.text)
        let upgrader = NIOTypedWebSocketClientUpgrader<Void>(maxFrameSize: 1 << 16) { channel, _ in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(Asking(number, rate: rate, code: code, seated))
            }
        }
        var configuration = NIOUpgradableHTTPClientPipelineConfiguration(
            upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration(
                upgradeRequestHead: head, upgraders: [upgrader],
                notUpgradingCompletionHandler: { $0.eventLoop.makeFailedFuture(ChannelError.operationUnsupported) }))
        // The host speaks first: its greeting may come together with the answer to the upgrade.
        configuration.leftOverBytesStrategy = .forwardBytes
        return configuration
    }
}

/// Asks for a seat when it is greeted, and answers pings from then on.
private final class Asking: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let invitation: Invitation
    private let seated: EventLoopPromise<PadSeat>

    init(_ number: Int, rate: Double, code: String?, _ seated: EventLoopPromise<PadSeat>) {
        let controller = String(format: "%016lx%016lx", UInt.random(in: 0 ... .max), UInt.random(in: 0 ... .max))
        invitation = Invitation(
            controller: controller, process: String(controller.prefix(16)), name: "Pad \(number)",
            streams: [StreamOffer(StreamDeclaration(nominalRate: rate))], haptics: false, code: code)
        self.seated = seated
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .text: hear(frame.unmaskedData, context)
        case .ping: write(frame.unmaskedData, .pong, context)
        case .connectionClose: context.close(promise: nil)
        default: break
        }
    }

    func channelInactive(context _: ChannelHandlerContext) { seated.fail(ChannelError.eof) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        seated.fail(error)
        context.close(promise: nil)
    }

    private func hear(_ text: ByteBuffer, _ context: ChannelHandlerContext) {
        switch try? JSONDecoder().decode(ControlMessage.self, from: Data(text.readableBytesView)) {
        case .hello:
            guard let json = try? JSONEncoder().encode(ControlMessage.invite(invitation)) else { return }
            write(ByteBuffer(bytes: json), .text, context)
        case .seated(let seat):
            guard let send = key(seat.link.motionKey), let receive = key(seat.link.feedbackKey),
                let suite = seat.link.suite
            else { return seated.fail(PadDoor.Refused(description: "the room gave a seat without keys")) }
            let epoch = LinkEpoch(
                connection: ConnectionID(rawValue: seat.link.connection), sendKey: send, receiveKey: receive)
            seated.succeed(
                PadSeat(controller: invitation.controller, epoch: epoch, suite: suite, port: seat.link.port))
        case .refused(let refusal):
            seated.fail(PadDoor.Refused(description: "the room says no: \(refusal.message)"))
        default: break
        }
    }

    private func key(_ text: String) -> LinkKey? { Hexadecimal.decode(text).flatMap { LinkKey(bytes: $0) } }

    private func write(_ data: ByteBuffer, _ opcode: WebSocketOpcode, _ context: ChannelHandlerContext) {
        let frame = WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data)
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }
}
