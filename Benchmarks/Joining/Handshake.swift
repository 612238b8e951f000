import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import Roomful

/// A TLS 1.3 connection to the room's port, and nothing more: what no way of joining can be quicker than.
struct Handshake {
    private let context: NIOSSLContext
    private let address: Ticket.Address
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    init(to ticket: Ticket) throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateVerification = .none
        tls.minimumTLSVersion = .tlsv13
        tls.applicationProtocols = ["http/1.1"]
        context = try NIOSSLContext(configuration: tls)
        address = ticket.addresses[0]
    }

    /// From the first packet until both sides have the keys.
    func milliseconds() async throws -> Double {
        let context = context
        let began = ContinuousClock.now
        let done = group.next().makePromise(of: Void.self)
        let channel = try await ClientBootstrap(group: group)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: nil))
                    try pipeline.addHandler(Waiter(done))
                }
            }
            .connect(host: address.host, port: Int(address.port)).get()
        try await done.futureResult.get()
        let time = (ContinuousClock.now - began) / .milliseconds(1)
        try? await channel.close()
        return time
    }

    private final class Waiter: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let done: EventLoopPromise<Void>

        init(_ done: EventLoopPromise<Void>) { self.done = done }

        func userInboundEventTriggered(context _: ChannelHandlerContext, event: Any) {
            if case .handshakeCompleted? = event as? TLSUserEvent { done.succeed() }
        }
        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            done.fail(error)
            context.close(promise: nil)
        }
        func channelInactive(context _: ChannelHandlerContext) { done.fail(ChannelError.eof) }
    }
}
