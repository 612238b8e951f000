import Testing
import WireProtocol

@testable import SessionCoordinator

@Suite("A guest that comes and goes without end")
struct ComingAndGoingTests {
    private let house: UInt64 = 0xFD00_0000_0000_0000

    /// Newcomers that leave as soon as they sit: how many of them were let in.
    private func stays(_ count: Int, in room: inout HostedRoom, at source: (Int) -> PeerAddress) -> Int {
        (0..<count).count { number in
            let line = room.newConversation()
            guard room.invite(Guest(UInt64(10_000 + number)), from: line, at: source(number))?.seat != nil else {
                return false
            }
            room.perform(room.coordinator.goodbye(Farewell(reason: "left"), from: line, now: room.now))
            room.perform(room.coordinator.disconnected(line, now: room.now))
            return true
        }
    }

    @Test("gets the room's seats four times over from one address, then one in five seconds; others come at once")
    func stays() throws {
        var room = HostedRoom(RoomConfiguration(seats: 40, policy: .open))
        let kept = try #require(room.invite(Guest(1), at: .lan(66))?.seat)
        #expect(stays(500, in: &room, at: { _ in .lan(66) }) == 4 * 40 - 1)
        room.pass(to: room.now + .seconds(25))
        #expect(stays(500, in: &room, at: { _ in .lan(66) }) == 5)
        #expect(room.invite(Guest(2), at: .lan(66))?.refusal?.reason == .full)
        #expect(room.invite(Guest(3), at: .lan(8))?.seat != nil)
        // Who holds a seat comes back to it however often.
        var guest = Guest(1).returning(with: kept)
        for _ in 0..<200 { guest = guest.returning(with: try #require(room.invite(guest, at: .lan(66))?.seat)) }
    }

    @Test("gets four times as many as there are seats by now, where the room was given more while people play")
    func staysOfMore() {
        var room = HostedRoom(RoomConfiguration(seats: 4, policy: .open))
        #expect(stays(500, in: &room, at: { _ in .lan(66) }) == 64)
        var terms = room.coordinator.configuration
        terms.seats = 40
        room.coordinator.adopt(terms, now: room.now)
        #expect(stays(500, in: &room, at: { _ in .lan(66) }) == 160)
        room.coordinator.adopt(terms, now: room.now)
        #expect(stays(500, in: &room, at: { _ in .lan(66) }) == 0, "it has no more than before")
    }

    @Test("gains nothing by taking turns with others in the queue, unless the operator calls them")
    func turns() {
        for isCalled in [false, true] {
            var room = HostedRoom(RoomConfiguration(seats: 1, policy: .open))
            var seated = room.newConversation()
            room.invite(Guest(1), from: seated, at: .lan(66))
            var stays = 1
            for number in 2..<402 as Range<UInt64> {
                var next = Guest(number)
                next.wait = true
                let line = room.newConversation()
                room.invite(next, from: line, at: .lan(66))
                if isCalled, case .success(let actions) = room.coordinator.accept("Pad \(number)", now: room.now) {
                    room.perform(actions)
                }
                room.perform(room.coordinator.goodbye(Farewell(reason: "left"), from: seated, now: room.now))
                room.perform(room.coordinator.disconnected(seated, now: room.now))
                room.pass(to: room.now + .milliseconds(500))
                guard room.answers[line]?.last?.seat != nil else { continue }
                (stays, seated) = (stays + 1, line)
            }
            // In 200 s: those at once, and one in five seconds; the limit on asking alone would let through one each second.
            #expect(isCalled ? stays > 200 : (64...64 + 41).contains(stays), "\(stays)")
        }
    }

    @Test("shuts out nobody else of its IPv6 network; all addresses of one network together have four times a share")
    func networks() {
        var room = HostedRoom(RoomConfiguration(seats: 40, policy: .open))
        let house = house
        #expect(stays(500, in: &room, at: { _ in PeerAddress(high: house, low: 0x66, port: 1) }) == 160)
        #expect(room.invite(Guest(1), at: PeerAddress(high: house, low: 8, port: 1))?.seat != nil)
        let all = stays(1_000, in: &room, at: { PeerAddress(high: house, low: 0x1_0000 + UInt64($0), port: 1) })
        #expect(all == 4 * 160 - 161)
        #expect(room.invite(Guest(2), at: PeerAddress(high: house + 1, low: 8, port: 1))?.seat != nil)
    }

    @Test("leaves places at the operator's to its neighbours in one IPv6 network, and these some to everybody else")
    func asking() {
        var room = HostedRoom(RoomConfiguration(seats: 4, policy: .ask))
        func ask(_ guest: UInt64, _ low: UInt64, network: UInt64 = 0) -> Bool {
            room.invite(Guest(guest), at: PeerAddress(high: house + network, low: low, port: 1))?.waiting != nil
        }
        #expect((0..<60).count { ask(1_000 + $0, 0x66) } == Coordinator.mostAsking - Coordinator.mostAskingOfOne)
        #expect((0..<60).count { ask(2_000 + $0, $0) } == Coordinator.mostAskingOfNetwork - 48)
        #expect((0..<60).count { ask(3_000 + $0, $0, network: 1) } == 8)
    }

    @Test(
        "tells its pauses ten times at once and once a second, on the control connection as in datagrams; then it goes")
    func pauses() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        let line = room.newConversation()
        var pad = try #require(Pad(room.invite(Guest(1), from: line)?.seat))
        let began = room.now
        for number in 0..<400 as Range<UInt32> {
            room.receive(pad.samples(number..<number + 1), from: pad.address)
            room.perform(room.coordinator.goodbye(Farewell(reason: "paused"), from: line, now: room.now))
            room.pass(to: room.now + .milliseconds(62))
        }
        let seconds = Int((room.now - began) / .seconds(1))
        #expect((1...10 + seconds).contains(room.playerStates.count { $0 == .lost }))
        #expect(room.playerStates.contains(.left) && room.report(of: Guest(1)) == nil, "it stays for all that")
    }

    @Test("gives itself five names at once, and one in ten seconds from then on")
    func names() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open, names: .free))
        var seat = try #require(room.invite(Guest(1), over: .post)?.seat)
        for number in 0..<100 {
            var guest = Guest(1, name: "Name \(number)").returning(with: seat)
            guest.process = 1
            seat = try #require(room.invite(guest, over: .post)?.seat)
        }
        #expect(room.playerStates.count { $0 == .renamed } == 5)
        room.pass(to: room.now + .seconds(1))
    }
}
