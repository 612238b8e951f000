package import NIOCore

/// Bounds what a request may be before anyone looks at it: 16 KiB until its headers are whole, and 10 s from its first
/// byte until its last, whatever trickles in.
///
/// Stands before the parser and sees bytes; ``WebHandler`` tells it what has become whole. What waits behind a request that
/// is being answered counts until it is looked at: nobody who means well sends 16 KiB ahead. It leaves with the parser when
/// a connection becomes a WebSocket.
package final class HeaderLimit: ChannelInboundHandler, RemovableChannelHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer

    package static let name = "roomful.headers"
    static let mostBytes = 16_384
    static let patience: TimeAmount = .seconds(10)

    /// Bytes since something became whole.
    private var bytes = 0
    private var clock: Scheduled<Void>?
    private var channel: (any Channel)?

    package func handlerAdded(context: ChannelHandlerContext) { channel = context.channel }

    package func handlerRemoved(context _: ChannelHandlerContext) {
        stop()
        channel = nil
    }

    package func channelInactive(context: ChannelHandlerContext) {
        stop()
        context.fireChannelInactive()
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard bytes <= Self.mostBytes else { return }
        bytes += unwrapInboundIn(data).readableBytes
        start()
        context.fireChannelRead(data)
        // What became whole by these bytes has been noted by now.
        if bytes > Self.mostBytes { context.close(promise: nil) }
    }

    /// A head, or a part of a body, was read: perhaps of a request that came together with the one before.
    package func noteProgress() {
        bytes = 0
        start()
    }

    /// A request is whole.
    package func noteEnd() {
        bytes = 0
        stop()
    }

    private func start() {
        guard clock == nil, let channel else { return }
        clock = channel.eventLoop.scheduleTask(in: Self.patience) { channel.close(promise: nil) }
    }

    private func stop() {
        clock?.cancel()
        clock = nil
    }
}
