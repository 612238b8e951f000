import NIOCore
import NIOPosix
import NIOSSL
import Synchronization
import WireProtocol

/// The TCP port at which a controller can be called: TLS 1.3, both sides show who they are, one offer a connection.
///
/// A stranger costs one of four connections for at most five seconds, and four kilobytes.
final class PadListener: Sendable {
    static let mostConnections = 4
    /// From the connection to the offer, in all.
    static let offerLimit = TimeAmount.seconds(5)

    /// Somebody who calls.
    struct Caller: Sendable {
        let pipe: NIOAsyncChannel<ByteBuffer, ByteBuffer>
        let handshake: PinnedHandshake
        /// Ends the connection unless it is cancelled.
        let deadline: Scheduled<Void>

        var address: PeerAddress? { pipe.channel.remoteAddress.flatMap { PeerAddress($0) } }
    }

    let port: UInt16
    private let channel: NIOAsyncChannel<Caller, Never>

    private init(_ channel: NIOAsyncChannel<Caller, Never>, port: UInt16) {
        self.channel = channel
        self.port = port
    }

    /// Opens a port on all addresses, IPv4 alone where the machine has no IPv6.
    static func open(port: UInt16, identity: PadIdentity) async throws -> PadListener {
        let context = try NIOSSLContext(configuration: identity.configuration())
        let count = Count()
        func bind(_ host: String) async throws -> NIOAsyncChannel<Caller, Never> {
            try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.backlog, value: 16)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.maxMessagesPerRead, value: 4)
                .bind(host: host, port: Int(port)) { channel in
                    channel.eventLoop.makeCompletedFuture { try accept(channel, context, count) }
                }
        }
        let channel: NIOAsyncChannel<Caller, Never>
        do {
            channel = try await bind("::")
        } catch let error as IOError where error.errnoCode == EAFNOSUPPORT || error.errnoCode == EADDRNOTAVAIL {
            channel = try await bind("0.0.0.0")
        }
        return PadListener(channel, port: UInt16(channel.channel.localAddress?.port ?? 0))
    }

    /// Serves until the task is cancelled; then the port is closed.
    func run(_ answer: @escaping @Sendable (Caller) async throws -> Void) async {
        try? await channel.executeThenClose { callers in
            try await withThrowingDiscardingTaskGroup { group in
                // What goes wrong with one caller concerns no other.
                for try await caller in callers { group.addTask { try? await answer(caller) } }
                group.cancelAll()
            }
        }
    }

    private static func accept(_ channel: any Channel, _ context: NIOSSLContext, _ count: Count) throws -> Caller {
        guard count.enter() else {
            channel.close(promise: nil)
            throw ChannelError.ioOnClosedChannel
        }
        channel.closeFuture.whenComplete { _ in count.leave() }
        // Anybody may call; who it is, is looked at when it has said what it wants.
        let handshake = PinnedHandshake.asking()
        let tls = NIOSSLServerHandler(context: context, customVerificationCallback: handshake.verification)
        try channel.pipeline.syncOperations.addHandler(tls)
        let deadline = channel.eventLoop.scheduleTask(in: offerLimit) { channel.close(promise: nil) }
        channel.closeFuture.whenComplete { _ in deadline.cancel() }
        return Caller(
            pipe: try NIOAsyncChannel(wrappingChannelSynchronously: channel), handshake: handshake, deadline: deadline)
    }

    private final class Count: Sendable {
        private let connections = Mutex(0)

        func enter() -> Bool {
            connections.withLock { connections in
                guard connections < mostConnections else { return false }
                connections += 1
                return true
            }
        }

        func leave() { connections.withLock { $0 -= 1 } }
    }
}
