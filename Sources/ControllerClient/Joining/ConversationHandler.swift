import Connections
import Datagrams
import Foundation
import Identity
import NIOCore
import NIOWebSocket
import WireProtocol

/// The frames of a control connection on the controller's side: text becomes messages, pings are answered.
///
/// A host that talks faster than it listens is hung up on, and one that has pinged and then says nothing: where a router has
/// forgotten the connection, whoever only listens is told nothing of it.
final class ConversationHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame

    private static let mostPingsMissed = 4

    private let conversation: Watched<Conversation>
    /// Intervals in a row in which nothing came.
    private var pingsMissed = 0
    private var watch: RepeatedTask?

    init(_ conversation: Watched<Conversation>) { self.conversation = conversation }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        pingsMissed = 0
        switch frame.opcode {
        case .text: read(frame.unmaskedData, on: context.channel)
        case .ping:
            expectPings(context)
            answer(.pong, frame.unmaskedData, on: context.channel)
        case .pong: break
        default: Self.close(context.channel)
        }
    }

    func handlerRemoved(context _: ChannelHandlerContext) { watch?.cancel() }

    func channelInactive(context: ChannelHandlerContext) {
        watch?.cancel()
        conversation.change { $0.isClosed = true }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    /// Who has pinged once goes on. Intervals are counted, not time: after a device's sleep the host is given its time again.
    private func expectPings(_ context: ChannelHandlerContext) {
        guard watch == nil else { return }
        let channel = context.channel
        let this = NIOLoopBound(self, eventLoop: context.eventLoop)
        let interval = ControlPing.interval
        watch = context.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
            this.value.pingsMissed += 1
            if this.value.pingsMissed > ConversationHandler.mostPingsMissed { channel.close(promise: nil) }
        }
    }

    private func read(_ text: ByteBuffer, on channel: any Channel) {
        let json = Data(text.readableBytesView)
        guard let message = try? JSONDecoder().decode(ControlMessage.self, from: json) else {
            return Self.close(channel)
        }
        conversation.change { $0.hear(message) }
        guard case .unrecognised(let type) = message else { return }
        guard channel.isWritable else { return Self.close(channel) }
        Self.write(.unknown(type: type), to: channel)
    }

    private func answer(_ opcode: WebSocketOpcode, _ data: ByteBuffer, on channel: any Channel) {
        guard channel.isWritable else { return Self.close(channel) }
        channel.writeAndFlush(Self.frame(opcode, data), promise: nil)
    }

    /// From any thread.
    static func write(_ message: ControlMessage, to channel: any Channel) {
        guard let json = try? JSONEncoder().encode(message) else { return }
        channel.writeAndFlush(frame(.text, channel.allocator.buffer(bytes: json)), promise: nil)
    }

    /// Says that the connection ends, and ends it. From any thread.
    static func close(_ channel: any Channel) {
        var data = channel.allocator.buffer(capacity: 2)
        data.write(webSocketErrorCode: .normalClosure)
        channel.writeAndFlush(frame(.connectionClose, data)).whenComplete { _ in channel.close(promise: nil) }
    }

    /// What a client sends is masked (RFC 6455, 5.3).
    private static func frame(_ opcode: WebSocketOpcode, _ data: ByteBuffer) -> WebSocketFrame {
        WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data)
    }
}
