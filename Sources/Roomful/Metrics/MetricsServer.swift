import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// Serves a room's figures to a Prometheus on the same machine or network, and says whether the room lives.
///
/// `GET /metrics`, `GET /healthz`: plain HTTP, no secrets in it, nothing that changes anything. At most 16 connections,
/// each with 10 s to ask.
final class MetricsServer: Sendable {
    static let mostConnections = 16
    private static let patience: TimeAmount = .seconds(10)

    /// Where it listens, with the port that the system chose if 0 was asked for.
    let address: String
    private let channel: any Channel

    private init(_ channel: any Channel) {
        self.channel = channel
        address = channel.localAddress.map { "\($0.ipAddress ?? "?"):\($0.port ?? 0)" } ?? ""
    }

    /// - Throws: ``RoomError`` when the address cannot be used.
    static func open(host: String, port: UInt16, room: Room) async throws -> MetricsServer {
        let open = OpenConnections(limit: mostConnections)
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 16)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                guard open.admit(channel) else {
                    return channel.eventLoop.makeFailedFuture(RoomError(.full, "too many connections"))
                }
                // An idle time would let one byte now and then hold a place for ever.
                let end = channel.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
                channel.closeFuture.whenComplete { _ in end.cancel() }
                return channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false)
                    try pipeline.addHandler(MetricsHandler(room))
                }
            }
        do {
            return MetricsServer(try await bootstrap.bind(host: host, port: Int(port)).get())
        } catch {
            throw RoomError(
                .network, "metrics cannot be served at \(host):\(port) (\(error)); choose another --metrics ADDRESS:PORT")
        }
    }

    func shutDown() async { try? await channel.close() }
}
