import Testing
import WireProtocol

@testable import SessionCoordinator

@Suite("A room's terms change while people play, or between two lives of its host")
struct TermsTests {
    /// Of those who wait for the operator.
    private func likelySeats(_ room: HostedRoom) -> [Int?] {
        room.coordinator.waiting.map { if case .forOperator(_, let seat) = $0.wait { seat } else { nil } }
    }

    @Test("Fewer seats than those who wait were likely to get: they wait on, and get one that is there")
    func fewerSeats() throws {
        var room = HostedRoom(RoomConfiguration(seats: 4, policy: .ask))
        let asking = (1...3).map { _ in room.newConversation() }
        for number in UInt64(1)...3 { room.invite(Guest(number), from: asking[Int(number) - 1]) }
        #expect(likelySeats(room) == [1, 2, 3])
        var fewer = room.coordinator.configuration
        fewer.seats = 1
        room.coordinator.adopt(fewer, now: room.now)
        #expect(room.invite(Guest(4))?.waiting != nil)
        #expect(likelySeats(room) == [1, nil, nil, nil])
        room.perform(try room.coordinator.accept(Guest(3).controller.description, now: room.now).get())
        #expect(room.answers[asking[2]]?.last?.seat?.seat == 1)
        guard case .failure(.full) = room.coordinator.accept(Guest(2).controller.description, now: room.now) else {
            Issue.record("there is one seat")
            return
        }
    }

    @Test("Where visitors are told apart from now on, nobody was away before: their next silence counts")
    func idleReset() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var pad = try #require(Pad(room.invite(Guest(1))?.seat))
        for second in 1...60 {
            room.pass(to: .s(Double(second)))
            room.receive(pad.datagram(), from: pad.address)
            room.coordinator.noteUse(of: 0, at: room.now)
        }
        var terms = room.coordinator.configuration
        terms.idleReset = .seconds(10)
        room.coordinator.adopt(terms, now: room.now)
        func play(until end: Double) {
            while room.now < .s(end) {
                room.pass(to: room.now + .seconds(1))
                room.receive(pad.datagram(), from: pad.address)
            }
        }
        play(until: 69)
        #expect(room.playerStates == [.joined])
        play(until: 72)
        #expect(room.playerStates == [.joined, .left, .joined])
    }

    @Test("Who asked for a seat before the room was opened to all has one, and asks no more")
    func oneSeat() throws {
        var room = HostedRoom(RoomConfiguration(policy: .ask))
        let (first, second) = (room.newConversation(), room.newConversation())
        room.invite(Guest(1), from: first)
        var terms = room.coordinator.configuration
        terms.policy = .open
        room.coordinator.adopt(terms, now: room.now)
        #expect(room.invite(Guest(1), from: second)?.seat?.seat == 1)
        #expect(room.coordinator.newcomers.isEmpty)
        #expect(room.answers[first]?.last?.farewell?.reason == .replaced && room.closed == [first])
    }

    private func leases(_ configuration: RoomConfiguration, of guests: Int) -> [Lease] {
        var room = HostedRoom(configuration)
        for number in 1...guests { room.invite(Guest(UInt64(number))) }
        return room.disk
    }

    @Test("Who drives which player is the present mode's to say, whatever it was when the seats were given")
    func mode() {
        let kept = leases(RoomConfiguration(seats: 4, policy: .open, mode: .collaborative), of: 2)
        #expect(kept.map(\.player) == [1, 1])
        let room = HostedRoom(RoomConfiguration(seats: 4, policy: .open, mode: .competitive), leases: kept)
        #expect(room.coordinator.reports(now: room.now).map(\.player) == [1, 2])
    }

    @Test("Opened again with fewer seats, a room keeps nothing for a seat that is gone")
    func seatsGone() {
        let kept = leases(RoomConfiguration(seats: 4, policy: .open), of: 2)
        let room = HostedRoom(RoomConfiguration(seats: 1, policy: .open), leases: kept)
        #expect(room.disk.map(\.controller) == [Guest(1).controller])
        #expect(room.coordinator.reports(now: room.now).map(\.controller) == [Guest(1).controller])
    }
}
