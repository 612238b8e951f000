import Testing
import WireProtocol

@testable import SessionCoordinator

@Suite("Joining under the id of a controller that is invited, which anybody can read")
struct OfferCrossingTests {
    private func makeRoom(
        seats: Int = 4, policy: RoomConfiguration.Policy
    ) -> HostedRoom { HostedRoom(RoomConfiguration(seats: seats, policy: policy, code: "RIGHT")) }

    private var called: Guest {
        var guest = Guest(1)
        guest.ticket = "ticket"
        return guest
    }

    @Test("In a room that asks its operator, who comes without the ticket is asked about, and gets no promised seat")
    func withoutTicketAsk() {
        var room = makeRoom(policy: .ask)
        room.call(Guest(1), seat: 2)
        #expect(room.invite(Guest(1))?.seat == nil)
        #expect(room.coordinator.newcomers.count == 1)
        #expect(room.outcomes.isEmpty)
        #expect(room.coordinator.promised == [2])
    }

    @Test("Being invited lets nobody in who waits for the operator under that id: the ticket takes its place")
    func askedBefore() {
        var room = makeRoom(seats: 1, policy: .ask)
        let conversation = room.newConversation()
        room.invite(Guest(1), from: conversation)
        #expect(room.call(Guest(1)) == nil)
        #expect(room.coordinator.newcomers.count == 1)
        #expect(room.invite(called)?.seat?.seat == 1)
        #expect(room.outcomes.map(\.outcome) == [.accepted(seat: 1, player: 1)])
        #expect(room.answers[conversation]?.last == .goodbye(Farewell(reason: "replaced")))
        #expect(room.closed.contains(conversation))
        #expect(room.coordinator.newcomers.isEmpty)
    }

    @Test("Where all may come, who comes without the ticket gets another seat, and the offer stands")
    func withoutTicketOpen() {
        var room = makeRoom(seats: 2, policy: .open)
        room.call(Guest(1), seat: 1)
        #expect(room.invite(Guest(1))?.seat?.seat == 2)
        #expect(room.outcomes.isEmpty)
        #expect(room.coordinator.promised == [1])
    }

    @Test("Where the promised seat is the only one, who comes without the ticket hears that the room is full")
    func withoutTicketFull() {
        var room = makeRoom(seats: 1, policy: .open)
        room.call(Guest(1))
        let refusal = room.invite(Guest(1))?.refusal
        #expect(refusal?.reason == .full && refusal?.retryAfter != nil)
        #expect(room.invite(called)?.seat?.seat == 1)
    }

    @Test("In a room with a code, who comes without the ticket needs the code")
    func withoutTicketCode() {
        var room = makeRoom(policy: .code)
        room.call(Guest(1), seat: 4)
        #expect(room.invite(Guest(1))?.refusal?.reason == .wrongCode)
        #expect(room.invite(Guest(1, code: "RIGHT"))?.seat?.seat == 1)
        #expect(room.outcomes.isEmpty)
    }

    @Test(
        "The ticket takes the place of whoever came without it: one session, at the promised seat, and the offer ends once",
        arguments: [false, true])
    func evicted(wasHeard: Bool) throws {
        var room = makeRoom(policy: .open)
        room.call(Guest(1), seat: 3)
        let conversation = room.newConversation()
        var other = Guest(1)
        other.process = 66
        let impostor = try #require(room.invite(other, from: conversation)?.seat)
        #expect(impostor.seat == 1)
        var pad = try #require(Pad(impostor))
        if wasHeard { room.receive(pad.samples(0..<1), from: pad.address) }
        let seated = try #require(room.invite(called)?.seat)
        #expect(seated.seat == 3)
        #expect(room.outcomes.map(\.outcome) == [.accepted(seat: 3, player: 3)])
        guard case .goodbye(let farewell)? = room.answers[conversation]?.last else {
            Issue.record("the first hears nothing")
            return
        }
        #expect(farewell.reason == .replaced)
        #expect(room.coordinator.reports(now: room.now).map(\.seat) == [3])
        #expect(room.coordinator.freeSeats == 3)
        // Neither its keys nor its secret are worth anything any more.
        room.receive(pad.samples(1..<2), from: pad.address)
        #expect(room.seatState(of: Guest(1)) == "reserved")
        #expect(room.invite(other.returning(with: impostor))?.refusal?.reason == .alreadySeated)
        var honest = try #require(Pad(seated))
        room.receive(honest.samples(0..<1), from: honest.address)
        #expect(room.seatState(of: Guest(1)) == "active")
    }

    @Test("Who came without the ticket and returns by its secret has not accepted, and gives up no promised seat")
    func returning() throws {
        var room = makeRoom(policy: .open)
        room.call(Guest(1), seat: 3)
        let first = try #require(room.invite(Guest(1))?.seat)
        #expect(room.invite(Guest(1).returning(with: first))?.seat?.seat == 1)
        #expect(room.outcomes.isEmpty)
        let index = try #require(room.report(of: Guest(1))?.peer)
        room.perform(try room.coordinator.move(index, to: 2, now: room.now).get())
        #expect(room.coordinator.promised == [3])
        #expect(room.invite(called)?.seat?.seat == 3)
    }

    @Test("Whom the operator lets in by hand while an offer to its id is open keeps its seat when the offer expires")
    func acceptedByHand() throws {
        var room = makeRoom(policy: .ask)
        room.call(Guest(1), seat: 3, timeout: .seconds(20))
        let conversation = room.newConversation()
        room.invite(Guest(1), from: conversation)
        room.perform(try room.coordinator.accept(nil, now: room.now).get())
        let seated = try #require(room.answers[conversation]?.last?.seat)
        #expect(seated.seat == 1)
        var pad = try #require(Pad(seated))
        room.receive(pad.samples(0..<1), from: pad.address)
        room.pass(to: .s(5))
        room.receive(pad.samples(1..<2), from: pad.address)
        room.pass(to: .s(14))
        room.receive(pad.samples(2..<3), from: pad.address)
        room.pass(to: .s(21))
        #expect(room.outcomes.count == 1)
        #expect(room.seatState(of: Guest(1)) == "active")
        #expect(room.coordinator.freeSeats == 3)
    }

    @Test("A seat that was had before the offer is not evicted by a ticket: who announces its id does not get it")
    func away() throws {
        var room = makeRoom(seats: 1, policy: .open)
        var pad = try #require(Pad(room.invite(Guest(1))?.seat))
        room.receive(pad.samples(0..<1), from: pad.address)
        room.pass(to: .s(11))
        #expect(room.call(Guest(1)) == nil)
        #expect(room.invite(called)?.refusal?.reason == .alreadySeated)
        #expect(room.seatState(of: Guest(1)) == "lost")
    }
}
