import ControllerSession
import Foundation
import Testing
import WireProtocol

@testable import ControllerClient
@testable import Roomful

@Suite("Newest-wins data of a controller's program, over real sockets", .serialized, .timeLimit(.minutes(2)))
struct ChannelTests {
    @Test("A program that uses a seventeenth channel hears so at once; its sixteen go on")
    func tooMany() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            try await withController(house.controller("Blue"), joining: room.local) { controller in
                controller.send(Sample(sampledAt: Controller.deviceTimeNow()))
                _ = try await room.peers { $0.first?.state == "active" }
                for channel in UInt8(100)..<116 { try controller.sendNewest([1], channel: channel) }
                let seventeenth = #expect(throws: SendError.self) { try controller.sendNewest([1], channel: 7) }
                #expect(seventeenth?.code == .tooManyChannels)
                let heard = Heard<Room.Received>()
                Task { for await message in room.messages { heard.note(message) } }
                try await until("a newer piece of a channel") {
                    try controller.sendNewest([2], channel: 115)
                    return heard.all.contains { $0.channel == 115 && $0.bytes == [2] }
                }
            }
        }
    }
}
