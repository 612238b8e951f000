import Connections
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
package import RoomRecords
package import WireProtocol

/// Serves a room's figures to a Prometheus on the same machine or network, and says whether the room lives.
///
/// `GET /metrics`, `GET /healthz`: plain HTTP, no secrets in it, nothing that changes anything. At most 16 connections,
/// each with 10 s to ask.
package final class MetricsServer: Sendable {
    static let mostConnections = 16
    private static let patience: TimeAmount = .seconds(10)

    /// Where it listens, as it stands in a URL, with the port that the system chose if 0 was asked for.
    package let address: String
    private let channel: any Channel

    private init(_ channel: any Channel) {
        self.channel = channel
        address = channel.localAddress.flatMap { PeerAddress($0) }?.description ?? ""
    }

    /// - Parameter isKnown: whether a DNS name, in lower case, is this machine's or its certificate's.
    /// - Throws: ``RoomError`` when the address cannot be used.
    package static func open(
        host: String, port: UInt16, room: any HostedRoom, isKnown: @escaping @Sendable (String) -> Bool
    ) async throws -> MetricsServer {
        let bootstrap = ServerBootstrap.briefRequests(atMost: mostConnections, within: patience) {
            MetricsHandler(room) { isKnown($0) || $0 == host.lowercased() }
        }
        do {
            return MetricsServer(try await bootstrap.bind(host: host, port: Int(port)).get())
        } catch {
            throw refusal(of: host, port, because: error)
        }
    }

    /// Whether the address is this machine's, by a socket that hears nothing. Its port is not asked for: a room that is
    /// open may have it.
    ///
    /// - Throws: ``RoomError``, as opening does, when it is not.
    package static func check(host: String, port: UInt16) async throws(RoomError) {
        do {
            let socket = try await DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .bind(host: host, port: 0).get()
            try await socket.close()
        } catch {
            throw refusal(of: host, port, because: error)
        }
    }

    private static func refusal(of host: String, _ port: UInt16, because reason: any Error) -> RoomError {
        let place = Endpoint(host: host, port: Int(port))
        return RoomError(
            .network, "metrics cannot be served at \(place) (\(reason)); choose another --metrics ADDRESS:PORT")
    }

    package func shutDown() async { try? await channel.close() }
}
