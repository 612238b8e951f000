import Testing
import WireProtocol

@testable import Datagrams
@testable import RoomServer
@testable import Roomful

@Suite("What a room leaves behind", .timeLimit(.minutes(2)))
struct ClosedRoomTests {
    @Test("Its UDP ports are free once it has closed, though somebody still holds the room, or a player of it")
    func ports() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        var options = try house.options()
        options.legacyPort = 0
        let room = try await withRoom(options) { $0 }
        let player = room.player(1)
        let legacyPort = try #require(room.legacyPort)
        for port in [room.port, legacyPort] { _ = try DatagramSocket(at: .any(port: port)) }
        #expect(await player.standing() == nil)
        #expect(!room.isOpen)
    }
}
