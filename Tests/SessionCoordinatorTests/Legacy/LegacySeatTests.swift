import Testing
import WireProtocol

@testable import SessionCoordinator

@Suite("A source of unsealed frames")
struct LegacySeatTests {
    let source = PeerAddress.lan(7)

    /// A room in which the operator has let the source in, and one frame has come.
    private func seated() throws -> HostedRoom {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        room.frame(1_000, from: source)
        try room.accept(source)
        room.frame(1_010, from: source)
        return room
    }

    @Test("Whoever has not been let in moves nothing, is never answered and asks once, whatever the room's policy")
    func asks() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        for tick in 0..<100 {
            room.frame(UInt64(tick * 10), from: source)
            room.pass(to: room.now + .milliseconds(10))
        }
        #expect(room.coordinator.newcomers.map(\.name) == [source.description])
        #expect(room.occurrences.count == 1)
        #expect(room.coordinator.strangers.unknown == 100)
        #expect(room.sink.taken.isEmpty && room.outgoing.isEmpty)
        #expect(room.coordinator.reports(now: room.now).isEmpty)
    }

    @Test(
        "At most 16 wait, one more a second, and whoever falls silent for 10 s makes room: spoofed sources fill nothing"
    )
    func bounded() {
        var room = HostedRoom(RoomConfiguration())
        for number in 0..<5_000 {
            room.frame(1, from: PeerAddress(ipv4: 0x0A00_0000 + UInt32(number), port: 9))
            room.pass(to: room.now + .milliseconds(1))
        }
        #expect(room.coordinator.newcomers.count == 5)
        for number in 0..<30 {
            room.pass(to: room.now + .seconds(1))
            for again in 0...number { room.frame(1, from: PeerAddress(ipv4: 0x0B00_0000 + UInt32(again), port: 9)) }
        }
        #expect(room.coordinator.newcomers.count == LegacySources.mostWaiting)
        room.pass(to: room.now + .seconds(10))
        #expect(room.coordinator.newcomers.isEmpty)
        #expect(room.coordinator.nextDeadline == nil)
    }

    @Test("A machine with all addresses of its network shuts out no other network, and no neighbour")
    func sharedNetwork() {
        func address(_ machine: UInt64, _ port: UInt16) -> PeerAddress {
            PeerAddress(high: 0xFD01 << 48, low: machine, port: port)
        }
        var sources = LegacySources()
        for second in 0..<20 {
            let source = address(1 + UInt64(second % 2), UInt16(100 + second))
            #expect((sources.heard(from: source, at: .second(second)) != nil) == (second < LegacySources.mostWaiting))
        }
        #expect(sources.heard(from: address(9, 5), at: .second(21)) != nil, "a neighbour")
        #expect(sources.heard(from: PeerAddress(ipv4: 0x0A00_0001, port: 5), at: .second(22)) != nil, "another network")
        #expect(sources.heard(from: address(1, 900), at: .second(23)) == nil, "its own share is the largest")
        #expect(sources.waiting.count == LegacySources.mostWaiting)
        #expect(sources.waiting.contains { $0.address == address(9, 5) })
    }

    @Test("One machine that fills all places makes room for another, and for no third of its own")
    func shared() {
        var room = HostedRoom(RoomConfiguration())
        for second in 0..<20 {
            for port in 0...second { room.frame(1, from: PeerAddress(ipv4: 0x0A00_0001, port: UInt16(100 + port))) }
            room.pass(to: room.now + .seconds(1))
        }
        #expect(room.coordinator.newcomers.count == LegacySources.mostWaiting)
        let other = PeerAddress(ipv4: 0x0A00_0002, port: 9)
        room.frame(1, from: other)
        #expect(room.coordinator.newcomers.count == LegacySources.mostWaiting)
        #expect(room.coordinator.newcomers.last?.source == other)
        let before = room.coordinator.newcomers
        room.pass(to: room.now + .seconds(1))
        room.frame(1, from: PeerAddress(ipv4: 0x0A00_0001, port: 999))
        #expect(room.coordinator.newcomers == before)
    }

    @Test("Let in, it has a seat under its address, its samples reach the merge, and nothing of it is kept on disk")
    func seat() throws {
        var room = try seated()
        room.frame(1_020, from: source)
        let report = try #require(room.coordinator.reports(now: room.now).first)
        #expect(report.name == source.description)
        #expect(report.address == source)
        #expect(report.transport == .legacy)
        #expect(report.seatState == .active)
        #expect((report.datagrams.unique, report.samples.delivered) == (2, 2))
        #expect(room.sink.taken.map(\.index) == [0, 1])
        #expect(report.clock?.state == ClockMapping.State.none && report.clock?.uncertaintyNanoseconds == nil)
        #expect(room.disk.isEmpty && room.outgoing.isEmpty)
    }

    @Test("A copy and an older frame are dropped and counted; how many were lost stays unknown, and is not 0")
    func order() throws {
        var room = try seated()
        for milliseconds: UInt64 in [1_050, 1_050, 1_040, 1_060] { room.frame(milliseconds, from: source) }
        let datagrams = try #require(room.coordinator.reports(now: room.now).first).datagrams
        #expect((datagrams.unique, datagrams.duplicate, datagrams.tooOld) == (3, 1, 1))
        let inOrder: [Int64] = [1_010_000_000, 1_050_000_000, 1_060_000_000]
        #expect(room.sink.sampledAt.map(\.nanoseconds) == inOrder)
        room.pass(to: room.now + .seconds(2))
        let link = room.occurrences.compactMap { entry -> Occurrence.LinkChange? in
            if case .link(let change) = entry.what { change } else { nil }
        }
        #expect(link.map(\.state) == [.silent])
        #expect(link.first?.transport == .legacy)
        #expect(link.first?.datagramsMissing == nil && link.first?.samplesMissing == nil)
    }

    @Test("A source that plays has fresh samples; one that stops has none, and each is said")
    func freshness() throws {
        var room = try seated()
        let peer = try #require(room.coordinator.reports(now: room.now).first?.peer)
        for step in 1...30 {
            room.pass(to: room.now + .milliseconds(100))
            room.frame(1_010 + UInt64(step) * 100, from: source)
            let stream = try #require(room.coordinator.detail(of: peer, now: room.now)?.streams.first)
            #expect(stream.age == 0 && !stream.isStale)
            #expect(room.coordinator.glance(at: peer, now: room.now)?.streams.first?.isStale == false)
        }
        room.pass(to: room.now + .seconds(5))
        let stream = try #require(room.coordinator.detail(of: peer, now: room.now)?.streams.first)
        #expect(stream.age == 5_000_000_000 && stream.isStale)
    }

    @Test("One frame from the far future ends nothing; a clock that was set begins a new stream with the second frame")
    func leap() throws {
        var room = try seated()
        room.frame(9_000_000_000, from: source)
        for milliseconds: UInt64 in [1_020, 1_030] { room.frame(milliseconds, from: source) }
        #expect(room.sink.taken.count == 3)
        #expect(room.sink.epochs.values.first == [0])
        #expect(room.coordinator.clockBegan(of: 0) != room.now)
        for milliseconds: UInt64 in [5_000_000, 5_000_010, 5_000_020, 3, 13] { room.frame(milliseconds, from: source) }
        let report = try #require(room.coordinator.reports(now: room.now).first)
        #expect(room.sink.epochs.values.first == [0, 1, 2])
        #expect((report.datagrams.unique, report.datagrams.tooOld) == (6, 3))
        #expect(report.samples.delivered == 6)
        #expect(room.coordinator.clockBegan(of: 0) == room.now)
    }

    @Test("A silent source is lost after 10 s and gone 30 s later; its next frame asks again")
    func silence() throws {
        var room = try seated()
        room.pass(to: .ms(9_999))
        #expect(room.playerStates == [.joined])
        room.pass(to: .s(20))
        room.frame(21_000, from: source)
        #expect(room.playerStates == [.joined, .lost, .back])
        room.pass(to: .s(61))
        #expect(room.playerStates == [.joined, .lost, .back, .lost, .left])
        #expect(room.departed.first?.transport == .legacy)
        room.frame(70_000, from: source)
        #expect(room.coordinator.newcomers.count == 1)
    }

    @Test("Declined or thrown out, it is not listened to until the operator opens the room anew")
    func refused() throws {
        var room = HostedRoom(RoomConfiguration())
        room.frame(1, from: source)
        room.perform(try room.coordinator.decline(nil, message: nil, now: room.now).get())
        room.pass(to: .s(5))
        room.frame(2, from: source)
        #expect(room.coordinator.newcomers.isEmpty)
        room.perform(room.coordinator.unlock(now: room.now))
        room.frame(3, from: source)
        try room.accept(source)
        room.perform(room.coordinator.kick(0, message: nil, now: room.now))
        room.pass(to: .s(10))
        room.frame(4, from: source)
        #expect(room.coordinator.newcomers.isEmpty)
        #expect(room.playerStates == [.joined, .left])
        // What is kept over a restart of the host names nobody who comes then.
        #expect(room.coordinator.bannedControllers.isEmpty)
    }

    @Test("A locked room hears no new source; a full one keeps it waiting")
    func lockedAndFull() throws {
        var room = HostedRoom(RoomConfiguration(seats: 1, policy: .open))
        room.perform(room.coordinator.lock(now: room.now))
        room.frame(1, from: source)
        #expect(room.coordinator.newcomers.isEmpty)
        room.perform(room.coordinator.unlock(now: room.now))
        room.invite(Guest(1))
        room.frame(2, from: source)
        let answer = room.coordinator.accept(nil, now: room.now)
        #expect(answer == .failure(.full))
        #expect(room.coordinator.newcomers.count == 1)
    }

    @Test("More than 500 frames a second are dropped and counted")
    func tooMany() throws {
        var room = try seated()
        for tick in 1...2_000 { room.frame(1_010 + UInt64(tick), from: source) }
        let datagrams = try #require(room.coordinator.reports(now: room.now).first).datagrams
        #expect((datagrams.unique, datagrams.rateLimited) == (500, 1_501))
    }

    @Test("What is no sound frame is malformed, from a seated source too; a frame elsewhere speaks for nobody")
    func malformed() throws {
        var room = try seated()
        let frame = HostedRoom.frame(1_020)
        for length in 0..<frame.count { room.receiveLegacy(Array(frame[..<length]), from: source) }
        room.frame(1_020, from: .lan(8))
        #expect(room.coordinator.strangers.malformed == 36)
        #expect(room.sink.taken.count == 1)
    }

    @Test("It can be told nothing: no haptic, no message, no data")
    func mute() throws {
        var room = try seated()
        let haptic = room.coordinator.play(intensity: 1, sharpness: 1, on: 0)
        let isTold = [room.coordinator.identify(0), room.coordinator.sendNewest([1], channel: 0, to: 0)]
        #expect(haptic == nil)
        #expect(isTold == [false, false])
    }
}

extension HostedRoom {
    static func frame(_ milliseconds: UInt64) -> [UInt8] {
        let frame = LegacyFrame(milliseconds: milliseconds, acceleration: SIMD3(0, 0, -1), rotationRate: .zero)
        var bytes = [UInt8](repeating: 0, count: LegacyFrame.size)
        bytes.withUnsafeMutableBytes { buffer in
            var writer = ByteWriter(buffer)
            frame.write(to: &writer)
        }
        return bytes
    }

    fileprivate mutating func frame(_ milliseconds: UInt64, from source: PeerAddress) {
        receiveLegacy(Self.frame(milliseconds), from: source)
    }

    mutating func receiveLegacy(_ bytes: [UInt8], from source: PeerAddress) {
        bytes.withUnsafeBytes { coordinator.receiveLegacy($0, from: source, arrivedAt: now, now: now, sink: &sink) }
        perform(coordinator.takeActions())
    }

    fileprivate mutating func accept(_ source: PeerAddress) throws {
        perform(try coordinator.accept(source.description, now: now).get())
    }
}

extension HostTime {
    fileprivate static func second(_ number: Int) -> HostTime { HostTime(nanoseconds: Int64(number) * 1_000_000_000) }
}
