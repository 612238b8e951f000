import Testing
import WireProtocol

@testable import SessionCoordinator

@Suite("What the operator decides")
struct OperatorTests {
    private func makeRoom(seats: Int = 2) -> HostedRoom { HostedRoom(RoomConfiguration(seats: seats, policy: .ask)) }

    @Test("Whoever is accepted has a seat; meanwhile it was told how long to wait")
    func accept() throws {
        var room = makeRoom()
        let conversation = room.newConversation()
        #expect(
            room.invite(Guest(1, timeout: 8_000), from: conversation)
                == .waiting(Waiting(timeout: 8_000, name: "Pad 1", color: "#0072b2")))
        #expect(room.coordinator.newcomers.map(\.name) == ["Pad 1"])
        room.perform(try room.coordinator.accept(nil, now: room.now).get())
        #expect(room.answers[conversation]?.last?.seat?.seat == 1)
        #expect(room.coordinator.newcomers.isEmpty)
    }

    @Test("Whoever is declined is told so")
    func decline() throws {
        var room = makeRoom()
        let conversation = room.newConversation()
        room.invite(Guest(1), from: conversation)
        room.perform(try room.coordinator.decline("pad 1", message: nil, now: room.now).get())
        #expect(room.answers[conversation]?.last?.refusal?.reason == .declined)
        #expect(room.closed == [conversation])
    }

    @Test(
        "An invitation expires when its time is over, or the room's patience, whichever is first",
        arguments: [(8_000, 8_000), (600_000, 120_000)])
    func expire(asked: Int, waited: Double) {
        var room = makeRoom()
        let conversation = room.newConversation()
        room.invite(Guest(1, timeout: asked), from: conversation)
        room.pass(to: .ms(waited - 1))
        #expect(room.answers[conversation]?.allSatisfy { $0.waiting != nil } == true)
        room.pass(to: .ms(waited))
        #expect(room.answers[conversation]?.last?.refusal?.reason == .expired)
    }

    @Test("Who asks twice is asked about once, and the first connection is told that it is replaced")
    func asksTwice() {
        var room = makeRoom()
        let (first, second) = (room.newConversation(), room.newConversation())
        room.invite(Guest(1), from: first)
        room.invite(Guest(1), from: second)
        #expect(room.coordinator.newcomers.count == 1)
        #expect(room.answers[first]?.last == .goodbye(Farewell(reason: "replaced")))
        #expect(room.closed == [first])
    }

    @Test("An invitation ends with its connection; a seat does not")
    func disconnected() throws {
        var room = makeRoom()
        let conversation = room.newConversation()
        room.invite(Guest(1), from: conversation)
        room.perform(room.coordinator.disconnected(conversation, now: room.now))
        #expect(room.coordinator.accept(nil, now: room.now) == .failure(.nobodyAsks))

        room.invite(Guest(1), from: conversation)
        room.perform(try room.coordinator.accept(nil, now: room.now).get())
        var pad = try #require(Pad(room.answers[conversation]?.last?.seat))
        room.receive(pad.samples(0..<1), from: pad.address)
        room.perform(room.coordinator.disconnected(conversation, now: room.now))
        #expect(room.seatState(of: Guest(1)) == "active")
    }

    @Test("A seat whose controller goes before its first datagram is free at once: it may never have heard of it")
    func goneBeforeTheFirstDatagram() throws {
        var room = makeRoom()
        let conversation = room.newConversation()
        room.invite(Guest(1), from: conversation)
        room.perform(try room.coordinator.accept(nil, now: room.now).get())
        room.perform(room.coordinator.disconnected(conversation, now: room.now))
        #expect(room.seatState(of: Guest(1)) == nil)
    }

    @Test("Nobody is let in by mistake: a name that two bear, or nobody, names those who wait")
    func ambiguity() {
        var room = makeRoom()
        room.invite(Guest(1, name: "Blue"))
        room.invite(Guest(2, name: "blue"))
        guard case .failure(.ambiguous(let candidates)) = room.coordinator.accept("BLUE", now: room.now) else {
            Issue.record("two match")
            return
        }
        #expect(candidates.count == 2)
        guard case .failure(.notFound(let present)) = room.coordinator.decline("Red", message: nil, now: room.now)
        else {
            Issue.record("nobody matches")
            return
        }
        #expect(present.count == 2)
    }

    @Test("More may wait than there are seats: past the last one accepting says that the room is full")
    func fullWhileWaiting() throws {
        var room = makeRoom(seats: 1)
        room.invite(Guest(1))
        room.invite(Guest(2))
        room.perform(try room.coordinator.accept("Pad 1", now: room.now).get())
        #expect(room.coordinator.accept(nil, now: room.now) == .failure(.full))
        #expect(room.coordinator.newcomers.map(\.name) == ["Pad 2"])
    }

    @Test("Every invitation is answered, however many wait")
    func flood() {
        var room = makeRoom()
        let answers = (1...200).map { room.invite(Guest($0)) }
        #expect(answers.count { if case .waiting = $0 { true } else { false } } == 64)
        #expect(answers.count { $0?.refusal?.reason == .full } == 136)
        room.perform(room.coordinator.close(now: room.now))
        #expect(room.closed.count == 200)
        #expect(room.answers.values.count { $0.last?.refusal?.reason == .closing } == 64)
    }

    @Test("A room that means to be back says when, on the control connection alone, and keeps every seat")
    func backSoon() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        let conversation = room.newConversation()
        let seat = try #require(room.invite(Guest(1), from: conversation)?.seat)
        var pad = try #require(Pad(seat))
        room.receive(pad.samples(0..<5), from: pad.address)
        room.perform(room.coordinator.close(backIn: .seconds(120), now: room.now))
        room.pass(to: .s(1))
        let farewell = try #require(room.answers[conversation]?.last?.farewell)
        #expect((farewell.reason, farewell.backIn) == (FarewellReason.closing, 120_000))
        #expect(room.closed == [conversation])
        #expect(room.outgoing.allSatisfy { pad.farewell(in: $0.bytes) == nil })
        // Who asks while it still closes is to ask again: without a time that would end its stay.
        #expect(room.invite(Guest(1).returning(with: seat))?.refusal?.retryAfter == 120_000)
        var again = HostedRoom(RoomConfiguration(policy: .open), leases: room.disk, epoch: 1)
        #expect(again.invite(Guest(1).returning(with: seat))?.seat?.seat == seat.seat)
    }

    @Test("Who is kicked is told why on both ways, loses the seat at once, and stays out until the room is opened anew")
    func kick() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        let conversation = room.newConversation()
        let seated = try #require(room.invite(Guest(1), from: conversation)?.seat)
        var pad = try #require(Pad(seated))
        room.receive(pad.samples(0..<5), from: pad.address)
        let peer = try room.coordinator.find("P1").get()
        room.perform(room.coordinator.kick(peer, message: "Be kind.", now: room.now))
        #expect(room.answers[conversation]?.last == .goodbye(Farewell(reason: "kicked", message: "Be kind.")))
        #expect(room.closed == [conversation])
        #expect(room.playerStates == [.joined, .left])
        #expect(room.disk.isEmpty)
        room.pass(to: .s(1))
        #expect(room.outgoing.compactMap { pad.farewell(in: $0.bytes) } == [.kicked, .kicked, .kicked])
        room.receive(pad.datagram(), from: pad.address)
        #expect(room.seatState(of: Guest(1)) == nil && room.playerStates == [.joined, .left])
        #expect(room.invite(Guest(1))?.refusal?.reason == .kicked)
        #expect(room.invite(Guest(1).returning(with: seated))?.refusal?.reason == .kicked)
        room.perform(room.coordinator.unlock(now: room.now))
        #expect(room.invite(Guest(1))?.seat != nil)
    }

    @Test("Who was kicked before the host restarted stays out until the room is unlocked, and nobody else does")
    func kickedBefore() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        let kicked = try #require(ControllerID(Guest(1).invitation.controller))
        room.coordinator.stand(isLocked: false, banned: [kicked], generations: [])
        #expect(room.invite(Guest(1))?.refusal?.reason == .kicked)
        #expect(room.invite(Guest(2))?.seat != nil)
        #expect(room.coordinator.bannedControllers == [kicked])
        room.perform(room.coordinator.unlock(now: room.now))
        #expect(room.invite(Guest(1))?.seat != nil && room.coordinator.bannedControllers.isEmpty)
    }

    @Test("A full house that closes is told three times each, and what was under way from each of them is booked")
    func closeFullHouse() throws {
        let seats = Farewells.fewest + 200
        var room = HostedRoom(RoomConfiguration(seats: seats, policy: .open))
        var pads: [Pad] = []
        for number in 1...UInt64(seats) {
            let address = PeerAddress(ipv4: 0x0A00_0000 + UInt32(number), port: 9)
            var pad = try #require(Pad(room.invite(Guest(number))?.seat, address: address))
            room.receive(pad.samples(0..<5), from: pad.address)
            pads.append(pad)
        }
        // One leaves just before, and its seat is another's: its link drains beside those of the whole house.
        room.receive(pads[0].goodbye(.left), from: pads[0].address)
        var last = try #require(Pad(room.invite(Guest(9_999))?.seat, address: .lan(9)))
        room.receive(last.samples(0..<5), from: last.address)
        room.sendFeedback()
        room.outgoing = []
        room.perform(room.coordinator.close(now: room.now))
        let closedAt = room.now
        for _ in 0..<10 { room.stand(until: room.now + .milliseconds(10)) }
        let heard = Dictionary(grouping: room.outgoing, by: \.address)
        for pad in pads.dropFirst() + [last] {
            let goodbyes = (heard[pad.address] ?? []).filter { pad.farewell(in: $0.bytes) == .closing }
            #expect(goodbyes.map { $0.at - closedAt } == [.milliseconds(10), .milliseconds(30), .milliseconds(50)])
        }
        #expect(room.coordinator.hasSaidGoodbye)
        for place in pads.indices { room.receive(pads[place].datagram(), from: pads[place].address) }
        #expect(room.coordinator.strangers == StrangerCounts())
    }

    @Test("A host that closes says goodbye to everyone three times, keeps the leases, and lets nobody in any more")
    func close() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var pads: [Pad] = []
        for number: UInt64 in 1...3 {
            var pad = try #require(Pad(room.invite(Guest(number))?.seat, address: .lan(UInt8(number))))
            room.receive(pad.samples(0..<5), from: pad.address)
            pads.append(pad)
        }
        room.outgoing = []
        room.perform(room.coordinator.close(now: room.now))
        room.pass(to: .s(1))
        for pad in pads {
            #expect(room.outgoing.compactMap { pad.farewell(in: $0.bytes) } == [.closing, .closing, .closing])
        }
        #expect(room.coordinator.hasSaidGoodbye)
        #expect(room.disk.count == 3)
        #expect(room.departed.count == 3)
        #expect(room.invite(Guest(9))?.refusal?.reason == .closing)
        // What was under way may still come; then there is nothing more to wait for.
        #expect(room.coordinator.nextDeadline == .s(3))
        room.pass(to: .s(3))
        #expect(room.coordinator.nextDeadline == nil)
    }

    @Test("A peer is found by player, by name in any case, or by the beginning of its id")
    func find() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        room.invite(Guest(1, name: "Blue"))
        room.invite(Guest(0xAB, name: "Red"))
        #expect(try room.coordinator.find("P2").get() == 1)
        #expect(try room.coordinator.find("blue").get() == 0)
        #expect(room.coordinator.find("c0ffee").isAmbiguous)
        #expect(
            room.coordinator.find("Green")
                == .failure(
                    .notFound(present: [
                        "P1 Blue (c0ffee00)", "P2 Red (c0ffee00)",
                    ])))
    }
}

extension Result where Failure == OperatorError {
    fileprivate var isAmbiguous: Bool { if case .failure(.ambiguous) = self { true } else { false } }
}
