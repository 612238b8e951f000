import SessionCoordinator
import Testing
import WireProtocol

@Suite("A page that is closed, or pauses, keeps its seat for a while, and its place in the queue")
struct ClosedPageTests {
    /// Waits where all seats are taken.
    private static let next: Guest = {
        var guest = Guest(2)
        guest.wait = true
        return guest
    }()

    @Test(
        "A closed page's seat waits for its owner for 5 s, then goes to the next in the queue; without one for the grace"
    )
    func closedPage() throws {
        var room = HostedRoom(RoomConfiguration(seats: 1, policy: .open))
        let (owner, next) = (room.newConversation(), room.newConversation())
        let seated = try #require(room.invite(Guest(1), from: owner)?.seat)
        var pad = try #require(Pad(seated))
        room.receive(pad.datagram(), from: pad.address)
        room.perform(room.coordinator.goodbye(Farewell(reason: "away"), from: owner, now: room.now))
        #expect(room.seatState(of: Guest(1)) == "lost")
        room.pass(to: room.now + .seconds(20))
        #expect(room.seatState(of: Guest(1)) == "lost", "nobody else wants it")
        // Its owner comes back, and closes the page again; now somebody waits.
        let again = room.newConversation()
        let back = try #require(room.invite(Guest(1).returning(with: seated), from: again)?.seat)
        pad = try #require(Pad(back))
        room.receive(pad.datagram(), from: pad.address)
        #expect(room.seatState(of: Guest(1)) == "active")
        #expect(room.invite(Self.next, from: next)?.waiting?.place == 1)
        room.perform(room.coordinator.goodbye(Farewell(reason: "away"), from: again, now: room.now))
        room.pass(to: room.now + .milliseconds(4_900))
        #expect(room.seatState(of: Guest(1)) == "lost", "a page may be loaded anew")
        #expect(room.answers[next]?.last?.seat == nil)
        room.pass(to: room.now + .milliseconds(200))
        #expect(room.answers[next]?.last?.seat?.seat == 1)
        #expect(room.seatState(of: Guest(1)) == nil)
    }

    @Test("Whose page was closed, and is heard all the same, keeps the seat for the grace when it falls silent later")
    func heardAfterClosing() throws {
        for isHeard in [true, false] {
            var room = HostedRoom(RoomConfiguration(seats: 1, policy: .open))
            let (owner, next) = (room.newConversation(), room.newConversation())
            var pad = try #require(Pad(room.invite(Guest(1), from: owner)?.seat))
            room.receive(pad.datagram(), from: pad.address)
            room.perform(
                room.coordinator.goodbye(Farewell(reason: "away", lastSent: 0), from: owner, now: room.now))
            if isHeard { room.receive(pad.datagram(), from: pad.address) }
            #expect(room.seatState(of: Guest(1)) == (isHeard ? "active" : "lost"))
            #expect(room.invite(Self.next, from: next)?.waiting?.place == 1)
            // Lost after 10 s of silence, released after 30 s more; a closed page's seat after 5 s.
            room.pass(to: room.now + .seconds(20))
            #expect((room.answers[next]?.last?.seat == nil) == isHeard)
            room.pass(to: room.now + .seconds(21))
            #expect(room.answers[next]?.last?.seat?.seat == 1)
        }
    }

    @Test("Whoever says that it is away, and keeps its place, is not held on the line: however often it asks again")
    func awayAgainAndAgain() throws {
        var room = HostedRoom(RoomConfiguration(seats: 1, policy: .open))
        room.invite(Guest(1))
        for _ in 0..<20 {
            let conversation = room.newConversation()
            #expect(room.invite(Self.next, from: conversation)?.waiting?.place == 1)
            room.perform(room.coordinator.goodbye(Farewell(reason: "away"), from: conversation, now: room.now))
            #expect(room.closed.last == conversation)
        }
        #expect(room.closed.count == 20 && room.coordinator.newcomers.map(\.isPresent) == [false])
    }

    @Test("A pause lasts over what was on its way before it, whatever number its controller says was the last")
    func pauseAndStragglers() throws {
        var room = HostedRoom(RoomConfiguration(seats: 1, policy: .open))
        let conversation = room.newConversation()
        var pad = try #require(Pad(room.invite(Guest(1), from: conversation)?.seat))
        for number in [0, 1, 2, 5] as [UInt32] { room.receive(pad.datagram(number: number), from: pad.address) }
        room.perform(
            room.coordinator.goodbye(Farewell(reason: "paused", lastSent: 2), from: conversation, now: room.now))
        #expect(room.seatState(of: Guest(1)) == "lost")
        room.receive(pad.datagram(number: 4), from: pad.address)
        #expect(room.seatState(of: Guest(1)) == "lost")
        room.receive(pad.datagram(number: 6), from: pad.address)
        #expect(room.seatState(of: Guest(1)) == "active")
    }
}
