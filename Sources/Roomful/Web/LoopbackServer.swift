import Foundation
import NIOCore
import NIOPosix

/// The room's second door: plain HTTP on 127.0.0.1, for engines, development servers, and a proxy that ends the TLS.
final class LoopbackServer: Sendable {
    let port: UInt16
    private let channel: any Channel

    private init(_ channel: any Channel, port: UInt16) {
        self.channel = channel
        self.port = port
    }

    /// - Parameter port: 0 takes any that is free.
    /// - Throws: ``RoomError`` when another program has it.
    static func open(port: UInt16, site: WebSite) async throws -> LoopbackServer {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.maxMessagesPerRead, value: 4)
            .childChannelInitializer { ControlServer.configure($0, nil, site) }
        do {
            let channel = try await bootstrap.bind(host: "127.0.0.1", port: Int(port)).get()
            return LoopbackServer(channel, port: UInt16(channel.localAddress?.port ?? 0))
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw RoomError(
                .portInUse, "port \(port) is in use by another program; choose another --http PORT, or --http off")
        } catch let error as IOError where error.errnoCode == EACCES {
            throw RoomError(.network, "port \(port) is not allowed to this user; choose one above 1023 with --http")
        }
    }

    func shutDown() async { try? await channel.close() }
}
