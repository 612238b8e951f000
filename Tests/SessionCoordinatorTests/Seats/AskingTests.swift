import Testing
import WireProtocol

@testable import SessionCoordinator

@Suite("Those who wait for the operator can be told apart")
struct AskingTests {
    @Test("Two phones that bring no name get one each when they ask, are addressed by id, and keep it with their seat")
    func twoPhones() throws {
        var room = HostedRoom(RoomConfiguration(seats: 4, policy: .ask))
        let (a, b) = (room.newConversation(), room.newConversation())
        let words = [
            room.invite(Guest(1, name: ""), from: a, over: .wss, at: .lan(7)),
            room.invite(Guest(2, name: ""), from: b, over: .wss, at: .lan(8)),
        ].compactMap { $0?.waiting }
        let newcomers = room.coordinator.newcomers
        #expect(newcomers.map(\.name) == words.compactMap(\.name) && Set(newcomers.map(\.name)).count == 2)
        #expect(newcomers.map(\.name).allSatisfy { $0.contains(" ") }, "a colour and an animal: \(newcomers)")
        #expect(newcomers.map(\.source) == [.lan(7), .lan(8)])
        #expect(newcomers.map(\.since) == [room.now, room.now])
        guard case .failure(.ambiguous(let candidates)) = room.coordinator.accept(nil, now: room.now) else {
            Issue.record("which of them?")
            return
        }
        #expect(candidates.count == 2)
        // The second first: each gets the seat whose colour its name says.
        room.perform(try room.coordinator.accept(Guest(2).controller.description, now: room.now).get())
        room.perform(try room.coordinator.accept(Guest(1).controller.description, now: room.now).get())
        let seats = [a, b].compactMap { room.answers[$0]?.last?.seat }
        #expect(seats.map(\.name) == words.compactMap(\.name))
        #expect(seats.map(\.color) == words.compactMap(\.color))
        #expect(seats.map(\.seat) == [1, 2])
    }

    @Test("Who asks again on another connection is the same to the operator: its name, its seat, its time")
    func asksAgain() throws {
        var room = HostedRoom(RoomConfiguration(seats: 4, policy: .ask))
        room.invite(Guest(1, name: ""), over: .wss)
        let before = try #require(room.coordinator.newcomers.first)
        room.pass(to: .s(5))
        room.invite(Guest(2, name: ""), over: .wss)
        room.invite(Guest(1, name: ""), over: .wss)
        let after = try #require(room.coordinator.newcomers.first { $0.controller == before.controller })
        #expect(after.name == before.name && after.since == before.since)
    }
}
