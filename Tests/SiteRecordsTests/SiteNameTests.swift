import SiteRecords
import Testing

/// What of people's and strangers' words may stand in a subject, an address, a list.
struct SiteNameTests {
    @Test(
        "A site's name holds nothing that means something in a subject",
        arguments: [
            "", "a.b", "a*", ">", "a b", "Arcade", "café", "a\nb", String(repeating: "a", count: 33), "$JS",
        ])
    func refusedName(_ text: String) { #expect(SiteName(text) == nil) }

    @Test("Names, subjects and the stream are those of the documentation")
    func subjects() throws {
        let site = try #require(SiteName("museum-2"))
        let subjects = SiteSubjects(site)
        let room = "00ff"
        #expect(subjects.stream == "RF_museum-2_EVENTS" && subjects.allEvents == "rf.museum-2.*.events")
        #expect(subjects.events(room) == "rf.museum-2.00ff.events" && subjects.ask(room) == "rf.museum-2.00ff.ask")
        #expect(subjects.motion(room, player: 3) == "rf.museum-2.00ff.motion.3")
        #expect(subjects.room(in: "rf.museum-2.00ff.status") == room)
        #expect(subjects.room(in: "rf.other.00ff.status") == nil && subjects.room(in: "rf.museum-2") == nil)
    }

    @Test(
        "A room cannot put anything else than its digits into a subject", arguments: ["a.b", "*", ">", "", "A B", "é"])
    func strangeRoom(_ room: String) {
        let tokens = SiteSubjects(.usual).status(room).split(separator: ".", omittingEmptySubsequences: false)
        #expect(tokens.count == 4 && tokens[3] == "status" && !tokens[2].isEmpty)
        #expect(!tokens[2].contains { "*> ".contains($0) })
    }

    @Test(
        "A broker's address is told without its password",
        arguments: [
            ("nats://10.0.0.7", "nats://10.0.0.7:4222"), ("10.0.0.7:4333", "nats://10.0.0.7:4333"),
            ("tls://u:p%40ss@broker.example.org:5000/", "tls://broker.example.org:5000"),
            ("nats://[::1]:4222", "nats://[::1]:4222"), ("NATS://t0ken@localhost", "nats://localhost:4222"),
        ])
    func address(_ text: String, _ shown: String) throws {
        let address = try #require(BrokerAddress(text))
        #expect(address.description == shown)
        #expect(!"\(address)".contains("p@ss") && !"\(address)".contains("t0ken"))
    }

    @Test("What stands before the host is decoded")
    func secrets() throws {
        let address = try #require(BrokerAddress("nats://host:p%40s%3As@h:1"))
        #expect(address.user == "host" && address.password == "p@s:s" && address.port == 1)
        let token = try #require(BrokerAddress("nats://s3cret@h"))
        #expect(token.user == "s3cret" && token.password == nil)
    }

    @Test(
        "What is no address is refused",
        arguments: [
            "", "nats://", "http://h:80", "nats://h:0", "nats://h:99999", "nats://h:x", "nats://h h", "nats://h/x",
            "nats://[::1",
            "nats://@h", "nats://%zz@h", "nats://u:%0a@h", "nats://a,b", "nats://h:4222:1",
        ])
    func refusedAddress(_ text: String) { #expect(BrokerAddress(text) == nil) }

    @Test("Brokers of a cluster stand with commas between; one that is no address spoils them all; nine are too many")
    func cluster() {
        let three = SiteOptions(broker: "nats://a, tls://b:5000 ,c")
        #expect(three.place == "nats://a:4222, tls://b:5000, nats://c:4222" && three.problem == nil)
        for text in ["a,", ",a", "a,,b", "a,http://b", Array(repeating: "a", count: 9).joined(separator: ",")] {
            let options = SiteOptions(broker: text)
            #expect(options.addresses.isEmpty && options.place.isEmpty && options.problem != nil)
        }
        for text in ["nats://tok,en@h", "nats://u:123,w@h", "nats://u:p@a, nats://u:x,y@b"] {
            let options = SiteOptions(broker: text)
            #expect(options.addresses.isEmpty && options.problem?.contains("%2C") == true)
        }
        #expect(SiteOptions(broker: "nats://u:p%2Cw@a,nats://u:q@b").problem == nil)
        #expect(SiteOptions(broker: "nats://u:p@a,b").problem?.contains("site-credentials") == true)
        #expect(SiteOptions(broker: "nats://u:p@a,b", credentials: "file").problem == nil)
        let mixed = SiteOptions(broker: "tls://a,nats://b", authorities: "ca.pem")
        #expect(mixed.problem?.contains("tls://") == true)
    }

    @Test("Pauses grow from a quarter of a second to ten, and begin anew")
    func pauses() {
        var pause = GrowingPause(seed: 7)
        let first = (0..<8).map { _ in pause.milliseconds() }
        #expect((250...313).contains(first[0]) && (10_000...12_500).contains(first[7]))
        pause.reset()
        #expect((250...313).contains(pause.milliseconds()))
    }
}

/// Which room is meant, and which has fallen silent.
struct SiteDirectoryTests {
    private func room(_ name: String, _ id: String, host: String = "one") -> SiteRoom {
        SiteRoom(
            site: "main", room: id, name: name, host: host, at: 0, opened: "", game: nil, policy: "open", seats: 4,
            freeSeats: 4, isLocked: false, waiting: 0, players: [], playing: 0, problems: [])
    }

    @Test("A room is meant by its name, its id or the beginning of it; two of one name are named with their hosts")
    func finding() throws {
        var directory = SiteDirectory()
        #expect(throws: SiteDirectory.Unclear.noRooms) { try directory.find(nil) }
        directory.note(room("Hall", "aaaa1111"), now: 0)
        #expect(try directory.find(nil).room == "aaaa1111")
        directory.note(room("Hall", "bbbb2222", host: "two"), now: 0)
        directory.note(room("Attic", "aaaa3333"), now: 0)
        #expect(try directory.find("bbbb").host == "two" && directory.find("Attic").room == "aaaa3333")
        #expect(throws: SiteDirectory.Unclear.several(["\"Hall\" (aaaa1111, on one)", "\"Hall\" (bbbb2222, on two)"])) {
            try directory.find("Hall")
        }
        #expect(throws: SiteDirectory.Unclear.self) { try directory.find("aaaa") }
        #expect(throws: SiteDirectory.Unclear.self) { try directory.find("aaa") }
        #expect(try directory.find("attic").room == "aaaa3333")
        // A name is its host's to choose: none hides another room's id.
        directory.note(room("bbbb2222", "cccc4444"), now: 0)
        #expect(try directory.find("bbbb2222").name == "Hall" && directory.find("cccc").name == "bbbb2222")
    }

    @Test("Of several rooms a word means those of the first way in which any is meant, also where two are called so")
    func choosing() {
        let rooms = [room("Hall", "aaaa1111"), room("HALL", "bbbb2222"), room("Hall", "cccc3333")]
        #expect(rooms.meant(by: "Hall").map(\.room) == ["aaaa1111", "cccc3333"])
        #expect(rooms.meant(by: "HALL").map(\.room) == ["bbbb2222"])
        #expect(rooms.meant(by: "hall").count == 3 && rooms.meant(by: "attic").isEmpty)
    }

    @Test("Of a site's records those are of a room that its id, the beginning of it, or its very name say")
    func filtering() {
        func isMeant(by word: String) -> Bool { SiteRoom.isMeant(by: word, name: "Hall", room: "aaaa1111") }
        for word in ["Hall", "aaaa1111", "AAAA", "aaaa"] { #expect(isMeant(by: word), "\(word)") }
        for word in ["", "aaa", "Hal", "hall", "HALL", "P1", "aaaa1112"] { #expect(!isMeant(by: word), "\(word)") }
    }

    @Test("A room that says nothing for three and a half seconds is silent, until it speaks again")
    func silence() {
        var directory = SiteDirectory()
        directory.note(room("Hall", "aaaa1111"), now: 1_000)
        #expect(directory.entries(now: 4_400).first?.silentForMs == nil)
        #expect(directory.entries(now: 9_000).first?.silentForMs == 8_000)
        directory.note(room("Hall", "aaaa1111"), now: 9_500)
        #expect(directory.entries(now: 9_600).first?.silentForMs == nil)
    }

    @Test("Two hosts of one copied folder are a problem in words for as long as both speak; a room opened anew is none")
    func twins() {
        func word(_ opened: String) -> SiteRoom {
            var word = room("Hall", "aaaa1111")
            word.opened = opened
            return word
        }
        var directory = SiteDirectory()
        for second in 0..<4 { directory.note(word("first"), now: Double(second) * 1_000) }
        for second in 4..<8 { directory.note(word("second"), now: Double(second) * 1_000) }
        #expect(directory.entries(now: 7_000).first?.entry.room.problems == [])
        for second in 8..<12 {
            directory.note(word("first"), now: Double(second) * 1_000)
            directory.note(word("second"), now: Double(second) * 1_000 + 400)
        }
        let problems = directory.entries(now: 12_000).first?.entry.room.problems
        #expect(problems?.count == 1 && problems?.first?.contains("copied") == true)
        for second in 12..<16 { directory.note(word("second"), now: Double(second) * 1_000) }
        #expect(directory.entries(now: 15_500).first?.entry.room.problems == [])
    }

    @Test("What strangers make up has an end")
    func bound() {
        var directory = SiteDirectory()
        for number in 0..<SiteDirectory.mostRooms + 500 { directory.note(room("R", "\(number)"), now: 0) }
        #expect(directory.entries(now: 0).count == SiteDirectory.mostRooms)
    }

    @Test(
        "However long another host says that it is away, it is told", arguments: [1e300, -1e300, .infinity, .nan, 7.9])
    func away(seconds: Double) {
        let standing = SiteStanding(site: "main", broker: "hall:4222", state: .away, forSeconds: seconds)
        #expect(standing.line.contains(seconds == 7.9 ? "away for 7 s" : "away for "))
    }
}
