import Testing
import WireProtocol

@testable import SessionCoordinator

@Suite("Controllers that the host invites")
struct OfferTests {
    private func makeRoom(
        seats: Int = 4, policy: RoomConfiguration.Policy = .code
    ) -> HostedRoom { HostedRoom(RoomConfiguration(seats: seats, policy: policy, code: "RIGHT")) }

    private func called(_ number: UInt64, ticket: String = "ticket") -> Guest {
        var guest = Guest(number)
        guest.ticket = ticket
        return guest
    }

    private func refusal(_ outcome: OfferOutcome?) -> RefusalReason? {
        if case .refused(let refusal) = outcome { refusal.reason } else { nil }
    }

    @Test(
        "Whoever was invited is let in by its ticket whatever the policy, to the seat that was kept",
        arguments: RoomConfiguration.Policy.allCases)
    func accepted(policy: RoomConfiguration.Policy) {
        var room = makeRoom(policy: policy)
        #expect(room.call(Guest(1), seat: 3) == nil)
        #expect(room.invite(called(1))?.seat?.seat == 3)
        #expect(room.outcomes.map(\.outcome) == [.accepted(seat: 3, player: 3)])
    }

    @Test("A ticket admits nobody but the controller that it is for, and no ticket admits nobody")
    func stolenTicket() {
        var room = makeRoom()
        room.call(Guest(1))
        #expect(room.invite(called(2))?.refusal?.reason == .expired)
        #expect(room.invite(called(1, ticket: "guess"))?.refusal?.reason == .expired)
        #expect(room.invite(Guest(1))?.refusal?.reason == .wrongCode)
        #expect(room.outcomes.isEmpty)
        #expect(room.invite(called(1))?.seat != nil)
    }

    @Test("A promised seat is nobody else's: it counts as taken, and others get the next one")
    func promise() throws {
        var room = makeRoom(seats: 2, policy: .open)
        room.call(Guest(1), seat: 1)
        #expect(room.coordinator.freeSeats == 1)
        #expect(room.invite(Guest(2))?.seat?.seat == 2)
        #expect(room.invite(Guest(3))?.refusal?.reason == .full)
        #expect(refusal(room.call(Guest(4), offer: 2)) == .full)
        #expect(room.invite(called(1))?.seat?.seat == 1)
    }

    @Test("An offer that nobody answers expires when its time is over, not before, and its seat and ticket with it")
    func expiry() {
        var room = makeRoom(seats: 1)
        room.call(Guest(1), timeout: .seconds(120))
        room.pass(to: .ms(119_999))
        #expect(room.outcomes.isEmpty)
        #expect(room.coordinator.freeSeats == 0)
        room.pass(to: .s(120))
        #expect(refusal(room.outcomes.last?.outcome) == .expired)
        #expect(room.coordinator.freeSeats == 1)
        #expect(room.invite(called(1))?.refusal?.reason == .expired)
        #expect(room.outcomes.count == 1)
    }

    @Test("In a locked room an offer fails at once; locking the room ends those that are open")
    func locked() {
        var room = makeRoom()
        room.call(Guest(1))
        room.perform(room.coordinator.lock(now: room.now))
        #expect(refusal(room.outcomes.last?.outcome) == .locked)
        #expect(room.invite(called(1))?.refusal?.reason == .locked)
        #expect(refusal(room.call(Guest(2), offer: 2)) == .locked)
        #expect(room.coordinator.freeSeats == 4)
        room.perform(room.coordinator.unlock(now: room.now))
        #expect(room.call(Guest(2), offer: 3) == nil)
    }

    @Test("Full, a seat that is taken, a seat that is promised, and no such seat: each is said at once")
    func noSeat() throws {
        var room = makeRoom(seats: 2, policy: .open)
        room.invite(Guest(1))
        #expect(refusal(room.call(Guest(2), seat: 1)) == .full)
        #expect(room.call(Guest(2), offer: 2, seat: 3) == nil)
        #expect(room.coordinator.offers.isEmpty)
        room.call(Guest(2), offer: 3, seat: 2)
        #expect(refusal(room.call(Guest(3), offer: 4)) == .full)
    }

