import Connections
package import Datagrams
package import Identity
package import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket
import WireProtocol

/// The room's TCP ports: TLS, HTTP and WebSocket, where controllers ask to join, and where browsers find their pages.
///
/// Nothing here decides anything: it checks form and limits, and hands on what came. A stranger costs a connection for
/// a bounded time and a bounded number of bytes; when too many come at once the oldest that has not joined gives way.
package final class ControlServer: Sendable {
    /// A text message may be at most this long, in bytes.
    static let longestMessage = 16_384
    /// TLS and the upgrade must be done by then, whatever trickles in.
    static let handshakeLimit: TimeAmount = .seconds(5)
    /// An invitation must be there by then: a person may have to compare a fingerprint first.
    static let invitationLimit: TimeAmount = .seconds(120)
    /// What the kernel may keep for a reader that takes nothing, in bytes; Linux grants itself as much again. Else it
    /// would be four megabytes for each.
    private static let kernelBytes = 262_144
    /// What a connection reads into at first, and keeps; it grows with whoever sends much. Most say a sentence a second.
    private static let inbound = AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 512, maximum: 65_536)
    /// Most connections are controllers' that wait for hours after a handshake of some kilobytes: they keep one page to
    /// send from, where NIOSSL would keep what the longest write took.
    private static let outbound = {
        var configuration = NIOSSLServerHandler.Configuration()
        configuration.maximumPreservedOutboundBufferCapacity = 4_096
        return configuration
    }()
    /// What the pipeline calls the handler of requests.
    private static let requests = "roomful.requests"

    private let channels: [any Channel]
    private let conversations: Conversations

    private init(_ channels: [any Channel], _ conversations: Conversations) {
        self.channels = channels
        self.conversations = conversations
    }

    /// Accepts connections from now on: at the room's own port inside TLS, and by plain HTTP at the one of this machine.
    ///
    /// - Throws: ``RoomError`` when the system refuses.
    package static func open(
        at port: ListeningSocket, tls: TLSSource, loopback: ListeningSocket?, _ conversations: Conversations,
        front: any PortFront
    ) async throws -> ControlServer {
        let first = try await accept(at: port) { configure($0, tls.context, conversations, front) }
        guard let loopback else { return ControlServer([first], conversations) }
        do {
            let second = try await accept(at: loopback) { configure($0, nil, conversations, front) }
            return ControlServer([second, first], conversations)
        } catch {
            try? await first.close()
            throw error
        }
    }

    /// Closes the ports and every connection.
    package func shutDown() async {
        for channel in channels { try? await channel.close() }
        await conversations.closeAll()
    }

    private static func accept(
        at port: ListeningSocket, _ configure: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
    ) async throws -> any Channel {
        guard let descriptor = port.take() else { preconditionFailure("a port is opened once") }
        do {
            return try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.backlog, value: ListeningSocket.backlog)
                .serverChannelOption(.maxMessagesPerRead, value: 256)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelOption(.socketOption(.so_sndbuf), value: kernelBytes)
                .childChannelOption(.maxMessagesPerRead, value: 4)
                .childChannelOption(.recvAllocator, value: inbound)
                .childChannelInitializer(configure)
                .withBoundSocket(descriptor).get()
        } catch {
            throw RoomError(.network, "port \(port.port) cannot be served: \(error)")
        }
    }

    /// Makes a new connection speak HTTP, and WebSocket where that is asked for; inside TLS, if there is a context.
    private static func configure(
        _ channel: any Channel, _ context: NIOSSLContext?, _ conversations: Conversations, _ front: any PortFront
    ) -> EventLoopFuture<Void> {
        guard let id = conversations.admit(channel) else {
            return channel.eventLoop.makeFailedFuture(RoomError(.full, "too many connections"))
        }
        let connection = PortConnection(
            id: id, arrival: context == nil ? .loopback : .tls, conversations: conversations)
        return channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(UnreadLimit())
            if let context {
                try channel.pipeline.syncOperations.addHandler(PlainRequest())
                try channel.pipeline.syncOperations.addHandler(
                    NIOSSLServerHandler(context: context, configuration: outbound))
            }
            try speakHTTP(on: channel, as: connection, front)
        }
    }

    /// What a connection's bytes go through, once they are plain: limits, HTTP, and the front or a WebSocket. Called on
    /// the channel's loop.
    package static func speakHTTP(
        on channel: any Channel, as connection: PortConnection, _ front: any PortFront
    ) throws {
        let pipeline = channel.pipeline.syncOperations
        let limit = HeaderLimit()
        try pipeline.addHandler(limit, name: HeaderLimit.name)
        try pipeline.configureHTTPServerPipeline(
            withPipeliningAssistance: true,
            withServerUpgrade: (
                upgraders: [upgrader(connection, front)],
                completionHandler: { context in
                    for name in [HeaderLimit.name, requests] {
                        context.pipeline.syncOperations.removeHandler(name: name, promise: nil)
                    }
                }
            ))
        try pipeline.addHandler(front.requests(on: connection, headers: limit), name: requests)
    }

    /// Which requests become WebSockets: a native controller's way in, and what the front welcomes.
    private static func upgrader(_ connection: PortConnection, _ front: any PortFront) -> NIOWebSocketServerUpgrader {
        NIOWebSocketServerUpgrader(
            maxFrameSize: longestMessage, automaticErrorHandling: true,
            shouldUpgrade: { channel, head in
                let isWelcome = isNative(head) ?? front.welcomes(head, on: connection)
                return channel.eventLoop.makeSucceededFuture(isWelcome ? HTTPHeaders() : nil)
            },
            upgradePipelineHandler: { channel, head in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(
                        NIOWebSocketFrameAggregator(
                            minNonFinalFragmentSize: 1, maxAccumulatedFrameCount: 16,
                            maxAccumulatedFrameSize: longestMessage))
                    try pipeline.addHandler(HeartbeatHandler())
                    if isNative(head) == nil { return try front.begin(head, on: connection, pipeline) }
                    try ControlHandler(connection, transport: .udp).begin(on: pipeline)
                }
            })
    }

    /// Whether the native controllers' way in is meant, and stands open: browsers name their origin, native controllers
    /// have none, come by whatever name or address they have, and have compared the pin by now. `nil` for other ways.
    private static func isNative(_ head: HTTPRequestHead) -> Bool? {
        guard head.uri.split(separator: "?", maxSplits: 1).first == "/control" else { return nil }
        return head.headers["origin"].isEmpty
    }
}
