import SessionCoordinator
import Testing
import WireProtocol

@Suite("Time, as the host's loop sees it")
struct HostPauseTests {
    /// A room with an active, a reserved, and a lost seat, 5 s old.
    private func makeRoom() throws -> HostedRoom {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var active = try #require(Pad(room.invite(Guest(1))?.seat))
        var lost = try #require(Pad(room.invite(Guest(2))?.seat))
        room.receive(lost.goodbye(.paused), from: lost.address)
        room.pass(to: .s(4))
        room.invite(Guest(3))
        room.pass(to: .s(5))
        room.receive(active.datagram(), from: active.address)
        return room
    }

    @Test("The host's own pause loses nobody; everyone then has as long as before: H3", arguments: [0.6, 3, 30, 3_600])
    func pause(seconds: Double) throws {
        var room = try makeRoom()
        let before = room.playerStates
        room.stand(until: .s(5 + seconds))
        #expect(room.playerStates == before)
        #expect(room.coordinator.reports(now: room.now).map(\.seatState) == [.active, .lost, .reserved])
        // Whoever is silent after the pause too is lost when its time is over, less what had passed before.
        room.pass(to: .s(5 + seconds + 8.9))
        #expect(room.seatState(of: Guest(3)) == "reserved")
        room.pass(to: .s(5 + seconds + 9))
        #expect(room.seatState(of: Guest(3)) == "lost")
        #expect(room.seatState(of: Guest(1)) == "active")
        room.pass(to: .s(5 + seconds + 10))
        #expect(room.seatState(of: Guest(1)) == "lost")
        room.pass(to: .s(5 + seconds + 24.9))
        #expect(room.seatState(of: Guest(2)) == "lost")
        room.pass(to: .s(5 + seconds + 25))
        #expect(room.seatState(of: Guest(2)) == nil)
    }

    @Test("A host that stands still between an end and its goodbye says it afterwards: H3", arguments: [0.6, 3_600])
    func pauseBeforeGoodbye(seconds: Double) throws {
        var room = try makeRoom()
        var kicked = try #require(Pad(room.invite(Guest(4))?.seat, address: .lan(4)))
        room.receive(kicked.samples(0..<9), from: kicked.address)
        room.sendFeedback()
        room.outgoing = []
        // At once is earlier than any time that can be told.
        room.perform(room.coordinator.kick(3, message: nil, now: room.now))
        #expect(room.coordinator.nextDeadline == HostTime(nanoseconds: .min))
        room.stand(until: .s(5 + seconds))
        #expect(room.outgoing.compactMap { kicked.farewell(in: $0.bytes) } == [.kicked])
        #expect(room.coordinator.reports(now: room.now).map(\.seatState) == [.active, .lost, .reserved])
    }

    @Test("A loop that sleeps exactly until the next deadline is not taken for one that stood still")
    func sleepingLoop() {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        room.invite(Guest(1))
        var steps = 0
        while let due = room.coordinator.nextDeadline, steps < 10_000 {
            room.stand(until: due)
            steps += 1
        }
        #expect(room.time(of: .lost) == .s(10))
        #expect(room.time(of: .left) == .s(40))
        // 4 times a second while someone has a seat, and never when nobody has.
        #expect(steps <= 165)
    }

    @Test("Time in which nobody was here is no pause: whoever joins afterwards has 10 s, not hours")
    func emptyRoom() {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        #expect(room.coordinator.nextDeadline == nil)
        let joinedAt = HostTime.s(7_200)
        let conversation = room.newConversation()
        let key = LinkKey(a: 0, b: 0, c: 0, d: 0)
        let material = LinkMaterial(
            motionKey: key, feedbackKey: key, probeKey: key, secret: "", secretHash: [], presentedHash: nil)
        room.perform(
            room.coordinator.invite(Guest(1).invitation, from: conversation, material: material, now: joinedAt))
        room.pass(to: joinedAt)
        room.pass(to: joinedAt + .seconds(100))
        #expect(room.time(of: .lost) == joinedAt + .seconds(10))
        #expect(room.time(of: .left) == joinedAt + .seconds(40))
    }

    @Test("A datagram that waited in the socket during the pause counts as of when it arrived")
    func arrivalDuringPause() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var pad = try #require(Pad(room.invite(Guest(1))?.seat))
        room.receive(pad.datagram(), from: pad.address)
        let waiting = pad.datagram()
        room.receive(waiting, from: pad.address, at: .s(2))
        room.stand(until: .s(3))
        #expect(room.report(of: Guest(1))?.silentFor == 0)
        #expect(room.seatState(of: Guest(1)) == "active")
    }

    @Test("While the host stood still no page could be loaded anew: a closed one's seat is kept as long as before: H3")
    func pauseOfAClosedPage() throws {
        var room = HostedRoom(RoomConfiguration(seats: 1, policy: .open))
        let owner = room.newConversation()
        var pad = try #require(Pad(room.invite(Guest(1), from: owner)?.seat))
        room.receive(pad.datagram(), from: pad.address)
        room.pass(to: .s(1))
        room.perform(room.coordinator.goodbye(Farewell(reason: "away"), from: owner, now: room.now))
        var guest = Guest(2)
        guest.wait = true
        #expect(room.invite(guest)?.waiting?.place == 1)
        room.pass(to: .s(2))
        room.stand(until: .s(32))
        #expect(room.seatState(of: Guest(1)) == "lost")
        // Of its 5 s one had passed.
        room.pass(to: .s(35.7))
        #expect(room.seatState(of: Guest(1)) == "lost")
        room.pass(to: .s(36.3))
        #expect(room.seatState(of: Guest(1)) == nil)
    }

    @Test("While the host stood still nobody in the queue could come back: a place is kept as long as before: H3")
    func pauseOfTheQueue() throws {
        var room = HostedRoom(RoomConfiguration(seats: 1, policy: .open))
        room.invite(Guest(1))
        var guest = Guest(2)
        guest.wait = true
        let conversation = room.newConversation()
        #expect(room.invite(guest, from: conversation)?.waiting?.place == 1)
        room.pass(to: .s(1))
        room.perform(room.coordinator.disconnected(conversation, now: room.now))
        room.pass(to: .s(6))
        room.stand(until: .s(106))
        #expect(room.coordinator.newcomers.count == 1)
        // Of its 30 s five had passed.
        room.pass(to: .s(130.7))
        #expect(room.coordinator.newcomers.count == 1)
        room.pass(to: .s(131.3))
        #expect(room.coordinator.newcomers.isEmpty)
    }
}
