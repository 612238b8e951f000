import Testing
import WireProtocol

@testable import ControllerClient
@testable import RoomRecords
@testable import RoomServer
@testable import Roomful

@Suite("How long datagrams wait to be read, over real sockets", .serialized, .timeLimit(.minutes(4)))
struct ArrivalWaitTests {
    @Test("A room says how long all that it was handed lay in its socket: what gathering delays is read from that")
    func waited() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            let before = try #require(await room.status().arrivals)
            #expect(before.waitedMs == 0)
            try await withController(house.controller("Blue"), joining: room.local) { controller in
                controller.send(Sample(sampledAt: Controller.deviceTimeNow()))
                let isSettled = await controller.settle(within: patience)
                #expect(isSettled)
            }
            let after = try #require(await room.status().arrivals)
            #expect(after.handedOver > before.handedOver)
            // The kernel stamps each a moment before anybody can read it.
            let waited = after.waitedMs ?? 0
            #expect(waited > 0)
        }
    }
}
