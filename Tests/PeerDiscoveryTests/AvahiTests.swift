import PeerDiscovery
import Testing
import WireProtocol

/// What we promise of discovery, through real daemons. Their rooms are on networks that this process is not on, so none
/// of them is asked whether it answers.
@Suite("Discovery through avahi-daemon", .serialized, .needsAvahi, PrivateNetwork(), .timeLimit(.minutes(4)))
struct AvahiTests {
    /// Each test has a room of its own, because the goodbyes of the one before may still be on their way.
    private let record = RoomRecord(
        id: roomID(.random(in: .min ... .max)), protocolVersion: 1, game: GameLabel("keepcalm"), freeSeats: 3,
        totalSeats: 4,
        policy: .code, pin: Pin(bytes: Array(0..<32)))

    /// Through the daemon of the private network alone: this process itself is on the machine's own.
    private func advertise(
        _ name: String, _ port: UInt16, _ record: RoomRecord, interface: String? = nil
    ) throws -> RoomAdvertiser {
        RoomAdvertiser(
            name: try RoomName(name), port: port, record: record, interface: interface, discovery: .daemon)
    }

    @Test("An independent client sees exactly the TXT record that we claim, and nothing once we stopped")
    func publish() async throws {
        let advertiser = try advertise("Living Room", 7777, record)
        #expect(await advertiser.publishedName() == "Living Room")
        let lines = try PrivateNetwork.seenByNeighbour { !$0.isEmpty }
        #expect(!lines.isEmpty)
        for line in lines {
            #expect(line.contains(#";Living\032Room;_roomful._tcp;local;"#) && line.contains(";7777;"))
            #expect(txt(of: line) == Set(record.strings.map { String(decoding: $0, as: UTF8.self) }))
        }
        await advertiser.stop()
        #expect(try PrivateNetwork.isForgottenByNeighbour())
        #expect(AvahiCensus.total == 0)
    }

    @Test("A room is found with its addresses and record, and changes of the record are seen while it runs")
    func update() async throws {
        let browser = RoomBrowser(game: GameLabel("keepcalm"), discovery: .daemon, asksRooms: false)
        let advertiser = try advertise("Kitchen", 7778, record, interface: PrivateNetwork.isLAN ? nil : "lo")
        let found = try #require(await browser.room("Kitchen"))
        #expect(found.record == record && found.liveness == .announced)
        #expect(found.endpoints.allSatisfy { $0.port == 7778 })
        let fewer = record.changed { $0.freeSeats = 2 }
        await advertiser.update(fewer)
        #expect(await browser.room("Kitchen") { $0.record == fewer } != nil)
        let seen = try PrivateNetwork.seenByNeighbour { $0.first.map { txt(of: $0).contains("free=2") } ?? false }
        #expect(txt(of: try #require(seen.first)).contains("free=2"))
        await advertiser.stop()
        #expect(await browser.snapshot { $0.rooms.isEmpty }.rooms == [])
        await browser.stop()
        #expect(AvahiCensus.total == 0)
    }

    @Test("A game that changes takes its subtype along")
    func changeOfGame() async throws {
        let browser = RoomBrowser(game: GameLabel("cube"), discovery: .daemon, asksRooms: false)
        let advertiser = try advertise("Attic", 7779, record)
        #expect(await advertiser.publishedName() == "Attic")
        #expect(browser.snapshot().rooms == [])
        let other = record.changed { $0.game = GameLabel("cube") }
        await advertiser.update(other)
        #expect(await browser.room("Attic") { $0.record == other } != nil)
        await advertiser.stop()
        await browser.stop()
    }

    @Test(
        "Odd names make the round trip",
        arguments: [
            "\"Quotes\" & 'more'", "dots. and ... dots", "🎮 👩‍👩‍👧", String(repeating: "é", count: 31) + "x",
            String(repeating: ".", count: 63), "a=b;c,d/e%20_tcp", " leading and trailing ", "Zoë's *[room]*",
        ])
    func oddNames(_ name: String) async throws {
        let advertiser = try advertise(name, 7777, record)
        #expect(await advertiser.publishedName() == name)
        let finding = await RoomBrowser.find(name, timeout: patience, discovery: .daemon, asksRooms: false)
        #expect(finding.matches.map(\.name) == [name])
        await advertiser.stop()
    }

