package import NIOCore
import NIOHTTP1
package import NIOPosix

extension ServerBootstrap {
    /// Serves plain HTTP requests that are soon over: one at a time on a connection, which is closed after `patience`,
    /// however it was spent. An idle time alone would let one byte now and then hold a place for ever. Whoever says more than
    /// 256 KiB on one connection, as in headers without end, is hung up on.
    ///
    /// - Parameters:
    ///   - limit: how many connections may be open; others are closed at once.
    ///   - arrived: told of each connection, admitted or not.
    ///   - handler: answers the requests of one connection.
    package static func briefRequests(
        atMost limit: Int, within patience: TimeAmount,
        arrived: @escaping @Sendable (any Channel) -> Void = { _ in },
        handler: @escaping @Sendable () -> any ChannelHandler
    ) -> ServerBootstrap {
        let open = OpenConnections(limit: limit)
        return ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 32)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.maxMessagesPerRead, value: 4)
            .childChannelInitializer { channel in
                arrived(channel)
                guard open.admit(channel) else { return channel.eventLoop.makeFailedFuture(TooManyConnections()) }
                let end = channel.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
                channel.closeFuture.whenComplete { _ in end.cancel() }
                return channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(BriefWords())
                    try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false)
                    try pipeline.addHandler(handler())
                }
            }
    }
}

/// Hangs up on whoever says more in all than brief requests ever do.
private final class BriefWords: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private static let mostBytes = 262_144
    private var bytes = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        bytes += unwrapInboundIn(data).readableBytes
        guard bytes <= Self.mostBytes else { return context.close(promise: nil) }
        context.fireChannelRead(data)
    }
}
