package import NIOCore

/// Lets go who takes nothing for 30 s while something waits for it, be it an answer, a file or a room's events.
///
/// Stands next to the socket, where every door's bytes pass; what the kernel has taken counts as read. Who takes a little
/// now and then is slow, and stays.
package final class UnreadLimit: ChannelOutboundHandler {
    package typealias OutboundIn = IOData
    package typealias OutboundOut = IOData

    private let patience: TimeAmount
    private let isLetGo: @Sendable () -> Void
    private var written = 0
    /// How much of it had left when that was looked at last, and since when it is so much.
    private var left = 0
    private var since = NIODeadline.uptimeNanoseconds(0)
    private var look: Scheduled<Void>?

    /// - Parameter isLetGo: called as the connection is closed for it.
    package init(patience: TimeAmount = .seconds(30), isLetGo: @escaping @Sendable () -> Void = {}) {
        self.patience = patience
        self.isLetGo = isLetGo
    }

    package func handlerRemoved(context _: ChannelHandlerContext) { look?.cancel() }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        written += unwrapOutboundIn(data).readableBytes
        context.write(data, promise: promise)
    }

    package func flush(context: ChannelHandlerContext) {
        context.flush()
        guard look == nil, let waiting = Self.waiting(context), waiting > 0 else { return }
        (left, since) = (written - waiting, context.eventLoop.now)
        lookAgain(context)
    }

    private func lookAgain(_ context: ChannelHandlerContext) {
        let this = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        look = context.eventLoop.scheduleTask(in: .nanoseconds(patience.nanoseconds / 6)) {
            let (this, context) = this.value
            this.judge(context)
        }
    }

    private func judge(_ context: ChannelHandlerContext) {
        look = nil
        guard let waiting = Self.waiting(context), waiting > 0 else { return }
        if written - waiting > left {
            (left, since) = (written - waiting, context.eventLoop.now)
        } else if context.eventLoop.now - since >= patience {
            isLetGo()
            return context.close(promise: nil)
        }
        lookAgain(context)
    }

    /// Bytes that the kernel has not taken yet.
    private static func waiting(_ context: ChannelHandlerContext) -> Int? {
        try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
    }
}
