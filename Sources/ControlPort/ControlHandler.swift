import Datagrams
import Foundation
import Identity
package import NIOCore
import NIOSSL
package import NIOWebSocket
package import WireProtocol

/// One control connection after the upgrade: control messages in and out, and a browser's datagrams.
package final class ControlHandler: ChannelInboundHandler {
    package typealias InboundIn = WebSocketFrame
    package typealias OutboundOut = WebSocketFrame

    /// Messages a second that a controller has any reason to send.
    private static let messagesPerSecond = 20
    /// Datagrams a second that a browser has any reason to send: sensors give 60 to 200 readings.
    private static let datagramsPerSecond = 1_000

    private let conversation: ConversationID
    private let conversations: Conversations
    private let transport: Transport
    private let seat: SeatMark
    private var messages = SecondCount(limit: messagesPerSecond)
    private var datagrams = SecondCount(limit: datagramsPerSecond)
    private var invitationLimit: Scheduled<Void>?

    /// - Parameter transport: `udp` for native controllers, `wss` for browsers.
    package init(_ connection: PortConnection, transport: Transport) {
        conversation = connection.id
        conversations = connection.conversations
        seat = connection.conversations.seat(of: connection.id)
        self.transport = transport
    }

    /// Adds it to a connection that has just become a WebSocket; a browser's datagrams get a lane of their own.
    package func begin(on pipeline: ChannelPipeline.SynchronousOperations) throws {
        if transport == .wss {
            let decoder = try pipeline.handler(type: ByteToMessageHandler<WebSocketFrameDecoder>.self)
            try pipeline.addHandler(DatagramLane(to: self, gather: conversations.gather), position: .before(decoder))
        }
        try pipeline.addHandler(self)
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        conversations.opened(conversation, WebSocketLine(channel: channel))
        let greeting = conversations.greeting
        channel.writeText(greeting)
        // Not at once: a client that still turns the connection into a WebSocket would lose what was said.
        if case .refused = greeting { return channel.closeSoon() }
        let (conversation, conversations) = (conversation, conversations)
        invitationLimit = context.eventLoop.scheduleTask(in: ControlServer.invitationLimit) {
            if !conversations.hasInvited(conversation) { channel.writeClose(.policyViolation) }
        }
    }

    package func channelInactive(context: ChannelHandlerContext) {
        invitationLimit?.cancel()
        context.fireChannelInactive()
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        // Who talks and reads nothing would have the answers pile up here.
        guard context.channel.isWritable else { return context.close(promise: nil) }
        switch frame.opcode {
        case .text: read(frame, context: context)
        case .binary where transport == .wss:
            take(frame.unmaskedData, arrivedAt: HostClock.now(), on: context.channel)
        default: context.channel.writeClose(.unacceptableData)
        }
    }

    /// Takes a browser's datagram.
    func take(_ datagram: ByteBuffer, arrivedAt: HostTime, on channel: any Channel) {
        guard datagrams.admit() else { return channel.writeClose(.policyViolation) }
        // Of one without a seat it goes nowhere.
        guard seat.isTaken else { return }
        conversations.hand(datagram, of: conversation, arrivedAt: arrivedAt)
    }

    private func read(_ frame: WebSocketFrame, context: ChannelHandlerContext) {
        let channel = context.channel
        guard messages.admit() else { return channel.writeClose(.policyViolation) }
        let bytes = Data(frame.unmaskedData.readableBytesView)
        let message: ControlMessage
        do {
            message = try JSONDecoder().decode(ControlMessage.self, from: bytes)
        } catch {
            let refusal = Refusal(.badInvitation, message: ControlMessage.problem(reading: error))
            channel.writeText(ControlMessage.refused(refusal))
            return channel.writeClose(.unacceptableData)
        }
        if case .invite = message, transport == .udp, !isSpeakingTLS13(context) {
            let refusal = Refusal(.insecure, message: "Native controllers join over TLS 1.3 only.")
            channel.writeText(ControlMessage.refused(refusal))
            return channel.writeClose(.policyViolation)
        }
        if let answer = conversations.heard(message, from: conversation, over: transport) { channel.writeText(answer) }
    }

    private func isSpeakingTLS13(_ context: ChannelHandlerContext) -> Bool {
        (try? context.pipeline.syncOperations.nioSSL_tlsVersion()) == .tlsv13
    }
}
