import InputMerge
@testable import RoomEngine
import SessionCoordinator
import Testing
import WireProtocol

@testable import RoomSimulation

/// Two rooms of a house in simulated time. Over sockets and a broker: `test_site_moving.py`.
@Suite("A player who is moved to another room is who it was")
struct MovedPlayerTests {
    private static let now = HostTime(nanoseconds: 1_000_000_000)
    private static let ring: TaughtGesture? = {
        let moments = (0..<64).map { step in
            MotionTrace.Moment(
                time: Double(step) / 64, force: SIMD3(Float(step % 7), 1, 0), rotationRate: .zero)
        }
        return MotionTrace(moments).map { TaughtGesture("ring", examples: [$0]) }
    }()

    private func host(
        seats: Int = 4, policy: RoomConfiguration.Policy = .open, talents: [ControllerID: PlayerTalents] = [:]
    ) -> SimulatedHost {
        let room = RoomConfiguration(seats: seats, policy: policy, code: "RIGHT")
        var host = SimulatedHost(EngineConfiguration(room: room, merge: MergeConfiguration()), now: Self.now)
        host.talents = talents
        host.restart(now: Self.now)
        return host
    }

    private func id(_ number: UInt64) -> ControllerID { ControllerID(high: 7, low: number) }

    private func join(_ host: inout SimulatedHost, _ number: UInt64, named name: String = "Pad", ticket: [UInt8]? = nil)
    {
        let invitation = Invitation(
            controller: id(number).description, process: "0000000000000001", name: "\(name) \(number)",
            streams: [StreamOffer(StreamDeclaration())], haptics: true)
        func key(_ kind: UInt64) -> LinkKey { LinkKey(a: number, b: kind, c: 0, d: 0) }
        let material = LinkMaterial(
            motionKey: key(1), feedbackKey: key(2), probeKey: key(3), secret: "", secretHash: [1], presentedHash: nil,
            ticketHash: ticket)
        host.handle(
            .invite(invitation, from: ConversationID(rawValue: number), over: .udp, material, source: nil), at: Self.now
        )
        host.turn(Self.now)
    }

    private func ask(_ host: inout SimulatedHost, _ command: RoomCommand) throws -> RoomAnswer {
        let request = RequestID(rawValue: UInt64(host.turns) + 1_000)
        host.handle(.command(command, request), at: Self.now)
        host.turn(Self.now)
        return try #require(host.answers[request]).get()
    }

    private func luggage(_ host: inout SimulatedHost, _ who: String) throws -> Luggage {
        guard case .luggage(let luggage) = try ask(&host, .luggage(who)) else {
            throw RoomError(.notFound, "no luggage")
        }
        return luggage
    }

    private func seated(_ host: SimulatedHost, _ number: UInt64) -> Seated? {
        host.said.reversed().lazy.compactMap { said in
            if said.conversation.rawValue == number, case .seated(let seated) = said.message { seated } else { nil }
        }.first
    }

    private func invite(
        _ host: inout SimulatedHost, _ luggage: Luggage, offer: UInt64 = 1, seat: Int? = nil
    ) throws {
        let terms = OfferTerms(
            id: OfferID(rawValue: offer), controller: luggage.controller, seat: seat, ticketHash: [9],
            timeout: .seconds(60), player: luggage.player, talents: luggage.talents)
        guard case .offer(terms.id) = try ask(&host, .offer(terms)) else { throw RoomError(.full, "no offer") }
    }

    @Test(
        "Name, colour, sensitivity and taught gestures come along; the room that was left has a seat free, and keeps nobody out"
    )
    func everything() throws {
        let ring = try #require(Self.ring)
        var hall = host(talents: [id(3): PlayerTalents(sensitivity: 1.5, gestures: [ring])])
        for number in UInt64(1)...3 { join(&hall, number) }
        _ = try ask(&hall, .rename("P3", to: "Anna"))
        let luggage = try luggage(&hall, "P3")
        #expect(luggage.number == 3 && luggage.conversation == ConversationID(rawValue: 3))
        #expect(luggage.talents == PlayerTalents(sensitivity: 1.5, gestures: [ring]))

        // There the third seat has its colour; the room lets nobody in without its code.
        var attic = host(policy: .code)
        try invite(&attic, luggage)
        #expect(attic.engine.coordinator.freeSeats == 3)
        join(&attic, 3, ticket: [9])
        let seat = try #require(seated(attic, 3))
        #expect((seat.seat, seat.name) == (3, "Anna") && seat.color == seated(hall, 3)?.color)
        #expect(try self.luggage(&attic, "Anna").talents == luggage.talents)
        #expect(attic.talents[id(3)] == luggage.talents, "what it brought is kept on the other host's disk")

        _ = try ask(&hall, .depart(luggage.controller.description, message: "It plays in the attic now."))
        #expect(hall.engine.coordinator.freeSeats == 2)
        let last = hall.said.last { $0.conversation.rawValue == 3 }
        #expect(last?.message == .goodbye(Farewell(reason: "moved", message: "It plays in the attic now.")))
        join(&hall, 3)
        #expect(seated(hall, 3) != nil && hall.engine.coordinator.freeSeats == 1)
    }

