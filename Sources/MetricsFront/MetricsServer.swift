import Connections
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
package import RoomRecords
import WireProtocol

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
            let place = Endpoint(host: host, port: Int(port))
            throw RoomError(
                .network, "metrics cannot be served at \(place) (\(error)); choose another --metrics ADDRESS:PORT")
        }
    }

    package func shutDown() async { try? await channel.close() }
}
