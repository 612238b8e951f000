import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import SessionCoordinator
import WireProtocol

/// The room's TCP port: TLS, HTTP and WebSocket, where controllers ask to join, and where browsers find their pages.
///
/// Nothing here decides anything: it checks form and limits, and posts to the room's thread. A stranger costs a
/// connection for a bounded time and a bounded number of bytes; when too many come at once the oldest that has not
/// joined gives way.
final class ControlServer: Sendable {
    /// A text message may be at most this long, in bytes.
    static let longestMessage = 16_384
    /// TLS and the upgrade must be done by then, whatever trickles in.
    static let handshakeLimit: TimeAmount = .seconds(5)
    /// An invitation must be there by then: a person may have to compare a fingerprint first.
    static let invitationLimit: TimeAmount = .seconds(120)

    let port: UInt16
    private let channel: any Channel
    private let conversations: Conversations
    let site: WebSite

    private init(channel: any Channel, port: UInt16, site: WebSite) {
        self.channel = channel
        self.port = port
        self.site = site
        conversations = site.conversations
    }

    /// Opens the port on all addresses, IPv4 alone where the machine has no IPv6.
    ///
    /// - Throws: ``RoomError`` when another program has it.
    static func open(
        port: UInt16, tls: TLSSource, site: WebSite
    ) async throws -> ControlServer {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.maxMessagesPerRead, value: 4)
            .childChannelInitializer { channel in configure(channel, tls.context, site) }
        let channel: any Channel
        do {
            channel = try await bindAnywhere(bootstrap, port: port)
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw RoomError(
                .portInUse, "port \(port) is in use by another program; choose one with --port, or leave it out")
        } catch let error as IOError where error.errnoCode == EACCES {
            throw RoomError(.network, "port \(port) is not allowed to this user; choose one above 1023 with --port")
        }
        guard let bound = channel.localAddress?.port else {
            throw RoomError(.network, "the system did not say which port it gave")
        }
        return ControlServer(channel: channel, port: UInt16(bound), site: site)
    }

    /// Says something on a control connection, if it is still there.
    func say(_ message: ControlMessage, to conversation: ConversationID) {
        conversations.say(message, to: conversation)
    }

    /// Sends a browser its feedback.
    func send(_ datagram: ByteBuffer, to conversation: ConversationID) {
        conversations.send(datagram, to: conversation)
    }

    /// Closes a control connection after all that was said on it.
    func close(_ conversation: ConversationID) { conversations.close(conversation) }

    /// Closes the port and every connection.
    func shutDown() async {
        try? await channel.close()
        await conversations.closeAll()
    }

    private static func bindAnywhere(_ bootstrap: ServerBootstrap, port: UInt16) async throws -> any Channel {
        do {
            return try await bootstrap.bind(host: "::", port: Int(port)).get()
        } catch let error as IOError where error.errnoCode == EAFNOSUPPORT || error.errnoCode == EADDRNOTAVAIL {
            return try await bootstrap.bind(host: "0.0.0.0", port: Int(port)).get()
        }
    }

    /// Makes a new connection speak HTTP, and WebSocket where that is asked for; inside TLS, if there is a context.
    static func configure(
        _ channel: any Channel, _ context: NIOSSLContext?, _ site: WebSite
    ) -> EventLoopFuture<Void> {
        guard let conversation = site.conversations.admit(channel) else {
            return channel.eventLoop.makeFailedFuture(RoomError(.full, "too many connections"))
        }
        return channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            if let context { try pipeline.addHandler(NIOSSLServerHandler(context: context)) }
            let arrival: WebArrival = context == nil ? .loopback : .tls
            let upgrader = WebUpgrade(site: site, conversation: conversation, arrival: arrival).upgrader
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: true,
                withServerUpgrade: (
                    upgraders: [upgrader],
                    completionHandler: { context in
                        context.pipeline.syncOperations.removeHandler(name: WebHandler.name, promise: nil)
                    }
                ))
            try pipeline.addHandler(
                WebHandler(site: site, conversation: conversation, arrival: arrival), name: WebHandler.name)
        }
    }
}
