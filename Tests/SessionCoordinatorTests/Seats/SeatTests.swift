import SessionCoordinator
import Testing
import WireProtocol

@Suite("A seat's life: reserved, active, lost, released")
struct SeatTests {
    let guest = Guest(1)

    @Test("A seat is reserved when it is granted, and active from the first datagram on")
    func reservedThenActive() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        let answer = room.invite(guest)
        #expect(room.seatState(of: guest) == "reserved")
        var pad = try #require(Pad(answer?.seat))
        room.receive(pad.datagram(), from: pad.address)
        #expect(room.seatState(of: guest) == "active")
        #expect(room.playerStates == [.joined])
    }

    @Test("A seat whose controller is never heard is lost after 10 s and released 30 s later, exactly")
    func neverHeard() {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        room.invite(guest)
        room.pass(to: .ms(9_999))
        #expect(room.seatState(of: guest) == "reserved")
        room.pass(to: .ms(10_000))
        #expect(room.seatState(of: guest) == "lost")
        room.pass(to: .ms(39_999))
        #expect(room.seatState(of: guest) == "lost")
        room.pass(to: .ms(40_000))
        #expect(room.seatState(of: guest) == nil)
        #expect(room.playerStates == [.joined, .lost, .left])
        #expect(room.disk.isEmpty)
    }

    @Test("Silence is told after 1 s, costs the seat's activity after 10 s, and the seat after 30 s more")
    func silence() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var pad = try #require(Pad(room.invite(guest)?.seat))
        #expect(room.report(of: guest)?.link == .silent, "nothing has come yet, and nothing is told of that")
        room.pass(to: .s(3))
        room.receive(pad.datagram(), from: pad.address)
        room.pass(to: .ms(3_999))
        #expect(room.report(of: guest)?.link == .good)
        room.pass(to: .ms(4_000))
        #expect(room.report(of: guest)?.link == .silent)
        room.pass(to: .ms(12_999))
        #expect(room.seatState(of: guest) == "active")
        room.pass(to: .s(100))
        #expect(room.time(of: .lost) == .s(13))
        #expect(room.time(of: .left) == .s(43))
        #expect(room.playerStates == [.joined, .lost, .left])
    }

    @Test("A controller that is heard again within the grace has its seat back, without joining again")
    func heardAgain() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var pad = try #require(Pad(room.invite(guest)?.seat))
        room.receive(pad.datagram(), from: pad.address)
        room.pass(to: .ms(39_999))
        #expect(room.seatState(of: guest) == "lost")
        room.receive(pad.datagram(), from: pad.address)
        #expect(room.seatState(of: guest) == "active")
        #expect(room.report(of: guest)?.link == .good)
        #expect(room.playerStates == [.joined, .lost, .back])
    }

    @Test("A goodbye for good frees the seat at once; its last samples count")
    func left() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var pad = try #require(Pad(room.invite(guest)?.seat))
        room.receive(pad.samples(0..<5), from: pad.address)
        let last = pad.datagram { writer in
            _ = writer.writeGoodbye(.left, lastSent: 1)
            let codec = SampleCodec(StreamDeclaration())
            guard var block = StreamBlockWriter(stream: 0, epoch: 0, floor: 5, codec: codec, to: &writer) else {
                return
            }
            _ = block.append(Sample(sampledAt: DeviceTime(nanoseconds: 0)), index: 5, to: &writer)
            block.finish(&writer)
        }
        room.receive(last, from: pad.address)
        #expect(room.seatState(of: guest) == nil)
        #expect(room.playerStates == [.joined, .left])
        #expect(room.departed.map(\.samples.delivered) == [6])
        // The copies of the goodbye are booked, and wake nobody.
        room.receive(pad.goodbye(.left), from: pad.address)
        #expect(room.coordinator.strangers.unknown == 0)
        #expect(room.departed.map(\.samples.delivered) == [6])
        #expect(room.playerStates == [.joined, .left])
    }

    @Test("A pause keeps the seat for the grace; copies of the goodbye, and what it overtook, do not end the pause")
    func paused() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var pad = try #require(Pad(room.invite(guest)?.seat))
        room.receive(pad.datagram(), from: pad.address)
        let overtaken = pad.datagram()
        let goodbyes = [pad.goodbye(.paused), pad.goodbye(.paused), pad.goodbye(.paused)]
        room.receive(goodbyes[0], from: pad.address)
        for datagram in [overtaken, goodbyes[0], goodbyes[2]] { room.receive(datagram, from: pad.address) }
        #expect(room.seatState(of: guest) == "lost")
        #expect(room.playerStates == [.joined, .lost])
        room.pass(to: .s(29))
        room.receive(pad.datagram(), from: pad.address)
        #expect(room.seatState(of: guest) == "active")
        // A copy of the goodbye that comes after the return changes nothing.
        room.receive(goodbyes[1], from: pad.address)
        #expect(room.seatState(of: guest) == "active")
        #expect(room.playerStates == [.joined, .lost, .back])
    }

    @Test("A pause said over TLS is not ended by datagrams that were on their way")
    func pausedOverControl() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        let conversation = room.newConversation()
        var pad = try #require(Pad(room.invite(guest, from: conversation)?.seat))
        room.receive(pad.datagram(), from: pad.address)
        let onItsWay = pad.datagram()
        room.perform(
            room.coordinator.goodbye(Farewell(reason: "paused", lastSent: 1), from: conversation, now: room.now))
        room.receive(onItsWay, from: pad.address)
        #expect(room.seatState(of: guest) == "lost")
        room.receive(pad.datagram(), from: pad.address)
        #expect(room.seatState(of: guest) == "active")
    }

    @Test("A player's number, name and colour are the seat's, the lowest that is free; a name is never borne twice")
    func numbers() throws {
        var room = HostedRoom(RoomConfiguration(seats: 4, policy: .open))
        let seated = try (1...3).map { number in
            try #require(room.invite(Guest(UInt64(number), name: "Blue"))?.seat)
        }
        #expect(seated.map(\.seat) == [1, 2, 3])
        #expect(seated.map(\.player) == [1, 2, 3])
        #expect(seated.map(\.name) == ["Blue", "Blue 2", "Blue 3"])
        #expect(Set(seated.map(\.color)).count == 3)
        var second = try #require(Pad(seated[1]))
        room.receive(second.goodbye(.left), from: second.address)
        let next = room.invite(Guest(9, name: ""))?.seat
        #expect(next?.seat == 2)
        // Who brings no name is called by the seat's colour and an animal.
        #expect(next?.name.hasPrefix("Orange ") == true)
    }

    @Test("Where all play together everyone drives player 1")
    func collaborative() {
        var room = HostedRoom(RoomConfiguration(seats: 3, policy: .open, mode: .collaborative))
        #expect((1...3).map { room.invite(Guest($0))?.seat?.player } == [1, 1, 1])
    }

    @Test("A controller without samples is answered too: three times 33 bytes leave room for a feedback")
    func heartbeatIsAnswered() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var pad = try #require(Pad(room.invite(guest)?.seat))
        let heartbeat = pad.datagram()
        #expect(heartbeat.count == 33)
        room.receive(heartbeat, from: pad.address)
        room.pass(to: .ms(1))
        #expect(room.outgoing.count == 1)
        #expect(room.outgoing.first.map { pad.probes(in: $0.bytes).count } == 1)
        #expect(room.outgoing.reduce(0) { $0 + $1.bytes.count } <= 99)
    }
}
