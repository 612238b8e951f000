import ControllerSession
import Foundation
import WireProtocol

@testable import Connections
@testable import ControllerClient
@testable import Datagrams
@testable import Identity
@testable import RoomServer
@testable import Roomful

/// A seat taken by hand, so that its keys can be abused.
enum SeatWithoutLink {
    static func take(in room: Room, as name: String) async throws -> (ControlConnection, Admission) {
        let handshake = PinnedHandshake(expecting: room.ticket.pin)
        let connection = try await ControlConnection.open(
            Endpoint(host: "127.0.0.1", port: Int(room.port)), handshake: handshake)
        let invitation = Invitation(
            controller: String(repeating: "cd", count: 16), process: "0011223344556677", name: name,
            streams: [StreamOffer(StreamDeclaration())], haptics: false)
        connection.send(.invite(invitation))
        let heard = await connection.conversation.first(within: patience) { $0.answer != nil }
        guard case .seated(let seated)? = heard?.answer else { throw RoomError(.network, "no seat: \(heard as Any)") }
        return (connection, try Admission(seated))
    }
}

extension Admission {
    /// The shortest datagram that a seated controller may send: when it was sent, and nothing else.
    ///
    /// - Parameter connection: whose it claims to be.
    func heartbeat(for connection: ConnectionID, number: UInt32) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: DatagramHeader.size)
        header.withUnsafeMutableBytes { buffer in
            var writer = ByteWriter(buffer)
            DatagramHeader(kind: .motion, connection: connection, number: number).write(to: &writer)
        }
        return SealedDatagram(header: header, payload: [UInt8](repeating: 0, count: 8))
            .sealed(LinkCipher.preferred(for: suite), key: epoch.sendKey, number: number).bytes
    }
}
