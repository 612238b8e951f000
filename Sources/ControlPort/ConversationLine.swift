import Datagrams
import Foundation
import Identity
package import NIOCore
package import NIOWebSocket
package import WireProtocol

/// How the host speaks on one control connection, whatever carries it. Each call returns at once, from any thread but where
/// it says otherwise.
package protocol ConversationLine: Sendable {
    /// Where ``send(_:)`` is to be called; `nil`: anywhere.
    var loop: (any EventLoop)? { get }
    func say(_ message: ControlMessage)
    /// A browser's feedback; left out when the other side is behind, as a newer one follows.
    func send(_ datagram: ByteBuffer)
    /// Ends it, after all that was said.
    func close()
    /// Ends it at once.
    func drop() async
    /// Ends it for somebody else's sake.
    func giveWay()
}

extension ConversationLine {
    package var loop: (any EventLoop)? { nil }
    package func giveWay() { close() }
}

/// A connection on which nothing has been agreed yet: nothing can be said there.
struct SilentLine: ConversationLine {
    let channel: any Channel

    func say(_: ControlMessage) {}
    func send(_: ByteBuffer) {}
    func close() { channel.close(promise: nil) }
    func drop() async { try? await channel.close() }
}

/// A WebSocket: control messages as text, a browser's datagrams as binary messages.
package struct WebSocketLine: ConversationLine {
    package let channel: any Channel

    package init(channel: any Channel) {
        self.channel = channel
    }

    package var loop: (any EventLoop)? { channel.eventLoop }

    package func say(_ message: ControlMessage) {
        channel.eventLoop.execute { [channel] in channel.writeText(message) }
    }

    package func send(_ datagram: ByteBuffer) {
        guard channel.isWritable else { return }
        channel.writeAndFlush(WebSocketFrame(fin: true, opcode: .binary, data: datagram), promise: nil)
    }

    package func close() { channel.eventLoop.execute { [channel] in channel.writeClose(.normalClosure) } }
    package func drop() async { try? await channel.close() }
}

extension Channel {
    /// Writes a JSON object as a text message. Must be called on the channel's loop, after the WebSocket upgrade.
    package func writeText(_ object: some Encodable) {
        guard isActive, let json = try? JSONEncoder().encode(object) else { return }
        writeAndFlush(WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(bytes: json)), promise: nil)
    }

    /// Says that the WebSocket ends, and ends it. Must be called on the channel's loop.
    package func writeClose(_ code: WebSocketErrorCode) {
        guard isActive else { return }
        var data = allocator.buffer(capacity: 2)
        data.write(webSocketErrorCode: code)
        let frame = WebSocketFrame(fin: true, opcode: .connectionClose, data: data)
        writeAndFlush(frame).whenComplete { _ in self.close(promise: nil) }
        closeSoon()
    }

    /// Ends the connection within 2 s, though the other side reads nothing, so that what was written never leaves.
    package func closeSoon() {
        let end = eventLoop.scheduleTask(in: .seconds(2)) { self.close(promise: nil) }
        closeFuture.whenComplete { _ in end.cancel() }
    }
}