    @Test("A name that is taken becomes another, its operator is told, and both rooms are found")
    func collision() async throws {
        let browser = RoomBrowser(discovery: .daemon, asksRooms: false)
        let first = try advertise("Studio", 7777, record)
        #expect(await first.publishedName() == "Studio")
        let other = RoomRecord(id: roomID(8))
        let second = try advertise("Studio", 7780, other)
        let names = await browser.names(of: record, other, when: ["Studio", "Studio #2"])
        let loser = names[other] == "Studio #2" ? second : first
        let renamed = await loser.first { if case .renamed = $0 { true } else { false } }
        #expect(renamed == .renamed(from: "Studio", to: "Studio #2"))
        let finding = await RoomBrowser.find("Studio #2", timeout: patience, discovery: .daemon, asksRooms: false)
        #expect(finding.matches.map(\.record) == [loser === second ? other : record])
        await first.stop()
        await second.stop()
        await browser.stop()
    }

    @Test("Another machine's room is found with its addresses; when ours has the same name, one of the two is renamed")
    func neighbour() async throws {
        let theirs = RoomRecord(id: roomID(.random(in: .min ... .max)), totalSeats: 2)
        let strings = theirs.strings.map { String(decoding: $0, as: UTF8.self) }
        try await PrivateNetwork.whileNeighbourPublishes("Terrace", port: 9999, strings) {
            let browser = RoomBrowser(discovery: .daemon, asksRooms: false)
            let found = try #require(await browser.room("Terrace") { !PrivateNetwork.isLAN || $0.endpoints.count == 2 })
            #expect(found.record == theirs)
            if PrivateNetwork.isLAN {
                #expect(found.endpoints.first?.description == "10.77.0.2:9999")
                #expect(found.endpoints.last?.address.description.contains(/^f[de]/) == true)
            }
            let advertiser = try advertise("Terrace", 7777, record)
            let ours = await browser.names(of: theirs, record, when: ["Terrace", "Terrace #2"])[record]
            #expect(await advertiser.first { $0 == .published(name: ours ?? "") } != nil)
            await advertiser.stop()
            await browser.stop()
        }
    }

    @Test("What a neighbour publishes under our type without being a room is seen, counted and not listed")
    func forgery() async throws {
        let strings = ["txtvers=1", "id=zz", "id=\(roomID(1))", "=x", "free", "seats=99999999999999"]
        try await PrivateNetwork.whileNeighbourPublishes("\u{1b}[31mA\\.B", port: 1, strings) {
            try await expectRejected("\u{1b}[31mA\\.B", displayedAs: "\\u{1b}[31mA\\.B")
        }
    }

    @Test("An announcement with an empty TXT record is seen, counted and not listed")
    func emptyRecord() async throws {
        try await PrivateNetwork.whileNeighbourPublishes("Void", port: 1, []) {
            try await expectRejected("Void", displayedAs: "Void")
        }
    }

