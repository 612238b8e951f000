import Testing
import WireProtocol

@testable import ControllerClient
@testable import RoomRecords
@testable import RoomServer
@testable import Roomful

@Suite("The address that was dialled, over real sockets", .serialized, .timeLimit(.minutes(4)))
struct DialledAddressTests {
    @Test("A room answers from the address of its machine that a controller dials, whichever the system would choose")
    func room() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            // Like a firewall, it knows the room by this address alone.
            let tap = try Tap(to: room.port, at: 0x7F00_0002)
            defer { tap.stop() }
            var options = try house.controller("Blue")
            options.linkVia = tap.address
            try await withController(options, joining: room.local) { controller in
                controller.send(Sample(sampledAt: Controller.deviceTimeNow()))
                // Clocks are learnt from answers to what the room has sent.
                let peers = try await room.peers { $0.first?.clock.state == "locked" }
                #expect(peers.map(\.clock.state) == ["locked"])
            }
        }
    }
}
