import LinkEmulation
import Testing
import WireProtocol

@testable import SessionCoordinator

@Suite("What a stranger sends")
struct HostileTests {
    /// A room in which one controller is active, and what it sends from.
    private func makeRoom() throws -> (room: HostedRoom, pad: Pad) {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var pad = try #require(Pad(room.invite(Guest(1))?.seat))
        room.receive(pad.samples(0..<3), from: pad.address)
        room.pass(to: .ms(1))
        room.outgoing = []
        return (room, pad)
    }

    /// Everything that a coordinator holds, but for its count of strangers.
    private func state(_ room: HostedRoom) -> String {
        var coordinator = room.coordinator
        coordinator.strangers = StrangerCounts()
        var text = ""
        dump(coordinator, to: &text)
        return text
    }

    private func total(_ room: HostedRoom) -> UInt64 {
        let strangers = room.coordinator.strangers
        return strangers.badAuth + strangers.unknown + strangers.malformed
    }

    @Test("A datagram cut at any length is rejected, counted once, and leaves no trace: A3")
    func truncated() throws {
        var (room, pad) = try makeRoom()
        let datagram = pad.samples(3..<6)
        let before = state(room)
        for length in 0..<datagram.count { room.receive(Array(datagram[..<length]), from: .lan(66)) }
        #expect(total(room) == UInt64(datagram.count))
        #expect(room.coordinator.strangers.malformed == 33)
        #expect(room.coordinator.strangers.badAuth == UInt64(datagram.count - 33))
        #expect(state(room) == before)
        room.receive(datagram, from: pad.address)
        #expect(room.report(of: Guest(1))?.samples.delivered == 6)
    }

    @Test("A datagram with any one bit flipped is rejected, counted once, and leaves no trace: A3")
    func flipped() throws {
        var (room, pad) = try makeRoom()
        let datagram = pad.samples(3..<6)
        let before = state(room)
        for bit in 0..<datagram.count * 8 {
            var damaged = datagram
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            room.receive(damaged, from: .lan(66))
        }
        let strangers = room.coordinator.strangers
        // Version and kind; the connection id; all the rest is under the seal.
        #expect((strangers.malformed, strangers.unknown) == (8, 32))
        #expect(strangers.badAuth == UInt64(datagram.count * 8 - 40))
        #expect(state(room) == before)
    }

    @Test("100,000 datagrams of garbage change nothing, are answered by nothing, and are counted exactly: A1")
    func garbage() throws {
        var (room, pad) = try makeRoom()
        var random = SeededGenerator(seed: 1)
        var expected = StrangerCounts()
        let before = state(room)
        let ours = withUnsafeBytes(of: pad.connection.rawValue.bigEndian) { Array($0) }
        var bytes = (0..<2_048).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        bytes.withUnsafeMutableBytes { pool in
            for _ in 0..<100_000 {
                let draw = random.next()
                let (start, size) = (Int(draw % 600), Int(draw >> 16 % 1_300))
                let datagram = UnsafeMutableRawBufferPointer(rebasing: pool[start..<start + size])
                let (looksRight, isOurs) = (draw >> 40 % 4 != 0, draw >> 48 % 2 == 0)
                if size >= 5, looksRight {
                    datagram[0] = 0x11
                    let id = isOurs ? pad.connection.rawValue : UInt32(truncatingIfNeeded: draw >> 24)
                    datagram.storeBytes(of: id.bigEndian, toByteOffset: 1, as: UInt32.self)
                }
                if size < 33 || size > 1_200 || datagram[0] != 0x11 {
                    expected.malformed += 1
                } else if datagram[1..<5].elementsEqual(ours) {
                    expected.badAuth += 1
                } else {
                    expected.unknown += 1
                }
                room.coordinator.receive(
                    datagram, from: .lan(66), arrivedAt: room.now, now: room.now, cipher: TestCipher(), sink: &room.sink
                )
            }
        }
        #expect(room.coordinator.strangers == expected)
        #expect(total(room) == 100_000)
        #expect(state(room) == before)
        #expect(room.coordinator.takeActions() == [])
        room.sendFeedback()
        #expect(room.outgoing.isEmpty)
    }

    @Test("Another player's datagrams under the own valid key and a foreign connection id are rejected: A12")
    func seatTheft() throws {
        var (room, _) = try makeRoom()
        let victim = try #require(room.report(of: Guest(1)))
        var thief = try #require(Pad(room.invite(Guest(2))?.seat, address: .lan(66)))
        thief.connection = try #require(victim.connection)
        for _ in 0..<10 { room.receive(thief.samples(3..<6), from: thief.address) }
        #expect(room.coordinator.strangers.badAuth == 10)
        let after = try #require(room.report(of: Guest(1)))
        #expect(after.datagrams == victim.datagrams && after.samples == victim.samples)
        #expect(after.address == victim.address)
        #expect(room.seatState(of: Guest(2)) == "reserved")
    }

    @Test(
        "What does not travel this way is rejected even under the right key",
        arguments: [DatagramHeader.Kind.feedback, .browserMotion, .browserFeedback])
    func wrongKind(kind: DatagramHeader.Kind) throws {
        var (room, pad) = try makeRoom()
        let before = state(room)
        room.receive(pad.datagram(kind: kind), from: pad.address)
        #expect(room.coordinator.strangers.malformed == 1)
        #expect(state(room) == before)
    }