    /// An announcement of that name is seen, and its record judged.
    private func expectRejected(_ name: String, displayedAs display: String) async throws {
        let browser = RoomBrowser(discovery: .daemon, asksRooms: false)
        #expect(
            try await eventually {
                let nearby = browser.snapshot()
                return nearby.displayNames.contains(display) && nearby.tally.rejectedRecords > 0
            }, "\(browser.snapshot())")
        #expect(browser.snapshot().rooms(named: name) == [])
        await browser.stop()
    }

    @Test("Searching for a name that nobody has says who is there instead")
    func unknownName() async throws {
        let advertiser = try advertise("Garage", 7777, record)
        #expect(await advertiser.publishedName() == "Garage")
        var finding: RoomFinding
        let deadline = ContinuousClock.now + patience
        // Who else is there, it hears within two seconds, unless the machine stands still for as long.
        repeat {
            finding = await RoomBrowser.find("Garaje", timeout: .seconds(2), discovery: .daemon, asksRooms: false)
            #expect(finding.matches == [])
        } while !finding.nearby.displayNames.contains("Garage") && ContinuousClock.now < deadline
        #expect(finding.nearby.displayNames.contains("Garage"))
        #expect(finding.nearby.availability == .running)
        await advertiser.stop()
        #expect(AvahiCensus.total == 0)
    }

    @Test("A daemon that hangs holds up nobody who stops, and gives the room up when it goes on")
    func daemonHangs() async throws {
        let advertiser = try advertise("Balcony", 7777, record)
        #expect(await advertiser.publishedName() == "Balcony")
        try PrivateNetwork.daemon("pause")
        await advertiser.stop()
        // Had it waited for the daemon, nothing would be left of it.
        #expect(AvahiCensus.total > 0)
        try PrivateNetwork.daemon("resume")
        #expect(try PrivateNetwork.isForgottenByNeighbour())
        #expect(try await eventually { AvahiCensus.total == 0 })
    }

    @Test("A daemon that hung while somebody began to look around is made use of once it goes on")
    func daemonHangsAtFirst() async throws {
        let advertiser = try advertise("Veranda", 7777, record)
        #expect(await advertiser.publishedName() == "Veranda")
        try PrivateNetwork.daemon("pause")
        let browser = RoomBrowser(discovery: .daemon, asksRooms: false)
        // D-Bus waits 25 s for its answer.
        let isSaid = try await eventually {
            if case .unavailable = browser.snapshot().availability { true } else { false }
        }
        try PrivateNetwork.daemon("resume")
        #expect(isSaid, "browsing with a daemon that hangs calls itself \(browser.snapshot().availability)")
        #expect(await browser.room("Veranda") != nil)
        await advertiser.stop()
        await browser.stop()
        #expect(AvahiCensus.total == 0)
    }

    @Test("When the daemon is killed and started again, the room is published again and found again")
    func daemonRestarts() async throws {
        let advertiser = try advertise("Cellar", 7777, record)
        #expect(await advertiser.publishedName() == "Cellar")
        let browser = RoomBrowser(discovery: .daemon, asksRooms: false)
        #expect(await browser.room("Cellar")?.liveness == .announced)

        try PrivateNetwork.daemon("kill")
        #expect(await advertiser.first { if case .daemonMissing = $0 { true } else { false } } != nil)
        #expect(await browser.room("Cellar") { $0.liveness == .unconfirmed } != nil)
        let fewer = record.changed { $0.freeSeats = 0 }
        await advertiser.update(fewer)

        try PrivateNetwork.daemon("start")
        #expect(await advertiser.publishedName() == "Cellar")
        #expect(await browser.room("Cellar") { $0.liveness == .announced && $0.record == fewer } != nil)
        await advertiser.stop()
        await browser.stop()
        #expect(AvahiCensus.total == 0)
    }

    @Test("A host and a player that start before the daemon meet once it is there")
    func daemonComesLate() async throws {
        try PrivateNetwork.daemon("stop")
        let browser = RoomBrowser(discovery: .daemon, asksRooms: false)
        let advertiser = try advertise("Early", 7777, record)
        #expect(await advertiser.first { if case .daemonMissing = $0 { true } else { false } } != nil)
        let isSaid = try await eventually {
            if case .unavailable = browser.snapshot().availability { true } else { false }
        }
        #expect(isSaid, "browsing without a daemon calls itself \(browser.snapshot().availability)")
        try PrivateNetwork.daemon("start")
        #expect(await browser.room("Early") != nil)
        await advertiser.stop()
        await browser.stop()
    }

    @Test("When D-Bus itself dies and comes back, so does the room")
    func busRestarts() async throws {
        let advertiser = try advertise("Loft", 7777, record)
        #expect(await advertiser.publishedName() == "Loft")
        try PrivateNetwork.bus("kill")
        let missing = await advertiser.first { if case .daemonMissing = $0 { true } else { false } }
        #expect(missing != nil)
        try PrivateNetwork.daemon("kill")
        let homeless = RoomBrowser(discovery: .daemon, asksRooms: false)
        try PrivateNetwork.bus("start")
        try PrivateNetwork.daemon("start")
        #expect(await advertiser.publishedName() == "Loft")
        #expect(await homeless.room("Loft")?.record == record)
        await advertiser.stop()
        await homeless.stop()
        #expect(AvahiCensus.total == 0)
    }

    @Test("An interface that does not exist is a failure that says so")
    func unknownInterface() async throws {
        let advertiser = try advertise("Nowhere", 7777, record, interface: "no-such-if0")
        let failure = await advertiser.first { if case .failed = $0 { true } else { false } }
        #expect(failure == .failed(reason: "there is no network interface named no-such-if0"))
        await advertiser.stop()
        #expect(AvahiCensus.total == 0)
    }

    @Test("Many that come and go leave nothing behind, stopped or just dropped")
    func churn() async throws {
        for round in 0..<20 {
            let advertiser = try advertise("Churn", 7777, record)
            let browser = RoomBrowser(discovery: .daemon, asksRooms: false)
            if round.isMultiple(of: 2) {
                await advertiser.stop()
                await browser.stop()
            }
        }
        // One thread does everything in order, so whatever was dropped before is through when this is.
        let last = RoomBrowser(discovery: .daemon, asksRooms: false)
        await last.stop()
        #expect(AvahiCensus.total == 0)
        #expect(try PrivateNetwork.isForgottenByNeighbour())
    }

    /// The quoted strings at the end of a line of `avahi-browse --parsable`.
    private func txt(of line: Substring) -> Set<String> {
        Set(line.split(separator: "\"").dropFirst().map(String.init).filter { $0 != " " })
    }
}
