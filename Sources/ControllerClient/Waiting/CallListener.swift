import Connections
import Datagrams
import Identity
import NIOCore
import NIOPosix
import NIOSSL
import WireProtocol

/// The TCP port at which a controller can be called: TLS 1.3, both sides show who they are, one offer a connection.
///
/// A stranger costs a connection for at most five seconds, and four kilobytes; see ``CallerConnections`` for how many.
final class CallListener: Sendable {
    /// From the connection to the offer, in all.
    static let offerLimit = TimeAmount.seconds(5)

    /// Somebody who calls.
    struct Caller: Sendable {
        let pipe: CallerPipe
        let handshake: PinnedHandshake
        /// Ends the connection unless it is cancelled.
        fileprivate let deadline: Scheduled<Void>
        fileprivate let connections: CallerConnections

        var address: PeerAddress? { pipe.channel.remoteAddress.flatMap { PeerAddress($0) } }

        /// It has said its offer: it is given the time that this takes.
        func hasSpoken() {
            deadline.cancel()
            connections.hasSpoken(pipe.channel)
        }
    }

    let port: UInt16
    private let channel: NIOAsyncChannel<Caller, Never>

    private init(_ channel: NIOAsyncChannel<Caller, Never>, port: UInt16) {
        self.channel = channel
        self.port = port
    }

    /// Opens a port on all addresses, IPv4 alone where the machine has no IPv6.
    static func open(port: UInt16, identity: WaitingIdentity) async throws -> CallListener {
        let context = try NIOSSLContext(configuration: identity.configuration())
        let connections = CallerConnections()
        let channel = try await bindAnywhere(port: port) { address in
            try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.backlog, value: 16)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.maxMessagesPerRead, value: 4)
                .bind(to: address) { channel in
                    channel.eventLoop.makeCompletedFuture { try accept(channel, context, connections) }
                }
        }
        return CallListener(channel, port: UInt16(channel.channel.localAddress?.port ?? 0))
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

    private static func accept(_ channel: any Channel, _ context: NIOSSLContext, _ connections: CallerConnections)
        throws -> Caller
    {
        connections.enter(channel)
        channel.closeFuture.whenComplete { _ in connections.leave(channel) }
        // Anybody may call; who it is, is looked at when it has said what it wants.
        let handshake = PinnedHandshake.asking()
        let tls = NIOSSLServerHandler(context: context, customVerificationCallback: handshake.verification)
        try channel.pipeline.syncOperations.addHandler(tls)
        let deadline = channel.eventLoop.scheduleTask(in: offerLimit) { channel.close(promise: nil) }
        channel.closeFuture.whenComplete { _ in deadline.cancel() }
        return Caller(
            pipe: CallerPipe(try NIOAsyncChannel(wrappingChannelSynchronously: channel)), handshake: handshake,
            deadline: deadline,
            connections: connections)
    }
}
