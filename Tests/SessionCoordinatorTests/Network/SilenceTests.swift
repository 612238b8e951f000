import SessionCoordinator
import Testing
import WireProtocol

@Suite("What does not come is told, and never shown as 0 % loss")
struct SilenceTests {
    private func links(_ room: HostedRoom) -> [String] {
        room.occurrences.compactMap {
            guard case .link(let change) = $0.what else { return nil }
            return change.state.rawValue + (change.stream.map { " stream \($0)" } ?? "")
        }
    }

    @Test(
        "A stream from which nothing comes for a second is told to the game, though its link lives; and that it is back"
    )
    func deadStream() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var pad = try #require(Pad(room.invite(Guest(1))?.seat))
        room.receive(pad.samples(0..<1), from: pad.address)
        for tenth in 1...30 {
            room.pass(to: .ms(Double(tenth) * 100))
            // A heartbeat: the link lives, the sensor does not.
            room.receive(pad.datagram(), from: pad.address)
        }
        #expect(links(room) == ["silent stream 0"])
        #expect(room.report(of: Guest(1))?.link == .good)
        #expect(room.detail(of: Guest(1))?.streams.first?.isStale == true)
        room.receive(pad.samples(1..<2), from: pad.address)
        #expect(links(room) == ["silent stream 0", "good stream 0"])
        #expect(room.detail(of: Guest(1))?.streams.first?.isStale == false)
    }

    @Test("A sensor from which nothing ever came is missed after 5 s, or ten samples' time; a button is not")
    func neverHeard() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var guest = Guest(1)
        guest.streams = [
            StreamDeclaration(), StreamDeclaration(stream: 1, nominalRate: 1),
            StreamDeclaration(stream: 2, measures: .buttons, buttonGestures: ["jump"]),
        ]
        var pad = try #require(Pad(room.invite(guest)?.seat))
        var missed: [[StreamID]] = []
        for second in 1...10 {
            room.pass(to: .s(Double(second)))
            // A heartbeat: the link lives, and its program may have no more to say.
            room.receive(pad.datagram(), from: pad.address)
            missed.append(room.detail(of: guest)?.streams.map(\.declaration.stream) ?? [])
        }
        let due: [[StreamID]] = [[], [], [], [], [0], [0], [0], [0], [0], [0, 1]]
        #expect(missed == due)
        let peer = try #require(room.report(of: guest)?.peer)
        let glance = room.coordinator.glance(at: peer, now: room.now)
        #expect(glance?.streams.count == 2 && glance?.streams.allSatisfy { $0.age == nil && $0.isStale } == true)
        room.receive(pad.samples(0..<1), from: pad.address)
        let ages: [Int64?] = [0, nil]
        #expect(room.detail(of: guest)?.streams.map(\.age) == ages)
    }

    @Test("While the host stood still no stream could be heard: whichever says nothing is told when it is due: H3")
    func streamOverPause() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var pad = try #require(Pad(room.invite(Guest(1))?.seat))
        room.pass(to: .s(1))
        room.receive(pad.samples(0..<1), from: pad.address)
        room.stand(until: .s(31))
        #expect(links(room).isEmpty)
        #expect(room.detail(of: Guest(1))?.streams.first?.isStale == false)
        for tenth in 1...15 {
            room.pass(to: .ms(31_000 + Double(tenth) * 100))
            room.receive(pad.datagram(), from: pad.address)
        }
        #expect(links(room) == ["silent stream 0"])
    }

    @Test("The newest sample is stale after 50 ms without another, and fresh with the first that comes: N2")
    func stale() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var pad = try #require(Pad(room.invite(Guest(1))?.seat))
        func isStale() -> Bool? { room.detail(of: Guest(1))?.streams.first?.isStale }
        room.receive(pad.samples(0..<1), from: pad.address)
        room.pass(to: .ms(50))
        #expect(isStale() == false)
        room.pass(to: .ms(51))
        #expect(isStale() == true)
        // A repeat is nothing new.
        room.receive(pad.samples(0..<1), from: pad.address)
        #expect(isStale() == true)
        room.receive(pad.samples(1..<2), from: pad.address)
        #expect(isStale() == false)
    }

    @Test("A peer that falls silent has silent seconds in its last minute, and its loss stands as it was")
    func silentPeer() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var pad = try #require(Pad(room.invite(Guest(1))?.seat))
        for index: UInt32 in 0..<200 where index % 10 != 9 {
            room.pass(to: .ms(Double(index) * 10))
            room.receive(pad.datagram(number: index), from: pad.address)
        }
        room.pass(to: .s(6))
        let report = try #require(room.detail(of: Guest(1)))
        #expect(room.report(of: Guest(1))?.link == .silent)
        #expect(report.minute.suffix(3).allSatisfy { $0.isSilent && $0.worstQueueing == nil })
        #expect(report.losses?.lossRate == 19.0 / 199.0)
        let every10th: [UInt32] = (0..<19).map { $0 * 10 + 9 }
        #expect(report.holes.map(\.first) == every10th)
        // Ten apart, all of them are one burst: fewer than 16 came in between.
        #expect(report.losses?.bursts == 1)
    }

    @Test(
        "Nobody is silent, lost or gone whose datagrams wait unread; where all was read, everybody who said nothing is",
        arguments: [true, false])
    func amidBacklog(waits: Bool) throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var pad = try #require(Pad(room.invite(Guest(1))?.seat))
        room.receive(pad.samples(0..<1), from: pad.address)
        let read = room.now
        // The host is behind: its loop turns, and has read nothing that came since.
        for tenth in 1...60 {
            room.perform(
                room.coordinator.advance(
                    to: .ms(Double(tenth) * 100), heardUntil: waits ? read : nil, sink: &room.sink))
        }
        let state = room.coordinator.reports(now: .s(6)).first { $0.controller == Guest(1).controller }?.link
        if waits {
            #expect(links(room).isEmpty && state == .good)
        } else {
            #expect(links(room) == ["silent"] && state == .silent)
        }
    }
}
