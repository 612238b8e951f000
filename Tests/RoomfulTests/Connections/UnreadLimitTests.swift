import NIOCore
import NIOEmbedded
import Testing

@testable import Connections

@Suite("Who takes nothing of what waits for it")
struct UnreadLimitTests {
    /// A socket whose reader takes something only when it is told to.
    private final class Kernel: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        func flush(context _: ChannelHandlerContext) {}
    }

    private static func channel() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handlers: [Kernel(), UnreadLimit()])
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/unread")).wait()
        return channel
    }

    private static func take(_ channel: EmbeddedChannel) throws {
        try channel.pipeline.syncOperations.context(handlerType: Kernel.self).flush()
    }

    @Test("is let go after 30 s, and not before; with nothing waiting one may be silent for ever")
    func stopped() throws {
        let channel = try Self.channel()
        channel.embeddedEventLoop.advanceTime(by: .hours(1))
        channel.writeAndFlush(ByteBuffer(string: "something"), promise: nil)
        channel.embeddedEventLoop.advanceTime(by: .seconds(29))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test("stays if it takes something every 29 s, whatever is added meanwhile, and is let go once it stops")
    func slow() throws {
        let channel = try Self.channel()
        for _ in 0..<100 {
            channel.writeAndFlush(ByteBuffer(string: "something"), promise: nil)
            channel.embeddedEventLoop.advanceTime(by: .seconds(29))
            #expect(channel.isActive)
            try Self.take(channel)
            channel.writeAndFlush(ByteBuffer(string: "more"), promise: nil)
        }
        // Looked at every 5 s.
        channel.embeddedEventLoop.advanceTime(by: .seconds(35))
        #expect(!channel.isActive)
    }
}
