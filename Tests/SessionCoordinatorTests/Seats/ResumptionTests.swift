import SessionCoordinator
import Testing
import WireProtocol

@Suite("Coming back to a seat")
struct ResumptionTests {
    let guest = Guest(1)

    @Test("Who brings the secret has the same seat, player, name and colour, under keys and a connection id never used")
    func sameSeat() throws {
        var room = HostedRoom(RoomConfiguration(policy: .code, code: "ABC"))
        let first = try #require(room.invite(Guest(1, name: "Blue", code: "ABC"))?.seat)
        let second = try #require(room.invite(Guest(1, name: "Blue", secret: first.secret))?.seat)
        #expect((second.seat, second.player, second.name, second.color) == (1, 1, "Blue", first.color))
        #expect(second.link.connection != first.link.connection)
        #expect(second.link.motionKey != first.link.motionKey && second.link.feedbackKey != first.link.feedbackKey)
        #expect(second.secret != first.secret)
        #expect(room.playerStates == [.joined])
    }

    @Test(
        "Where players choose their names, one who comes back by browser may bring another; it is made unlike all others"
    )
    func anotherName() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open, names: .free))
        room.invite(Guest(2, name: "Green"), over: .wss)
        let first = try #require(room.invite(Guest(1, name: "Blue"), over: .wss)?.seat)
        let second = try #require(room.invite(Guest(1, name: "Green", secret: first.secret), over: .wss)?.seat)
        #expect((second.seat, second.name) == (2, "Green 2"))
        let third = try #require(room.invite(Guest(1, name: "Green", secret: second.secret), over: .wss)?.seat)
        #expect(third.name == "Green 2", "who brings the same name again keeps what it became")
        let fourth = try #require(room.invite(Guest(1, name: "", secret: third.secret), over: .wss)?.seat)
        #expect(fourth.name == "Green 2")
        #expect(room.playerStates == [.joined, .joined, .renamed])
    }

    @Test("Where visitors are reset, a browser's name comes with the seat that it has, never with a new one")
    func nameOfTheOneBefore() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open, names: .free, idleReset: .seconds(20)))
        let first = try #require(room.invite(Guest(1, name: "Vera"), over: .wss)?.seat)
        #expect(first.name.hasPrefix("Blue "))
        let second = try #require(room.invite(Guest(1, name: "Vera", secret: first.secret), over: .wss)?.seat)
        #expect((second.seat, second.name) == (1, "Vera"))
        let native = try #require(room.invite(Guest(2, name: "Ada"))?.seat)
        #expect(native.name == "Ada", "its owner has named it")
    }

    @Test("Where the host names phones, one who comes back under another name keeps the host's")
    func hostsName() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open, names: .auto))
        let first = try #require(room.invite(Guest(1, name: "Blue"), over: .wss)?.seat)
        let second = try #require(room.invite(Guest(1, name: "Red", secret: first.secret), over: .wss)?.seat)
        #expect(second.name == first.name)
    }

    @Test("A native controller hears on its control connection when the operator calls it otherwise")
    func renamed() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        let conversation = room.newConversation()
        _ = try #require(room.invite(Guest(1, name: "Blue"), from: conversation)?.seat)
        let index = try room.coordinator.find("Blue").get()
        room.perform(try room.coordinator.rename(index, to: "Captain", now: room.now).get())
        #expect(room.answers[conversation]?.last == .renamed(Renamed(name: "Captain")))
    }

    @Test("Whose control connection is gone while its link lives goes on upon another, and is told its new name there")
    func cutOff() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        let gone = room.newConversation()
        let seated = try #require(room.invite(Guest(1, name: "Blue"), from: gone)?.seat)
        var pad = try #require(Pad(seated))
        room.receive(pad.samples(0..<1), from: pad.address)
        room.perform(room.coordinator.disconnected(gone, now: room.now))
        let index = try room.coordinator.find("Blue").get()
        room.perform(try room.coordinator.rename(index, to: "Captain", now: room.now).get())
        let back = room.newConversation()
        let again = try #require(room.invite(Guest(1, name: "Blue", secret: seated.secret), from: back)?.seat)
        #expect(again.continues && again.name == "Captain" && again.seat == seated.seat)
        room.perform(try room.coordinator.rename(index, to: "Azure", now: room.now).get())
        #expect(room.answers[back]?.last == .renamed(Renamed(name: "Azure")))
        #expect(room.playerStates == [.joined, .renamed, .renamed])
    }

    @Test(
        "Without the secret, or with a wrong one, a seat that is taken is refused, and its owner notices nothing",
        arguments: [nil, String(repeating: "0", count: 64)])
    func wrongSecret(secret: String?) throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var owner = try #require(Pad(room.invite(guest)?.seat))
        room.receive(owner.datagram(), from: owner.address)
        let refusal = room.invite(Guest(1, secret: secret))?.refusal
        #expect(refusal?.reason == .alreadySeated)
        #expect(refusal?.retryAfter == 40_000, "as long as the seat is kept if nothing more is heard")
        room.receive(owner.datagram(), from: owner.address)
        #expect(room.report(of: guest)?.datagrams.unique == 2)
    }

    @Test(
        "Who never heard of its seat gets it as the same run of its program while nothing was heard there; nobody else",
        arguments: [2, 12] as [Double])
    func answerLost(seconds: Double) throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        let lost = room.newConversation()
        room.invite(guest, from: lost)
        room.pass(to: .s(seconds))
        var other = guest
        other.process += 1
        #expect(room.invite(other)?.refusal?.reason == .alreadySeated)
        let seated = try #require(room.invite(guest)?.seat)
        #expect(seated.seat == 1 && !seated.continues && room.closed.contains(lost))
        var pad = try #require(Pad(seated))
        room.receive(pad.datagram(), from: pad.address)
        #expect(room.seatState(of: guest) == "active")
        #expect(room.invite(guest)?.refusal?.reason == .alreadySeated)
    }

    @Test("Who is refused its own seat is told when it is free, and gets it then")
    func whenItIsFree() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var pad = try #require(Pad(room.invite(guest)?.seat))
        room.receive(pad.datagram(), from: pad.address)
        room.pass(to: .s(12))
        #expect(room.invite(guest)?.refusal?.retryAfter == 28_000)
        room.pass(to: .s(40))
        #expect(room.invite(guest)?.seat != nil)
    }

    @Test("The secret is rotated at each use; the old one is valid until the first datagram under the new keys")
    func rotation() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        let first = try #require(room.invite(guest)?.seat)
        // The answer to the second joining is lost on its way: the controller tries again with what it has.
        _ = room.invite(guest.returning(with: first))
        let third = try #require(room.invite(guest.returning(with: first))?.seat)
        #expect(room.disk.first?.previousSecretHash != nil)
        var pad = try #require(Pad(third))
        room.receive(pad.datagram(), from: pad.address)
        #expect(room.disk.first?.previousSecretHash == nil)
        #expect(room.invite(guest.returning(with: first))?.refusal?.reason == .alreadySeated)
        #expect(room.invite(guest.returning(with: third))?.seat?.seat == 1)
    }

    @Test("Of two devices with the same secret exactly one owns the seat; the other is refused in words: P3")
    func twoDevices() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        let stolen = try #require(room.invite(guest)?.seat)
        var (here, there) = (guest.returning(with: stolen), guest.returning(with: stolen))
        (here.process, there.process) = (2, 3)
        var (one, other) = (
            try #require(Pad(room.invite(here)?.seat, address: .lan(2))),
            try #require(Pad(room.invite(there)?.seat, address: .lan(3)))
        )
        // What was under way when the other came has had its time.
        room.pass(to: room.now + .seconds(3))
        room.receive(one.datagram(), from: one.address)
        #expect(room.coordinator.strangers.unknown == 1)
        room.receive(other.datagram(), from: other.address)
        #expect(room.report(of: guest)?.address == .lan(3))
        // From then on the secret that both had is worth nothing, however often it is tried.
        for _ in 0..<20 {
            #expect(room.invite(guest.returning(with: stolen))?.refusal?.reason == .alreadySeated)
            room.receive(one.datagram(), from: one.address)
        }
        #expect(room.report(of: guest)?.datagrams.authenticated == 1)
        #expect(room.report(of: guest)?.address == .lan(3))
        #expect(room.coordinator.strangers.unknown == 21)
    }

    @Test(
        "Nothing of the old session's datagrams counts as motion or moves the seat from the instant of the new one: P2")
    func oldSession() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        let first = try #require(room.invite(guest)?.seat)
        var old = try #require(Pad(first))
        room.receive(old.samples(0..<3), from: old.address)
        var restarted = guest.returning(with: first)
        restarted.process += 1
        _ = room.invite(restarted)
        let before = room.report(of: guest)
        room.receive(old.samples(3..<6), from: old.address)
        // It is booked as what was under way, and that is all; a little later not even that.
        let after = room.report(of: guest)
        #expect(after?.datagrams.unique == (before?.datagrams.unique ?? 0) + 1)
        #expect(after?.samples == before?.samples && after?.address == before?.address)
        room.pass(to: room.now + .seconds(3))
        room.receive(old.samples(6..<9), from: old.address)
        #expect(room.report(of: guest)?.datagrams == after?.datagrams)
        #expect(room.coordinator.strangers.unknown == 1)
    }

    @Test("The control connection of before is told that it is replaced, and closed; the old link too")
    func replaced() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        let conversation = room.newConversation()
        let first = try #require(room.invite(guest, from: conversation)?.seat)
        var old = try #require(Pad(first))
        room.receive(old.samples(0..<3), from: old.address)
        room.invite(guest.returning(with: first))
        #expect(room.answers[conversation]?.last == .goodbye(Farewell(reason: "replaced")))
        #expect(room.closed == [conversation])
        room.pass(to: .s(1))
        #expect(room.outgoing.compactMap { old.farewell(in: $0.bytes) } == [.replaced])
        // The old connection's end is nobody's loss.
        room.perform(room.coordinator.disconnected(conversation, now: room.now))
        #expect(room.seatState(of: guest) == "reserved" || room.seatState(of: guest) == "active")
    }

    @Test("The same program goes on with its streams; its restart begins anew, and both epochs' books are kept")
    func continues() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var seated = try #require(room.invite(guest)?.seat)
        #expect(!seated.continues)
        var pad = try #require(Pad(seated))
        room.receive(pad.samples(0..<4), from: pad.address)

        seated = try #require(room.invite(guest.returning(with: seated))?.seat)
        #expect(seated.continues)
        pad = try #require(Pad(seated))
        room.receive(pad.samples(2..<6), from: pad.address)
        #expect(room.report(of: guest)?.samples.delivered == 6)
        #expect(room.report(of: guest)?.samples.redundant == 2)

        var restarted = guest.returning(with: seated)
        restarted.process = 2
        seated = try #require(room.invite(restarted)?.seat)
        #expect(!seated.continues)
        pad = try #require(Pad(seated))
        room.receive(pad.samples(0..<3), from: pad.address)
        let report = try #require(room.report(of: guest))
        #expect((report.samples.epochs, report.samples.delivered) == (2, 9))
        #expect((report.datagrams.epochs, report.datagrams.unique) == (3, 3))
    }

    @Test("Who comes back just before the grace ends keeps the seat, and is given 10 s to be heard")
    func lastMoment() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        let first = try #require(room.invite(guest)?.seat)
        room.pass(to: .ms(39_999))
        var pad = try #require(Pad(room.invite(guest.returning(with: first))?.seat))
        room.pass(to: .ms(49_998))
        #expect(room.seatState(of: guest) == "lost")
        room.receive(pad.datagram(), from: pad.address)
        #expect(room.seatState(of: guest) == "active")
        #expect(room.playerStates == [.joined, .lost, .back])
    }

    @Test("After the grace the secret is worth nothing: the seat may be another's, and the code is asked for again")
    func afterGrace() throws {
        var room = HostedRoom(RoomConfiguration(seats: 1, policy: .code, code: "ABC"))
        let first = try #require(room.invite(Guest(1, code: "ABC"))?.seat)
        room.pass(to: .s(41))
        #expect(room.invite(Guest(1, secret: first.secret))?.refusal?.reason == .wrongCode)
        #expect(room.invite(Guest(2, code: "ABC"))?.seat?.seat == 1)
        #expect(room.invite(Guest(1, code: "ABC", secret: first.secret))?.refusal?.reason == .full)
    }

    @Test("A host that was killed knows its leases: each is lost with a full grace, and returns by its secret: H1")
    func hostRestart() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        let seats = try (1...3).map { try #require(room.invite(Guest($0, name: "Pad \($0)"))?.seat) }
        var old = try #require(Pad(seats[1]))
        room.receive(old.datagram(), from: old.address)

        var again = HostedRoom(room.coordinator.configuration, leases: room.disk, now: .s(5), epoch: 1)
        #expect(again.coordinator.freeSeats == 1)
        #expect(again.coordinator.reports(now: again.now).map(\.seatState) == [.lost, .lost, .lost])
        #expect(again.coordinator.reports(now: again.now).allSatisfy { $0.link == .silent })
        again.receive(old.datagram(), from: old.address)
        #expect(again.coordinator.strangers.unknown == 1)
        let back = try #require(again.invite(Guest(2, name: "other name", secret: seats[1].secret))?.seat)
        #expect((back.seat, back.name, back.continues) == (2, "Pad 2", false))
        #expect(back.link.connection != seats[1].link.connection)
        var pad = try #require(Pad(back))
        again.receive(pad.datagram(), from: pad.address)
        #expect(again.playerStates == [.back])
        #expect(again.report(of: Guest(2))?.link == .good)
        again.pass(to: .ms(34_999))
        #expect(again.seatState(of: Guest(1)) == "lost")
        again.pass(to: .ms(35_000))
        #expect(again.seatState(of: Guest(1)) == nil)
    }

    @Test("Leases of seats that the room no longer has, or of a seat twice, are left out")
    func foreignLeases() {
        let lease = Lease(controller: Guest(1).controller, seat: 5, player: 5, name: "x", color: 0, secretHash: [])
        var twin = lease
        twin.controller = Guest(2).controller
        (twin.seat, twin.player) = (2, 2)
        var third = twin
        third.controller = Guest(3).controller
        let room = HostedRoom(RoomConfiguration(seats: 4, policy: .open), leases: [lease, twin, third])
        #expect(room.coordinator.reports(now: room.now).map(\.controller) == [Guest(2).controller])
    }

    @Test("Whoever was told to begin anew and never heard it is told again; once it was heard, it goes on")
    func unheard() throws {
        var before = HostedRoom(RoomConfiguration(policy: .open))
        let seated = try #require(before.invite(guest)?.seat)
        var room = HostedRoom(RoomConfiguration(policy: .open), leases: before.disk, epoch: 1)
        let lost = try #require(room.invite(guest.returning(with: seated))?.seat)
        // The answer is lost on its way: the same program asks again with what it has.
        let heard = try #require(room.invite(guest.returning(with: seated))?.seat)
        #expect([lost.continues, heard.continues] == [false, false])
        var pad = try #require(Pad(heard))
        room.receive(pad.datagram(), from: pad.address)
        #expect(room.invite(guest.returning(with: heard))?.seat?.continues == true)
        #expect(room.invite(guest.returning(with: heard))?.seat?.continues == true, "it knows the room by now")
    }
}
