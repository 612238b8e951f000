import NIOCore
import NIOPosix
import RawLoop
import WireProtocol

/// The same burst through NIO's own datagram channel, 64 a system call, which opens and books nothing: what a server in Swift
/// would begin with.
final class NIODrain {
    private struct Burst: Sendable {
        let count: Int
        let done: EventLoopPromise<Int64>
    }

    let address: PeerAddress
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let channel: any Channel

    init() throws {
        channel = try DatagramBootstrap(group: group)
            .channelOption(.autoRead, value: false)
            .channelOption(.socketOption(.so_rcvbuf), value: 4 << 20)
            .channelOption(.datagramVectorReadMessageCount, value: 64)
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 64 * 2_048))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Counter()) }
            }
            .bind(host: "127.0.0.1", port: 0).wait()
        address = PeerAddress(ipv4: 0x7F00_0001, port: UInt16(channel.localAddress?.port ?? 0))
    }

    deinit {
        channel.close(promise: nil)
        group.shutdownGracefully { _ in }
    }

    /// Nanoseconds of its loop's processor time for what waits in its socket; `nil` where less came within 2 s, as its buffer
    /// is what net.core.rmem_max allows.
    func drain(_ count: Int) throws -> Int64? {
        let done = channel.eventLoop.makePromise(of: Int64.self)
        channel.eventLoop.scheduleTask(in: .seconds(2)) { done.fail(ChannelError.eof) }
        try channel.triggerUserOutboundEvent(Burst(count: count, done: done)).wait()
        return try? done.futureResult.wait()
    }

    private final class Counter: ChannelDuplexHandler {
        typealias InboundIn = AddressedEnvelope<ByteBuffer>
        typealias OutboundIn = AddressedEnvelope<ByteBuffer>

        private var left = 0
        private var began: Int64 = 0
        private var done: EventLoopPromise<Int64>?
        private var touched: UInt8 = 0

        func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
            guard let burst = event as? Burst else { return context.triggerUserOutboundEvent(event, promise: promise) }
            (left, done, began) = (burst.count, burst.done, raw_thread_time())
            promise?.succeed()
            try? context.channel.syncOptions?.setOption(.autoRead, value: true)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let datagram = unwrapInboundIn(data).data
            touched &+= datagram.getInteger(at: datagram.readerIndex) ?? 0
            left -= 1
            guard left == 0 else { return }
            done?.succeed(raw_thread_time() - began)
            try? context.channel.syncOptions?.setOption(.autoRead, value: false)
        }
    }
}