    @Test("A session played again is taken for what it is, in the same link epoch and in the next: A2")
    func replayed() throws {
        var (room, pad) = try makeRoom()
        var captured: [[UInt8]] = []
        for first: UInt32 in 3..<1_503 { captured.append(pad.samples(first..<first + 1)) }
        for datagram in captured { room.receive(datagram, from: pad.address) }
        let before = try #require(room.report(of: Guest(1)))
        for datagram in captured { room.receive(datagram, from: .lan(66)) }
        let after = try #require(room.report(of: Guest(1)))
        #expect(after.datagrams.unique == before.datagrams.unique && after.samples == before.samples)
        #expect((after.datagrams.duplicate, after.datagrams.tooOld) == (1_024, 1_500 - 1_024))
        #expect(after.address == pad.address)
        let seated = try #require(room.answers.values.first?.last?.seat)
        room.invite(Guest(1).returning(with: seated))
        for datagram in captured { room.receive(datagram, from: .lan(66)) }
        // While the old link drains they are copies, and its account says so; then they are strangers'.
        let drained = try #require(room.report(of: Guest(1)))
        #expect(drained.datagrams.unique == after.datagrams.unique && drained.samples == after.samples)
        #expect(drained.datagrams.authenticated == after.datagrams.authenticated + 1_500)
        #expect(room.coordinator.strangers.unknown == 0)
        room.pass(to: room.now + .seconds(3))
        for datagram in captured { room.receive(datagram, from: .lan(66)) }
        #expect(room.coordinator.strangers.unknown == 1_500)
        #expect(room.report(of: Guest(1))?.datagrams.authenticated == drained.datagrams.authenticated)
    }

    @Test("A stream that was not declared, or not so, is counted as unreadable and taken from nobody else")
    func undeclared() throws {
        var (room, pad) = try makeRoom()
        for (stream, measures) in [(7, [.acceleration]), (0, [.acceleration])] as [(UInt8, Sample.Measures)] {
            let codec = SampleCodec(StreamDeclaration(measures: measures))
            let datagram = pad.datagram { writer in
                guard var block = StreamBlockWriter(stream: stream, epoch: 0, floor: 0, codec: codec, to: &writer)
                else { return }
                _ = block.append(
                    Sample(sampledAt: DeviceTime(nanoseconds: 0), measures: measures), index: 5, to: &writer)
                block.finish(&writer)
            }
            room.receive(datagram, from: pad.address)
        }
        let report = try #require(room.report(of: Guest(1)))
        #expect((report.datagrams.unreadable, report.samples.delivered) == (2, 3))
    }

    @Test("A seated peer's program may be as wrong as it likes: nothing traps, and the laws hold", arguments: 1...8)
    func authenticatedNonsense(seed: UInt64) throws {
        var (room, pad) = try makeRoom()
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let datagram = nonsense(from: &pad, &random)
            room.receive(datagram, from: .lan(UInt8(random.next() % 3 + 10)))
            if random.chance(0.1) { room.stand(until: room.now + .milliseconds(20)) }
            // Who says goodbye comes back.
            if room.seatState(of: Guest(1)) == nil { pad = try #require(Pad(room.invite(Guest(1))?.seat)) }
            let report = try #require(room.report(of: Guest(1)))
            #expect(report.epoch.isBalanced, "seed \(seed)")
            let settled = report.samples.delivered + report.samples.late + report.samples.abandoned
            #expect(settled <= report.samples.expected)
        }
    }

    /// Blocks of the right form with wild content, at times with bytes changed before sealing.
    private func nonsense(from pad: inout Pad, _ random: inout SeededGenerator) -> [UInt8] {
        let number: UInt32? = random.chance(0.02) ? UInt32(truncatingIfNeeded: random.next() >> 34) : nil
        let start = random.chance(0.3) ? Int64(bitPattern: random.next()) : 0
        return pad.datagram(number: number, sentAt: start) { writer in
            for _ in 0..<random.next() % 5 {
                let wild = UInt32(truncatingIfNeeded: random.next() >> (random.next() % 32 + 32))
                let bytes = (0..<random.next() % 60).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                switch random.next() % 9 {
                case 0: _ = writer.writeProbeAnswer(id: UInt16(wild % 12), receivedAt: DeviceTime(nanoseconds: start))
                case 1: _ = writer.writeMessage(id: wild % 4, body: bytes)
                case 2: _ = writer.writeReceipt(next: wild)
                case 3: _ = writer.writeData(channel: UInt8(wild % 40), sequence: wild, body: bytes)
                case 4 where wild % 50 == 0: _ = writer.writeGoodbye(wild % 100 == 0 ? .paused : .left, lastSent: wild)
                case 5: writer.write(bytes)
                default:
                    let codec = SampleCodec(StreamDeclaration())
                    let epoch = random.chance(0.05) ? UInt8(truncatingIfNeeded: wild) : 0
                    guard
                        var block = StreamBlockWriter(
                            stream: 0, epoch: epoch, floor: wild, codec: codec, to: &writer)
                    else { continue }
                    for index in 0..<random.next() % 6 {
                        let time = DeviceTime(nanoseconds: start &+ Int64(index) * 1_000_000)
                        _ = block.append(Sample(sampledAt: time), index: wild &+ UInt32(index * index), to: &writer)
                    }
                    block.finish(&writer)
                }
            }
        }
    }
}
