import Foundation
import NIOCore
import NIOSSL
import NIOWebSocket
import SessionCoordinator
import WireProtocol

/// One control connection after the upgrade: text frames in, control messages out, and the other way.
final class ControlHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// Messages a second that a controller has any reason to send.
    private static let messagesPerSecond = 20
    private static let pingInterval: TimeAmount = .seconds(20)

    private let conversation: ConversationID
    private let conversations: Conversations
    private var second: NIODeadline = .now()
    private var messagesThisSecond = 0
    private var unansweredPings = 0
    private var timers: [Scheduled<Void>] = []
    private var pings: RepeatedTask?

    init(conversation: ConversationID, conversations: Conversations) {
        self.conversation = conversation
        self.conversations = conversations
    }

    func handlerAdded(context: ChannelHandlerContext) {
        conversations.opened(conversation)
        let channel = context.channel
        Self.write(conversations.greeting, to: channel)
        let (conversation, conversations) = (conversation, conversations)
        timers.append(
            context.eventLoop.scheduleTask(in: ControlServer.invitationLimit) {
                if !conversations.hasInvited(conversation) { Self.writeClose(.policyViolation, to: channel) }
            })
        let loopBound = NIOLoopBound(self, eventLoop: context.eventLoop)
        pings = context.eventLoop.scheduleRepeatedTask(initialDelay: Self.pingInterval, delay: Self.pingInterval) { _ in
            let handler = loopBound.value
            handler.unansweredPings += 1
            if handler.unansweredPings > 3 { return channel.close(promise: nil) }
            let frame = WebSocketFrame(fin: true, opcode: .ping, data: channel.allocator.buffer(capacity: 0))
            channel.writeAndFlush(frame, promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        for timer in timers { timer.cancel() }
        pings?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        unansweredPings = 0
        switch frame.opcode {
        case .text: read(frame, context: context)
        case .ping:
            let pong = WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)
            context.writeAndFlush(wrapOutboundOut(pong), promise: nil)
        case .pong: break
        case .connectionClose: context.close(promise: nil)
        default: Self.writeClose(.unacceptableData, to: context.channel)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let code: WebSocketErrorCode = error is NIOWebSocketError ? .messageTooLarge : .protocolError
        Self.writeClose(code, to: context.channel)
    }

    private func read(_ frame: WebSocketFrame, context: ChannelHandlerContext) {
        guard isWithinRate() else { return Self.writeClose(.policyViolation, to: context.channel) }
        let bytes = Data(frame.unmaskedData.readableBytesView)
        guard let message = try? JSONDecoder().decode(ControlMessage.self, from: bytes) else {
            let refusal = Refusal(.badInvitation, message: "That is no control message of this version.")
            Self.write(.refused(refusal), to: context.channel)
            return Self.writeClose(.unacceptableData, to: context.channel)
        }
        if case .invite = message, !isSpeakingTLS13(context) {
            let refusal = Refusal(.insecure, message: "Native controllers join over TLS 1.3 only.")
            Self.write(.refused(refusal), to: context.channel)
            return Self.writeClose(.policyViolation, to: context.channel)
        }
        if let answer = conversations.heard(message, from: conversation) { Self.write(answer, to: context.channel) }
    }

    private func isSpeakingTLS13(_ context: ChannelHandlerContext) -> Bool {
        (try? context.pipeline.syncOperations.nioSSL_tlsVersion()) == .tlsv13
    }

    private func isWithinRate() -> Bool {
        let now = NIODeadline.now()
        if now - second > .seconds(1) {
            second = now
            messagesThisSecond = 0
        }
        messagesThisSecond += 1
        return messagesThisSecond <= Self.messagesPerSecond
    }

    /// Must be called on the channel's loop.
    static func write(_ message: ControlMessage, to channel: any Channel) {
        guard channel.isActive, let json = try? JSONEncoder().encode(message) else { return }
        let frame = WebSocketFrame(fin: true, opcode: .text, data: channel.allocator.buffer(bytes: json))
        channel.writeAndFlush(frame, promise: nil)
    }

    /// Says that the connection ends, and ends it. Must be called on the channel's loop.
    static func writeClose(_ code: WebSocketErrorCode, to channel: any Channel) {
        guard channel.isActive else { return }
        var data = channel.allocator.buffer(capacity: 2)
        data.write(webSocketErrorCode: code)
        let frame = WebSocketFrame(fin: true, opcode: .connectionClose, data: data)
        channel.writeAndFlush(frame).whenComplete { _ in channel.close(promise: nil) }
    }
}
