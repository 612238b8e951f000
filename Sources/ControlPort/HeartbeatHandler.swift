import Connections
import Datagrams
import NIOCore
import NIOWebSocket

/// Keeps a WebSocket alive, and finds out when the other side is gone: a ping every 20 s, three of them unanswered end
/// it. Answers the other side's pings and its goodbye; everything else passes.
final class HeartbeatHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private static let pingsPerSecond = 10
    private var unanswered = 0
    private var heard = SecondCount(limit: pingsPerSecond)
    private var pings: RepeatedTask?

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        let this = NIOLoopBound(self, eventLoop: context.eventLoop)
        let interval = ControlPing.interval
        pings = context.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
            this.value.unanswered += 1
            if this.value.unanswered > 3 { return channel.close(promise: nil) }
            let frame = WebSocketFrame(fin: true, opcode: .ping, data: channel.allocator.buffer(capacity: 0))
            channel.writeAndFlush(frame, promise: nil)
        }
    }

    func handlerRemoved(context _: ChannelHandlerContext) { pings?.cancel() }

    func channelInactive(context: ChannelHandlerContext) {
        pings?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        unanswered = 0
        switch frame.opcode {
        case .ping:
            // Who sends more, or reads no answers, would have them pile up here.
            guard heard.admit(), context.channel.isWritable else { return context.close(promise: nil) }
            let pong = WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)
            context.writeAndFlush(wrapOutboundOut(pong), promise: nil)
        case .pong: break
        case .connectionClose: context.close(promise: nil)
        default: context.fireChannelRead(data)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let code: WebSocketErrorCode = error is NIOWebSocketError ? .messageTooLarge : .protocolError
        context.channel.writeClose(code)
    }
}
