import ControlPort
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing
import WireProtocol

@testable import WebFront

@Suite("What is said to a browser that POSTs")
struct PostLineTests {
    /// As TLS does: an end that the other side has yet to agree to.
    private final class Lingering: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        func close(context _: ChannelHandlerContext, mode _: CloseMode, promise _: EventLoopPromise<Void>?) {}
    }

    /// A stream whose head was written.
    private static func stream() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: Lingering())
        try channel.pipeline.syncOperations.configureHTTPServerPipeline()
        try channel.connect(to: SocketAddress(ipAddress: "192.168.1.9", port: 50_000)).wait()
        try channel.writeInbound(ByteBuffer(string: "GET /api/controller/stream HTTP/1.1\r\nHost: room\r\n\r\n"))
        channel.write(HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok)), promise: nil)
        return channel
    }

    private static func said(on channel: EmbeddedChannel) throws -> String {
        channel.embeddedEventLoop.run()
        var text = ""
        while let part = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: part) }
        return text
    }

    private static let refusal = ControlMessage.refused(Refusal(.wrongCode, message: "That is not this room's code."))

    @Test("The end is the last of it, however long the connection stays: who was refused and speaks on ends no room")
    func nothingAfterTheEnd() throws {
        let channel = try Self.stream()
        let line = PostLine()
        line.open(channel)
        line.say(Self.refusal)
        line.close()
        line.say(.unknown(type: "teleport"))
        line.close()
        #expect(try Self.said(on: channel).hasSuffix("\n\n\r\n0\r\n\r\n"))
        line.say(.unknown(type: "teleport"))
        line.send(ByteBuffer(string: "feedback"))
        line.close()
        // What is said every 5 s, so that a lost connection shows.
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(try Self.said(on: channel).isEmpty)
        channel.embeddedEventLoop.advanceTime(by: .seconds(30))
        #expect(try Self.said(on: channel).isEmpty)
    }

    @Test("What was said before the stream opens is said, and then its end, where that was decided already")
    func endedBeforeItOpened() throws {
        let channel = try Self.stream()
        let line = PostLine()
        line.say(Self.refusal)
        line.close()
        line.open(channel)
        let said = try Self.said(on: channel)
        #expect(said.contains("wrongCode") && said.hasSuffix("0\r\n\r\n"))
    }
}
