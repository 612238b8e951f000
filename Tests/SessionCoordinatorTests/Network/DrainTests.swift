import LinkEmulation
import Testing
import WireProtocol

@testable import SessionCoordinator

@Suite("What comes after the end of a link")
struct DrainTests {
    @Test("Copies of a goodbye and stragglers belong to who left, for 3 s; then they are strangers'")
    func afterGoodbye() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var pad = try #require(Pad(room.invite(Guest(1))?.seat))
        room.receive(pad.samples(0..<3), from: pad.address)
        let straggler = pad.samples(3..<4)
        room.receive(pad.goodbye(.left), from: pad.address)
        #expect(room.departed.map(\.datagrams.missing) == [1])
        let copy = pad.goodbye(.left)
        room.receive(copy, from: pad.address)
        room.receive(copy, from: pad.address)
        room.pass(to: room.now + .milliseconds(2_900))
        room.receive(straggler, from: pad.address)
        let gone = try #require(room.departed.last)
        #expect((gone.datagrams.unique, gone.datagrams.missing, gone.datagrams.tailMissing) == (4, 0, 0))
        #expect((gone.datagrams.duplicate, gone.datagrams.reordered) == (1, 1))
        // Its player has left: what was sampled counts, and plays nothing.
        #expect((gone.samples.delivered, gone.samples.late, gone.samples.missing) == (3, 1, 0))
        #expect(room.sink.taken.count == 3)
        room.pass(to: room.now + .milliseconds(200))
        room.receive(pad.goodbye(.left), from: pad.address)
        #expect(room.coordinator.strangers.unknown == 1 && room.departed == [gone])
        #expect(room.playerStates == [.joined, .left])
    }

    @Test("What was under way on a link that was replaced is counted once, whichever link brings it")
    func replaced() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        let first = try #require(room.invite(Guest(1))?.seat)
        var old = try #require(Pad(first))
        room.receive(old.samples(0..<2), from: old.address)
        let underWay = old.samples(2..<4)
        let again = try #require(room.invite(Guest(1).returning(with: first))?.seat)
        #expect(again.continues)
        var new = try #require(Pad(again))
        room.receive(underWay, from: old.address)
        room.receive(new.samples(0..<5), from: new.address)
        let report = try #require(room.report(of: Guest(1)))
        #expect((report.datagrams.epochs, report.datagrams.unique, report.datagrams.missing) == (2, 3, 0))
        #expect((report.samples.delivered, report.samples.redundant) == (5, 4))
        #expect(room.coordinator.strangers == StrangerCounts())
        // Nobody is woken, and no path moves, by what comes on a link that is over.
        #expect(report.pathChanges == 0)
    }

    @Test("A straggler of a link that was replaced is of the stay that it began in, though its controller sits again")
    func stays() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        let first = try #require(room.invite(Guest(1))?.seat)
        var old = try #require(Pad(first))
        room.receive(old.samples(0..<2), from: old.address)
        let underWay = (2..<5).map { old.samples($0..<$0 + 1) }
        var new = try #require(Pad(room.invite(Guest(1).returning(with: first))?.seat))
        room.receive(new.goodbye(.left), from: new.address)
        // Nobody sits there.
        room.receive(underWay[0], from: old.address)
        #expect(room.departed.last?.datagrams.unique == 3)
        // The same controller, anew: first while it sits, then when it has left again.
        var anew = try #require(Pad(room.invite(Guest(1))?.seat))
        room.receive(underWay[1], from: old.address)
        #expect(room.departed.last?.datagrams.unique == 4 && room.report(of: Guest(1))?.datagrams.unique == 0)
        room.receive(anew.goodbye(.left), from: anew.address)
        room.receive(underWay[2], from: old.address)
        #expect(room.departed.suffix(2).map(\.datagrams.unique).sorted() == [1, 5])
        #expect(room.coordinator.strangers == StrangerCounts())
    }

    @Test(
        "A tally that agrees confirms the host's account, one that cannot be true contradicts it, and none is no witness",
        arguments: [
            (SenderTally(links: 1, datagrams: 2, samples: 3, confirmed: 3), "confirmed"),
            (SenderTally(links: 1, datagrams: 1, samples: 3, confirmed: 3), "contradicted"),
            (SenderTally(links: 1, datagrams: 3, samples: 3, confirmed: 3), "contradicted"),
            (SenderTally(links: 1, datagrams: 2, samples: 2, confirmed: 2), "contradicted"),
            (SenderTally(links: 1, datagrams: 2, samples: 9, confirmed: 4), "contradicted"),
            (SenderTally(links: 1, datagrams: 2, samples: 9, confirmed: 0), "confirmed"),
            (SenderTally(links: 2, datagrams: 2, samples: 3, confirmed: 3), "unconfirmed"),
            (SenderTally(links: .max, datagrams: .max, samples: .max, confirmed: 0), "unconfirmed"),
            (nil, "unconfirmed"),
        ] as [(SenderTally?, String)])
    func agreement(tally: SenderTally?, word: String) throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var pad = try #require(Pad(room.invite(Guest(1))?.seat))
        room.receive(pad.samples(0..<3), from: pad.address)
        let goodbye = pad.datagram { writer in
            _ = writer.writeGoodbye(.left, lastSent: 1)
            if let tally { _ = writer.writeTally(tally) }
        }
        room.receive(goodbye, from: pad.address)
        let found =
            switch try #require(room.departed.last).agreement {
            case .confirmed: "confirmed"
            case .unconfirmed: "unconfirmed"
            case .contradicted: "contradicted"
            }
        #expect(found == word)
    }

    @Test("The word of a controller whose last datagrams were all lost is heard on its control connection")
    func toldByControl() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        let conversation = room.newConversation()
        var pad = try #require(Pad(room.invite(Guest(1), from: conversation)?.seat))
        room.receive(pad.samples(0..<3), from: pad.address)
        let tally = SenderTally(links: 1, datagrams: 4, samples: 3, confirmed: 3)
        let farewell = Farewell(reason: "left", lastSent: 3, tally: tally)
        room.perform(room.coordinator.goodbye(farewell, from: conversation, now: room.now))
        let gone = try #require(room.departed.last)
        #expect((gone.datagrams.unique, gone.datagrams.tailMissing, gone.word.tally) == (1, 3, tally))
        #expect(gone.agreement == .confirmed)
    }

    @Test("Of a program that is gone no sample is booked, on whichever of its links it was under way")
    func twoLinksAgo() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        let first = try #require(room.invite(Guest(1))?.seat)
        var oldest = try #require(Pad(first))
        room.receive(oldest.samples(0..<2), from: oldest.address)
        let again = try #require(room.invite(Guest(1).returning(with: first))?.seat)
        #expect(again.continues)
        var guest = Guest(1).returning(with: again)
        guest.process = 2
        let anew = try #require(room.invite(guest)?.seat)
        #expect(!anew.continues)
        var new = try #require(Pad(anew))
        room.receive(new.samples(0..<1), from: new.address)
        room.receive(oldest.samples(2..<9), from: oldest.address)
        let report = try #require(room.report(of: Guest(1)))
        #expect((report.datagrams.epochs, report.datagrams.unique) == (3, 3))
        #expect((report.samples.epochs, report.samples.delivered, report.samples.missing) == (2, 3, 0))
        #expect(room.sink.taken.count == 3)
    }

    @Test("What begins anew, be it another program or the same with other streams, tells only of what it sent since")
    func beganAnew() throws {
        let changes: [(inout Guest) -> Void] = [
            { $0.process = 2 }, { $0.streams = [StreamDeclaration(nominalRate: 60)] },
        ]
        for change in changes { try beginAnew(change) }
    }

    private func beginAnew(_ change: (inout Guest) -> Void) throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        let first = try #require(room.invite(Guest(1))?.seat)
        var old = try #require(Pad(first))
        room.receive(old.samples(0..<2), from: old.address)
        var guest = Guest(1).returning(with: first)
        change(&guest)
        var new = try #require(Pad(room.invite(guest)?.seat))
        // The datagram counts, its samples are of nobody any more.
        room.receive(old.samples(2..<4), from: old.address)
        room.receive(
            new.datagram { writer in
                _ = writer.writeGoodbye(.left, lastSent: 0)
                _ = writer.writeTally(SenderTally(links: 1, datagrams: 1, samples: 0, confirmed: 0))
            }, from: new.address)
        let gone = try #require(room.departed.last)
        #expect((gone.datagrams.unique, gone.samples.delivered, gone.programs) == (3, 2, 2))
        #expect(gone.agreement == .unconfirmed("it began anew, and its word is only of what it sent since"))
    }

    @Test(
        "Who asks again as the answer was lost has not begun anew, and is confirmed; unless it had spoken on the first",
        arguments: [false, true])
    func asksAgain(hadSpoken: Bool) throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var first = try #require(Pad(room.invite(Guest(1))?.seat))
        let second = try #require(room.invite(Guest(1))?.seat)
        #expect(!second.continues)
        var pad = try #require(Pad(second))
        if hadSpoken { room.receive(first.samples(0..<3), from: first.address) }
        room.receive(pad.samples(0..<3), from: pad.address)
        room.receive(
            pad.datagram { writer in
                _ = writer.writeGoodbye(.left, lastSent: 1)
                _ = writer.writeTally(SenderTally(links: 1, datagrams: 2, samples: 3, confirmed: 3))
            }, from: pad.address)
        let gone = try #require(room.departed.last)
        #expect((gone.datagrams.epochs, gone.unheardLinks, gone.programs) == (2, hadSpoken ? 0 : 1, 1))
        // What came on the first link counts; its samples come again.
        #expect((gone.datagrams.unique, gone.samples.expected) == (hadSpoken ? 3 : 2, 3))
        let word = Agreement.unconfirmed("it speaks of 1 link, and the host knows 2")
        #expect(gone.agreement == (hadSpoken ? word : .confirmed))
    }

    @Test("The links that drain are those of a plain list that forgets its first, ids that are given again among them")
    func list() {
        let key = LinkKey(a: 1, b: 2, c: 3, d: 4)
        let program = Program(process: "", declarations: [StreamDeclaration()], hasHaptics: false, context: [])
        var generator = SeededGenerator(seed: 8)
        var (draining, plain) = (DrainingLinks(), [(id: UInt32, until: HostTime)]())
        for step in 1...2_000 {
            let (id, until) = (UInt32(generator.next() % 12), HostTime.ms(Double(10 * step)))
            if generator.chance(0.8) {
                let link = Link(
                    connection: ConnectionID(rawValue: id),
                    way: .udp(LinkKeys(motion: key, feedback: key, probe: key)), program: program, conversation: nil)
                let owner = DrainingLink.Owner.replaced(link, of: UInt64(step), at: 0, run: 0)
                draining.add(DrainingLink(owner: owner, connection: link.connection, until: until), atMost: 8)
                if plain.count == 8 { plain.removeFirst() }
                plain.append((id, until))
            } else {
                let now = HostTime.ms(Double(10 * step) - Double(generator.next() % 60))
                draining.expire(now: now)
                plain.removeAll { $0.until <= now }
            }
            #expect(draining.nextEnd == plain.first?.until)
            for id in UInt32(0)..<12 {
                #expect(draining[ConnectionID(rawValue: id)]?.until == plain.last { $0.id == id }?.until)
            }
        }
    }
}
