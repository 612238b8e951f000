import ControllerSession
import LinkEmulation
import SessionCoordinator
import Testing
import WireProtocol

@Suite("Faults: a controller's address changes, as RFC 9000, section 9.3, judges it: N13")
struct PathFaultTests {
    private let home = PeerAddress.lan(10)
    private let away = PeerAddress.lan(20)
    private let stranger = PeerAddress.lan(66)

    /// A room with one controller at home whose address is proven.
    private func makeRoom() throws -> (room: HostedRoom, pad: Pad) {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var pad = try #require(Pad(room.invite(Guest(1))?.seat, address: home))
        room.receive(pad.samples(0..<1), from: home)
        try prove(&room, &pad, at: home)
        return (room, pad)
    }

    /// Answers the first probe that goes to the address.
    private func prove(_ room: inout HostedRoom, _ pad: inout Pad, at address: PeerAddress) throws {
        room.outgoing = []
        while !room.outgoing.contains(where: { $0.address == address && !pad.probes(in: $0.bytes).isEmpty }) {
            try #require(room.now < .s(30), "no probe goes to \(address)")
            room.pass(to: room.now + .milliseconds(50))
            // Some bytes, or there would be nothing to answer with.
            room.receive(pad.datagram(sentAt: room.now.nanoseconds), from: address)
        }
        let probes = room.outgoing.filter { $0.address == address }.flatMap { pad.probes(in: $0.bytes) }
        let (id, time) = (try #require(probes.last), room.now.nanoseconds)
        room.receive(
            pad.datagram(sentAt: time) { writer in
                _ = writer.writeProbeAnswer(id: id, receivedAt: DeviceTime(nanoseconds: time))
            }, from: address)
        #expect(room.report(of: Guest(1))?.isPathValidated == true)
        room.outgoing = []
    }

    @Test("After the first datagram from the new address everything goes there, and nothing to the old one")
    func moves() throws {
        var (room, pad) = try makeRoom()
        let datagram = pad.samples(1..<2)
        room.receive(datagram, from: away)
        let report = try #require(room.report(of: Guest(1)))
        #expect(report.address == away && !report.isPathValidated && report.pathChanges == 1)
        try prove(&room, &pad, at: away)
        for _ in 0..<20 {
            room.pass(to: room.now + .milliseconds(50))
            room.receive(pad.datagram(sentAt: room.now.nanoseconds), from: away)
        }
        #expect(!room.outgoing.isEmpty && room.outgoing.allSatisfy { $0.address == away })
        #expect(room.playerStates == [.joined])
    }

    @Test("A datagram that was overtaken, or a copy of one, moves the way neither there nor back")
    func overtaken() throws {
        var (room, pad) = try makeRoom()
        let (slow, quick) = (pad.samples(1..<2), pad.samples(2..<3))
        room.receive(quick, from: away)
        room.receive(slow, from: home)
        #expect(room.report(of: Guest(1))?.address == away)
        for copy in [slow, quick] {
            for source in [home, stranger] { room.receive(copy, from: source) }
        }
        let report = try #require(room.report(of: Guest(1)))
        #expect(report.address == away && report.pathChanges == 1)
        #expect(report.datagrams.duplicate == 4)
    }

    @Test("What does not open moves nothing, however high its number")
    func unauthenticated() throws {
        var (room, pad) = try makeRoom()
        var forged = pad.datagram(number: 4_000)
        forged[forged.count - 1] ^= 1
        room.receive(forged, from: stranger)
        var other = pad
        other.motionKey = LinkKey(a: 9, b: 9, c: 9, d: 9)
        room.receive(other.samples(1..<40), from: stranger)
        #expect(room.report(of: Guest(1))?.address == home && room.report(of: Guest(1))?.pathChanges == 0)
        #expect(room.coordinator.strangers.badAuth == 2)
    }

    @Test(
        "Who sends a stolen datagram from elsewhere, before its own sender does, gets three times its bytes at most"
    )
    func stolen() throws {
        var (room, pad) = try makeRoom()
        // Much waits to be sent.
        for _ in 0..<40 { room.coordinator.send(.application(Array(repeating: 1, count: 500)), to: 0) }
        let stolen = pad.samples(1..<4)
        room.receive(stolen, from: stranger)
        #expect(room.report(of: Guest(1))?.address == stranger)
        room.outgoing = []
        room.pass(to: room.now + .seconds(5))
        let sent = room.outgoing.filter { $0.address == stranger }.reduce(0) { $0 + $1.bytes.count }
        #expect(sent > 0 && sent <= 3 * stolen.count, "\(sent) bytes for \(stolen.count)")
        #expect(room.outgoing.allSatisfy { $0.address == stranger && $0.bytes.count <= 3 * stolen.count })
        #expect(room.report(of: Guest(1))?.isPathValidated == false)
        // An answer to a probe of before proves nothing about the new address, and the sender's next one moves it back.
        room.receive(pad.samples(4..<5), from: home)
        #expect(room.report(of: Guest(1))?.address == home)
        try prove(&room, &pad, at: home)
        #expect(room.playerStates == [.joined])
    }

    @Test("Who hears a minute of probes late, or has a clock that cannot be believed, is proven all the same")
    func lateEchoes() throws {
        for skew: Int64 in [0, -1_000_000_000] {
            var (room, pad) = try makeRoom()
            room.receive(pad.samples(1..<2), from: away)
            var held: [UInt16] = []
            for _ in 0..<70 {
                room.pass(to: room.now + .seconds(1))
                room.receive(pad.datagram(sentAt: room.now.nanoseconds), from: away)
                held += room.outgoing.flatMap { pad.probes(in: $0.bytes) }
                room.outgoing = []
            }
            #expect(held.count > 60)
            let sentAt = room.now.nanoseconds
            for id in held {
                room.receive(
                    pad.datagram(sentAt: sentAt) { writer in
                        _ = writer.writeProbeAnswer(id: id, receivedAt: DeviceTime(nanoseconds: sentAt - skew))
                    }, from: away)
            }
            #expect(room.report(of: Guest(1))?.isPathValidated == true, "skew \(skew)")
        }
    }

    @Test("Who guesses at probes has eight tries, and afterwards even a right echo proves nothing there")
    func guesses() throws {
        var (room, pad) = try makeRoom()
        room.receive(pad.samples(1..<2), from: away)
        room.pass(to: room.now + .seconds(2))
        let sent = Set(room.outgoing.flatMap { pad.probes(in: $0.bytes) })
        let time = room.now.nanoseconds
        for id in Array(UInt16(30_000)..<30_008) + Array(sent) {
            room.receive(
                pad.datagram(sentAt: time) { writer in
                    _ = writer.writeProbeAnswer(id: id, receivedAt: DeviceTime(nanoseconds: time))
                }, from: away)
        }
        #expect(!sent.isEmpty && room.report(of: Guest(1))?.isPathValidated == false)
    }

    @Test("A controller that roams twice a second loses no sample, no seat and no message", arguments: Soak.seeds(3))
    func roaming(seed: UInt64) throws {
        var room = SimulatedRoom(2, try NetworkConditions(parsing: "loss=3%,delay=15±10ms"), seed: seed)
        room.joinAll()
        for number: UInt8 in 0..<12 {
            room.run(for: .milliseconds(500))
            room.pads[0].address.port &+= 1
            try room.pads[0].link.send(.application([number]))
            room.host.coordinator.send(.application([number]), to: 0)
        }
        room.drain()
        #expect(room.differences == [], "seed \(seed)")
        #expect(room.lostSamples(of: 0) == 0, "seed \(seed)")
        #expect(room.host.playerStates == [.joined, .joined], "seed \(seed)")
        #expect(room.pads[0].messages == (0..<12).map { [$0] }, "seed \(seed)")
        #expect(room.host.messages.map(\.body) == (0..<12).map { [$0] }, "seed \(seed)")
        let report = try #require(room.host.report(of: room.pads[0].guest))
        #expect(report.pathChanges == 12 && report.isPathValidated && report.datagrams.epochs == 1, "seed \(seed)")
    }
}