    @Test("Where its colour's seat is taken it keeps the colour on another; where its name is taken it gets a number")
    func taken() throws {
        var (hall, attic) = (host(), host())
        join(&hall, 1, named: "Anna")
        join(&attic, 1, named: "Anna")
        join(&hall, 2)
        let luggage = try luggage(&hall, "Anna 1")
        var other = luggage
        other.controller = id(9)
        try invite(&attic, other)
        join(&attic, 9, ticket: [9])
        let seat = try #require(seated(attic, 9))
        #expect((seat.seat, seat.name) == (2, "Anna 1 2") && seat.color == seated(hall, 1)?.color)
    }

    @Test("Whoever comes next to its controller has the colour of the seat, as the name says, and it is told")
    func nextVisitor() throws {
        var hall = host()
        for number in UInt64(1)...2 { join(&hall, number) }
        let room = RoomConfiguration(policy: .open, idleTimeout: .seconds(60), idleReset: .seconds(20))
        var attic = SimulatedHost(EngineConfiguration(room: room, merge: MergeConfiguration()), now: Self.now)
        try invite(&attic, try luggage(&hall, "P2"), seat: 1)
        join(&attic, 2, ticket: [9])
        let (orange, blue): (UInt32, UInt32) = (0xE69F00, 0x0072B2)
        #expect(attic.disk.map(\.color) == [orange])
        // It is never played on.
        var waiting: [Int] = []
        for tick in 1...100 {
            attic.turn(Self.now + .milliseconds(250 * tick))
            waiting += attic.engine.coordinator.reports(now: Self.now).map(\.messagesWaiting)
        }
        let told = attic.events.compactMap { if case .player(let player) = $0 { player.color } else { nil } }
        #expect(told == [orange, orange, blue])
        #expect(attic.disk.map(\.color) == [blue])
        #expect(waiting.first == 0 && waiting.last == 1)
    }

    @Test("Who comes without the ticket has nothing of it, and who does not come leaves nothing behind")
    func impostor() throws {
        var (hall, attic) = (host(), host())
        join(&hall, 1)
        _ = try ask(&hall, .rename("P1", to: "Anna"))
        _ = try ask(&hall, .teaching(.sensitivity("P1", 2)))
        try invite(&attic, try luggage(&hall, "P1"))
        join(&attic, 1, named: "Mallory")
        #expect(seated(attic, 1)?.name == "Mallory 1")
        #expect(try luggage(&attic, "P2").talents.isEmpty)
        _ = try ask(&attic, .endOffer(OfferID(rawValue: 1), Refusal(.declined, message: "")))
        #expect(try luggage(&attic, "Mallory 1").talents.isEmpty && attic.talents.isEmpty)
        #expect(attic.engine.standingTalents.isEmpty)
    }

    @Test("A name that moves terminals, or is none, is made fit, whichever room it comes from")
    func badNames() throws {
        for (name, shown) in [
            ("\u{1B}[2JAnna", "[2JAnna"), ("", "Pad 1"), (String(repeating: "x", count: 900), "Pad 1"),
        ] {
            var attic = host()
            let luggage = Luggage(
                controller: id(1), number: 1, player: MovingPlayer(name: name, color: 0xFFFF_FFFF),
                talents: PlayerTalents(), transport: .udp, conversation: nil)
            try invite(&attic, luggage)
            join(&attic, 1, ticket: [9])
            #expect(seated(attic, 1)?.name == shown && seated(attic, 1)?.color == "#ffffff")
        }
    }

    @Test("A gesture that could not be called so here stays behind, and who brings it is welcome")
    func badGestures() throws {
        let ring = try #require(Self.ring)
        let names = ["\u{1B}]0;x\u{07}\n0.1 s  P2 jump", String(repeating: "x", count: 900), "jump", ""]
        let odd = names.map { TaughtGesture(GestureKind(rawValue: $0), examples: ring.examples) }
        var attic = host()
        let luggage = Luggage(
            controller: id(1), number: 1, player: MovingPlayer(name: "Anna", color: 0xFFFF_FFFF),
            talents: PlayerTalents(sensitivity: 1.5, gestures: odd + [ring]), transport: .udp, conversation: nil)
        try invite(&attic, luggage)
        join(&attic, 1, ticket: [9])
        #expect(seated(attic, 1)?.name == "Anna")
        #expect(try self.luggage(&attic, "Anna").talents == PlayerTalents(sensitivity: 1.5, gestures: [ring]))
        #expect(attic.talents[id(1)]?.gestures == [ring])
    }

    @Test("A full, a locked and a closing room keep no seat, and say so before anything is given up")
    func refused() throws {
        var hall = host()
        join(&hall, 1)
        let luggage = try luggage(&hall, "P1")
        var full = host(seats: 1)
        join(&full, 2)
        try invite(&full, luggage)
        var locked = host()
        _ = try ask(&locked, .lock)
        try invite(&locked, luggage)
        for host in [full, locked] {
            #expect(host.offersEnded == [OfferID(rawValue: 1)] && host.engine.offered.isEmpty)
            #expect(host.engine.standingTalents.isEmpty)
        }
        #expect(hall.engine.coordinator.freeSeats == 3)
    }
}
