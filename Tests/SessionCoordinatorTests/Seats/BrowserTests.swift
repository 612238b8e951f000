import SessionCoordinator
import Testing
import WireProtocol

@Suite("A browser takes a seat like any other controller, on the connection that it asked on")
struct BrowserTests {
    private var room = HostedRoom(RoomConfiguration(policy: .open))

    /// A page, by the words of its wire: what it sends bears neither seal nor tag.
    private struct Page {
        var conversation: ConversationID
        var pad: Pad
        let seated: Seated

        init?(_ guest: Guest, in room: inout HostedRoom, over transport: Transport = .wss) {
            conversation = room.newConversation()
            guard let seated = room.invite(guest, from: conversation, over: transport)?.seat,
                let key = LinkKey(bytes: [UInt8](repeating: 0, count: 32)),
                let pad = Pad(connection: ConnectionID(rawValue: seated.link.connection), key: key)
            else { return nil }
            (self.pad, self.seated) = (pad, seated)
        }

        mutating func samples(_ indexes: Range<UInt32>) -> [UInt8] { bare(pad.samples(indexes)) }
        mutating func heartbeat() -> [UInt8] { bare(pad.datagram()) }
        mutating func goodbye(_ reason: GoodbyeReason) -> [UInt8] { bare(pad.goodbye(reason)) }

        private func bare(_ sealed: [UInt8]) -> [UInt8] {
            var bytes = sealed
            bytes.withUnsafeMutableBytes { buffer in
                guard let header = try? DatagramHeader(reading: UnsafeRawBufferPointer(buffer)) else { return }
                _ = TestCipher().open(
                    buffer, headerLength: DatagramHeader.size, key: pad.motionKey, number: header.number)
            }
            bytes[0] = WireFormat.version << 4 | DatagramHeader.Kind.browserMotion.rawValue
            return Array(bytes.dropLast(sealTagLength))
        }
    }

    @Test(
        "Its samples are booked and acknowledged on its connection, and its datagram loss is unknown, never 0",
        arguments: [Transport.wss, .post])
    mutating func plays(over transport: Transport) throws {
        var page = try #require(Page(Guest(1), in: &room, over: transport))
        for index: UInt32 in 0..<50 {
            room.pass(to: .ms(Double(index) * 20))
            room.receive(unsealed: page.samples(index..<index + 1), from: page.conversation)
        }
        let report = try #require(room.report(of: Guest(1)))
        #expect(report.samples.delivered == 50 && report.samples.missing == 0)
        #expect(report.transport == transport && !report.transport.countsLosses)
        #expect(report.seatState == .active)
        #expect(!room.unsealed.isEmpty && room.outgoing.isEmpty)
        #expect(room.unsealed.allSatisfy { $0.conversation == page.conversation })
        let header = room.unsealed[0].bytes.withUnsafeBytes { try? DatagramHeader(reading: $0) }
        #expect(header?.kind == .browserFeedback)
    }

    @Test("It gets no keys, as TLS seals what it sends")
    mutating func noKeys() throws {
        let seated = try #require(room.invite(Guest(1), over: .wss)?.seat)
        #expect(seated.link.suite == nil && seated.link.motionKey.isEmpty && seated.link.feedbackKey.isEmpty)
    }

    @Test("Another's connection cannot speak for its seat, nor can UDP, and nobody's books change")
    mutating func bound() throws {
        var page = try #require(Page(Guest(1), in: &room))
        let other = try #require(Page(Guest(2), in: &room))
        room.receive(unsealed: page.samples(0..<1), from: other.conversation)
        room.receive(page.pad.samples(1..<2), from: .lan(9))
        #expect(room.coordinator.strangers.unknown == 2)
        #expect(room.report(of: Guest(1))?.samples.delivered == 0)
    }

    @Test("A native controller's link takes nothing unsealed, and a browser's nothing of another kind")
    mutating func kinds() throws {
        let conversation = room.newConversation()
        var pad = try #require(Pad(room.invite(Guest(1), from: conversation)?.seat))
        var bytes = pad.samples(0..<1)
        bytes[0] = WireFormat.version << 4 | DatagramHeader.Kind.browserMotion.rawValue
        room.receive(unsealed: bytes, from: conversation)
        var page = try #require(Page(Guest(2), in: &room))
        var sealedKind = page.samples(0..<1)
        sealedKind[0] = WireFormat.version << 4 | DatagramHeader.Kind.motion.rawValue
        room.receive(unsealed: sealedKind, from: page.conversation)
        #expect(room.coordinator.strangers.unknown == 1 && room.coordinator.strangers.malformed == 1)
    }

    @Test("A POST that is tried again counts once")
    mutating func retried() throws {
        var page = try #require(Page(Guest(1), in: &room, over: .post))
        let datagram = page.samples(0..<3)
        room.receive(unsealed: datagram, from: page.conversation)
        room.receive(unsealed: datagram, from: page.conversation)
        let report = try #require(room.report(of: Guest(1)))
        #expect(report.samples.delivered == 3 && report.datagrams.unique == 1 && report.datagrams.duplicate == 1)
    }

    @Test("A hidden page keeps its seat for the grace period, and is back on a new connection with its secret")
    mutating func hidden() throws {
        var first = try #require(Page(Guest(1), in: &room))
        let seated = first.seated
        room.receive(unsealed: first.heartbeat(), from: first.conversation)
        var page = try #require(Page(Guest(2), in: &room))
        room.receive(unsealed: page.goodbye(.paused), from: page.conversation)
        #expect(room.report(of: Guest(2))?.seatState == .lost)
        room.receive(unsealed: page.heartbeat(), from: page.conversation)
        #expect(room.report(of: Guest(2))?.seatState == .active)
        let again = try #require(room.invite(Guest(1).returning(with: seated), over: .wss)?.seat)
        #expect(again.seat == seated.seat && again.continues)
        #expect(room.closed.contains(first.conversation))
    }

    @Test("The host names it by colour and animal, the same in every room; the operator may call it otherwise")
    mutating func named() throws {
        let page = try #require(Page(Guest(1, name: "<b>me</b>"), in: &room))
        let name = try #require(room.report(of: Guest(1))?.name)
        #expect(name.hasPrefix("Blue "))
        let index = try room.coordinator.find(name).get()
        room.perform(try room.coordinator.rename(index, to: "Ada\u{7}", now: room.now).get())
        #expect(room.report(of: Guest(1))?.name == "Ada")
        #expect(room.answers[page.conversation]?.last == .renamed(Renamed(name: "Ada")))
        #expect(room.disk.contains { $0.name == "Ada" })
        #expect(room.coordinator.rename(index, to: "", now: room.now) == .failure(.badName))
        var free = HostedRoom(RoomConfiguration(policy: .open, names: .free))
        _ = free.invite(Guest(1, name: "Ada"), over: .wss)
        #expect(free.report(of: Guest(1))?.name == "Ada")
    }

    @Test("What its page says of its sensor is kept as far as it can be true")
    mutating func sensor() throws {
        let page = try #require(Page(Guest(1), in: &room))
        var said = SensorReport()
        said.rate = 60
        said.longestGap = .infinity
        said.permission = "<script>"
        said.sign = 7
        room.coordinator.learn(said, from: page.conversation)
        let kept = try #require(room.report(of: Guest(1))?.sensor)
        #expect(kept.rate == 60 && kept.longestGap == nil && kept.permission == nil && kept.sign == nil)
    }
}