    @Test("Who has a seat already is not invited to another, and who was removed is not invited back")
    func seatedOrKicked() throws {
        var room = makeRoom(policy: .open)
        room.invite(Guest(1))
        #expect(refusal(room.call(Guest(1))) == .alreadySeated)
        let index = try #require(room.report(of: Guest(1))?.peer)
        room.perform(room.coordinator.kick(index, message: nil, now: room.now))
        #expect(refusal(room.call(Guest(1), offer: 2)) == .kicked)
        room.perform(room.coordinator.unlock(now: room.now))
        #expect(room.call(Guest(1), offer: 3) == nil)
    }

    @Test("A second offer to the same controller is the first one: it has one ticket and one end")
    func repeated() throws {
        var room = makeRoom()
        room.call(Guest(1), offer: 1, seat: 2)
        let again = Offer(
            id: OfferID(rawValue: 9), controller: Guest(1).controller, seat: 4, ticketHash: [], expiresAt: .s(500))
        #expect(try room.coordinator.offer(again, now: room.now).get() == OfferID(rawValue: 1))
        #expect(room.coordinator.freeSeats == 3)
        #expect(room.invite(called(1))?.seat?.seat == 2)
        #expect(room.outcomes.count == 1)
    }

    @Test("Two dials with one ticket make one seat: the second takes over from the first, which may never have heard")
    func dialledTwice() throws {
        var room = makeRoom()
        room.call(Guest(1))
        let first = room.newConversation()
        room.invite(called(1), from: first)
        let seated = try #require(room.invite(called(1))?.seat)
        #expect(seated.seat == 1)
        #expect(room.answers[first]?.last == .goodbye(Farewell(reason: "replaced")))
        #expect(room.coordinator.freeSeats == 3)
        #expect(room.outcomes.count == 1)
        var pad = try #require(Pad(seated))
        room.receive(pad.samples(0..<1), from: pad.address)
        #expect(room.seatState(of: Guest(1)) == "active")
    }

    @Test("A ticket is used up once its controller is heard: then its secret alone brings it back")
    func usedUp() throws {
        var room = makeRoom()
        room.call(Guest(1))
        let seated = try #require(room.invite(called(1))?.seat)
        var pad = try #require(Pad(seated))
        room.receive(pad.samples(0..<1), from: pad.address)
        #expect(room.invite(called(1))?.refusal?.reason == .alreadySeated)
        #expect(room.invite(Guest(1).returning(with: seated))?.seat?.seat == 1)
        let index = try #require(room.report(of: Guest(1))?.peer)
        room.perform(room.coordinator.kick(index, message: nil, now: room.now))
        room.perform(room.coordinator.unlock(now: room.now))
        #expect(room.invite(called(1))?.refusal?.reason == .expired)
    }

    @Test("When the answer is lost with its connection, the seat is kept for the ticket, and its end is told once")
    func answerLost() throws {
        var room = makeRoom(seats: 1)
        room.call(Guest(1))
        let conversation = room.newConversation()
        room.invite(called(1), from: conversation)
        room.perform(room.coordinator.disconnected(conversation, now: room.now))
        #expect(room.seatState(of: Guest(1)) == nil)
        #expect(room.coordinator.freeSeats == 0)
        #expect(room.invite(called(1))?.seat?.seat == 1)
        #expect(room.outcomes.count == 1)
    }

    @Test("One that is away is invited to its own seat, and comes back to it by its secret alone")
    func away() throws {
        var room = makeRoom(seats: 1)
        let seated = try #require(room.invite(Guest(1, code: "RIGHT"))?.seat)
        var pad = try #require(Pad(seated))
        room.receive(pad.samples(0..<1), from: pad.address)
        room.pass(to: .s(11))
        #expect(room.seatState(of: Guest(1)) == "lost")
        #expect(room.call(Guest(1)) == nil)
        #expect(room.invite(called(1))?.refusal?.reason == .alreadySeated)
        #expect(room.invite(called(1).returning(with: seated))?.seat?.seat == 1)
        #expect(room.outcomes.map(\.outcome) == [.accepted(seat: 1, player: 1)])
    }

