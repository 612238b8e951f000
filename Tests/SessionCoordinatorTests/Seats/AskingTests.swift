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

    @Test(
        "A machine that asks again and again is told once a second at most; who asks from another is heard, and so is who comes back",
        arguments: [RoomConfiguration.Policy.ask, .open])
    func asksWithoutEnd(policy: RoomConfiguration.Policy) throws {
        // Of the open room all seats are taken: there one waits in the queue.
        var room = HostedRoom(RoomConfiguration(seats: 1, policy: policy))
        if policy == .open {
            var pad = try #require(Pad(room.invite(Guest(1), at: .lan(7))?.seat))
            room.receive(pad.datagram(), from: pad.address)
        }
        func told(of machine: ClosedRange<UInt64>) -> Int {
            let ids = machine.map { Guest($0).controller }
            return room.occurrences.count {
                switch $0.what {
                case .asking(let controller, _): ids.contains(controller)
                case .queue(let change): change.state == .queued && ids.contains(change.controller)
                default: false
                }
            }
        }
        var refused = 0
        for number in 0..<2_000 as Range<UInt64> {
            room.pass(to: .ms(Double(number) * 5))
            let conversation = room.newConversation()
            var guest = Guest(1_000 + number)
            guest.wait = true
            if case .refused(let refusal) = room.invite(guest, from: conversation, at: .lan(66)) {
                #expect(refusal.reason == .full && refusal.retryAfter == 10_000)
                refused += 1
            }
            // It hangs up and forgets, so that no bound of those who wait holds it.
            room.perform(room.coordinator.disconnected(conversation, now: room.now))
            if policy == .open, let place = room.coordinator.queue.indices.last {
                room.coordinator.takeFromQueue(place, .left, now: room.now)
            }
        }
        // 64 at once, and one for each of ten seconds.
        #expect(told(of: 1_000...2_999) + refused == 2_000)
        #expect((64...75).contains(told(of: 1_000...2_999)), "\(told(of: 1_000...2_999)) were told")
        var honest = Guest(2)
        honest.wait = true
        #expect(room.invite(honest, at: .lan(8))?.waiting != nil && told(of: 2...2) == 1)
        room.pass(to: .s(60))
        honest.number = 3
        #expect(room.invite(honest, at: .lan(66))?.waiting != nil, "a minute later it is heard again")
    }

    @Test("Of one address no more than its share wait for the operator, and others' places stay free for them")
    func shareOfOneAddress() {
        var room = HostedRoom(RoomConfiguration(seats: 4, policy: .ask))
        let ofOne = (0..<60).count { room.invite(Guest(1_000 + $0), at: .lan(66))?.waiting != nil }
        #expect(ofOne == Coordinator.mostAsking - Coordinator.mostAskingOfOne)
        let ofOthers = (0..<Coordinator.mostAskingOfOne).count {
            room.invite(Guest(UInt64($0)), at: .lan(UInt8($0)))?.waiting != nil
        }
        #expect(ofOthers == Coordinator.mostAskingOfOne)
        #expect(room.invite(Guest(500), at: .lan(200))?.refusal?.reason == .full)
    }
}
