import NIOCore
import NIOPosix
import Synchronization
import WireProtocol

@testable import Datagrams
@testable import Roomful

/// A way from one controller to a room that takes as long as a test wants, and may grow longer while it is used.
///
/// What a relay with fixed conditions cannot show: a link that was fast while the clocks were compared, and is slow at
/// the moment that counts.
final class SlowWay: Sendable {
    /// Where the controller sends its datagrams.
    let address: PeerAddress
    private let ends: [any Channel]
    private let way: Way

    /// What both ends share; used on their one event loop.
    private final class Way: Sendable {
        /// In microseconds, each way.
        let delay = Atomic<Int64>(0)
        let controller = Mutex<SocketAddress?>(nil)
        let front = Mutex<(any Channel)?>(nil)
    }

    /// Passes on in one direction.
    private final class End: ChannelInboundHandler, Sendable {
        typealias InboundIn = AddressedEnvelope<ByteBuffer>
        let pass: @Sendable (AddressedEnvelope<ByteBuffer>) -> Void
        init(pass: @escaping @Sendable (AddressedEnvelope<ByteBuffer>) -> Void) { self.pass = pass }
        func channelRead(context: ChannelHandlerContext, data: NIOAny) { pass(unwrapInboundIn(data)) }
    }

    private init(address: PeerAddress, ends: [any Channel], way: Way) {
        (self.address, self.ends, self.way) = (address, ends, way)
    }

    /// Opens a way to the room at this port of this machine.
    static func open(to port: Int, delay: Duration) async throws -> SlowWay {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let way = Way()
        way.delay.store(delay.wholeNanoseconds / 1_000, ordering: .relaxed)
        let room = try SocketAddress(ipAddress: "127.0.0.1", port: port)
        let later: @Sendable (@escaping @Sendable () -> Void) -> Void = { work in
            loop.scheduleTask(in: .microseconds(way.delay.load(ordering: .relaxed)), work)
        }
        func bind(_ end: End) async throws -> any Channel {
            try await DatagramBootstrap(group: loop)
                .channelInitializer { $0.pipeline.addHandler(end) }
                .bind(host: "127.0.0.1", port: 0).get()
        }
        let fromRoom = End { envelope in
            guard let controller = way.controller.withLock({ $0 }), let front = way.front.withLock({ $0 }) else {
                return
            }
            let onwards = AddressedEnvelope(remoteAddress: controller, data: envelope.data)
            later { front.writeAndFlush(onwards, promise: nil) }
        }
        let back = try await bind(fromRoom)
        let fromController = End { envelope in
            way.controller.withLock { $0 = envelope.remoteAddress }
            let onwards = AddressedEnvelope(remoteAddress: room, data: envelope.data)
            later { back.writeAndFlush(onwards, promise: nil) }
        }
        let front = try await bind(fromController)
        way.front.withLock { $0 = front }
        guard let address = PeerAddress("127.0.0.1:\(front.localAddress?.port ?? 0)") else {
            throw RoomError(.network, "no port")
        }
        return SlowWay(address: address, ends: [front, back], way: way)
    }

    /// From now on each datagram takes so long, either way.
    func take(_ delay: Duration) { way.delay.store(delay.wholeNanoseconds / 1_000, ordering: .relaxed) }

    func close() async {
        for end in ends { try? await end.close() }
    }
}