    @Test("When the seat of one that is away is given up while it is invited, that seat is promised to it")
    func awayForTooLong() throws {
        var room = makeRoom(seats: 1)
        var pad = try #require(Pad(room.invite(Guest(1, code: "RIGHT"))?.seat))
        room.receive(pad.samples(0..<1), from: pad.address)
        room.pass(to: .s(11))
        room.call(Guest(1))
        room.pass(to: .s(60))
        #expect(room.seatState(of: Guest(1)) == nil)
        #expect(room.coordinator.freeSeats == 0)
        #expect(room.invite(called(1))?.seat?.seat == 1)
    }

    @Test(
        "An offer that was declined is over: its seat is free, its ticket is worth nothing, and no later word changes it"
    )
    func declined() {
        var room = makeRoom(seats: 1)
        room.call(Guest(1))
        room.coordinator.endOffer(OfferID(rawValue: 1), Refusal(.declined, message: "Not now."))
        room.coordinator.endOffer(OfferID(rawValue: 1), Refusal(.unreachable, message: "Gone."))
        room.perform(room.coordinator.takeActions())
        #expect(room.outcomes.map(\.outcome) == [.refused(Refusal(.declined, message: "Not now."))])
        #expect(room.coordinator.freeSeats == 1)
        #expect(room.invite(called(1))?.refusal?.reason == .expired)
    }

    @Test("A promised seat that the operator gives away is exchanged for the one that became free")
    func moved() throws {
        var room = makeRoom(seats: 2, policy: .open)
        room.call(Guest(2), seat: 2)
        room.invite(Guest(1))
        let index = try #require(room.report(of: Guest(1))?.peer)
        room.perform(try room.coordinator.move(index, to: 2, now: room.now).get())
        #expect(room.invite(called(2))?.seat?.seat == 1)
    }

    @Test("Who is removed before it was heard keeps no seat, and the offer to one that is removed is over")
    func removed() throws {
        var room = makeRoom(seats: 1, policy: .open)
        room.call(Guest(1))
        room.invite(called(1))
        var index = try #require(room.report(of: Guest(1))?.peer)
        room.perform(room.coordinator.kick(index, message: nil, now: room.now))
        #expect(room.coordinator.freeSeats == 1)
        #expect(room.outcomes.count == 1)
        room.perform(room.coordinator.unlock(now: room.now))
        room = makeRoom(seats: 2, policy: .open)
        room.call(Guest(1))
        room.invite(Guest(1))
        index = try #require(room.report(of: Guest(1))?.peer)
        room.perform(room.coordinator.kick(index, message: nil, now: room.now))
        #expect(refusal(room.outcomes.last?.outcome) == .kicked)
        #expect(room.coordinator.freeSeats == 2)
    }

    @Test(
        "Offers that were answered are not counted among those that are open, and are forgotten with the first sample")
    func answeredManyTimes() throws {
        var room = makeRoom(seats: 100)
        for number in 1...UInt64(80) {
            #expect(room.call(Guest(number), offer: number) == nil)
            let seated = try #require(room.invite(called(number))?.seat)
            guard number > 40 else { continue }
            var pad = try #require(Pad(seated))
            room.receive(pad.samples(0..<1), from: pad.address)
        }
        #expect(room.coordinator.offers.count == 40)
        #expect(room.call(Guest(99), offer: 99) == nil)
    }

    @Test("A closing room ends every offer, and makes none")
    func closing() {
        var room = makeRoom()
        room.call(Guest(1))
        room.perform(room.coordinator.close(now: room.now))
        #expect(refusal(room.outcomes.last?.outcome) == .closing)
        #expect(refusal(room.call(Guest(2), offer: 2)) == .closing)
    }

    @Test("However many are invited at once, the list is bounded, and every offer ends once")
    func crowd() {
        var room = makeRoom(seats: 500)
        for number in 1...UInt64(200) { room.call(Guest(number), offer: number, timeout: .seconds(1)) }
        #expect(room.coordinator.offers.count == 64)
        #expect(room.coordinator.freeSeats == 500 - 64)
        room.pass(to: .s(2))
        #expect(room.outcomes.map(\.id.rawValue).sorted() == Array(1...200))
        #expect(room.coordinator.freeSeats == 500)
    }
}
