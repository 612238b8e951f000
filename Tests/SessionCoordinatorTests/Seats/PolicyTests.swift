import SessionCoordinator
import Testing
import WireProtocol

@Suite("Who is let in, and that everyone is answered")
struct PolicyTests {
    @Test("A full room says so, and when it makes sense to ask again; a seat that is freed is given away")
    func full() throws {
        var room = HostedRoom(RoomConfiguration(seats: 2, policy: .open))
        var pad = try #require(Pad(room.invite(Guest(1))?.seat))
        room.invite(Guest(2))
        let refusal = room.invite(Guest(3))?.refusal
        #expect(refusal?.reason == .full && refusal?.retryAfter == 10_000)
        room.receive(pad.goodbye(.left), from: pad.address)
        #expect(room.invite(Guest(3))?.seat?.seat == 1)
    }

    @Test(
        "The words agree with the number of seats",
        arguments: [(1, "The only seat is taken."), (2, "All 2 seats are taken.")])
    func words(seats: Int, words: String) {
        var room = HostedRoom(RoomConfiguration(seats: seats, policy: .open))
        for guest in 1...seats { room.invite(Guest(UInt64(guest))) }
        #expect(room.invite(Guest(9))?.refusal?.message == words)
    }

    @Test(
        "Of a storm of twice as many controllers as seats exactly the seats are taken, the others refused: P9",
        arguments: [4, 21, 500])
    func storm(seats: Int) {
        var room = HostedRoom(RoomConfiguration(seats: seats, policy: .open))
        let answers = (1...2 * seats).map { room.invite(Guest(UInt64($0), name: "Pad")) }
        #expect(answers.compactMap { $0?.seat?.seat } == Array(1...seats))
        #expect(answers.filter { $0?.refusal?.reason == .full }.count == seats)
        #expect(room.closed.count == seats)
        #expect(room.coordinator.freeSeats == 0)
        #expect(Set(room.disk.map(\.name)).count == seats)
    }

    @Test("A locked room lets nobody new in, but those who have a seat may return to it")
    func locked() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        let seated = try #require(room.invite(Guest(1))?.seat)
        room.perform(room.coordinator.lock(now: room.now))
        #expect(room.invite(Guest(2))?.refusal?.reason == .locked)
        #expect(room.invite(Guest(1).returning(with: seated))?.seat?.seat == 1)
        room.perform(room.coordinator.unlock(now: room.now))
        #expect(room.invite(Guest(2))?.seat != nil)
    }

    @Test("A room with a code wants it, and says whether it is missing or wrong")
    func code() {
        var room = HostedRoom(RoomConfiguration(policy: .code, code: "RIGHT"))
        #expect(room.invite(Guest(1))?.refusal?.reason == .wrongCode)
        #expect(room.invite(Guest(1, code: "WRONG"))?.refusal?.reason == .wrongCode)
        #expect(room.invite(Guest(1, code: "RIGHT"))?.seat != nil)
    }

    @Test(
        "A code counts however it is typed: small letters, without its dash, with an O for a 0 and an L for a 1",
        arguments: ["70QM-2X1D", "70qm2x1d", " 7OQM 2XlD", "7oqm-2xid"])
    func typing(code: String) {
        var room = HostedRoom(RoomConfiguration(policy: .code, code: "70QM-2X1D"))
        #expect(room.invite(Guest(1, code: "70QM-2X1E"))?.refusal?.reason == .wrongCode)
        #expect(room.invite(Guest(1, code: code))?.seat != nil)
    }

    @Test("Ten wrong codes a minute stop the looking at codes; those who are seated notice nothing: A5")
    func guessing() throws {
        var room = HostedRoom(RoomConfiguration(policy: .code, code: "RIGHT"))
        let seated = try #require(room.invite(Guest(1, code: "RIGHT"))?.seat)
        var pad = try #require(Pad(seated))
        for guess in 0..<10 {
            #expect(room.invite(Guest(UInt64(100 + guess), code: "W\(guess)"))?.refusal?.reason == .wrongCode)
        }
        let refusal = room.invite(Guest(2, code: "RIGHT"))?.refusal
        #expect(refusal?.reason == .tooManyAttempts)
        #expect(refusal?.retryAfter == 60_001)
        room.receive(pad.datagram(), from: pad.address)
        #expect(room.seatState(of: Guest(1)) == "active")
        #expect(room.invite(Guest(1).returning(with: seated))?.seat?.seat == 1)
        room.stand(until: .s(60))
        #expect(room.invite(Guest(2, code: "RIGHT"))?.seat != nil)
    }

    @Test("Who guesses at one address locks out nobody at another, and nowhere who scanned the code")
    func guessingElsewhere() throws {
        let scanned = "0123456789ABCDEFGHJKMNPQRS"
        var room = HostedRoom(RoomConfiguration(seats: 30, policy: .code, code: "RIGHT", scannedCode: scanned))
        for guess in 0..<10 { room.invite(Guest(UInt64(100 + guess), code: "W\(guess)"), at: .lan(66)) }
        #expect(room.invite(Guest(1, code: "RIGHT"), at: .lan(66))?.refusal?.reason == .tooManyAttempts)
        #expect(room.invite(Guest(1, code: "RIGHT"), at: .lan(7, port: 9))?.seat != nil)
        // A class behind the guesser's own address, that scanned.
        for pupil in 2...29 { #expect(room.invite(Guest(UInt64(pupil), code: scanned), at: .lan(66))?.seat != nil) }
        // A poster of another room, however often it is scanned, costs those who type nothing.
        for _ in 0..<200 {
            let refusal = room.invite(Guest(30, code: "S" + scanned.dropFirst()), at: .lan(7))?.refusal
            #expect(refusal?.reason == .wrongCode)
        }
        #expect(room.invite(Guest(30, code: "RIGHT"), at: .lan(7))?.seat != nil)
    }

    @Test("Guessing from any number of addresses comes to a hundred tries a minute, then to a hundred in 16 minutes")
    func guessingFromEverywhere() {
        var room = HostedRoom(RoomConfiguration(policy: .code, code: "RIGHT"))
        var looked = 0
        for second in 0..<7_200 {
            room.stand(until: .s(Double(second)))
            for _ in 0..<4 {
                let source = PeerAddress(high: UInt64(looked + second * 7), low: 1, port: 9)
                let reason = room.invite(Guest(1, code: "WRONG"), at: source)?.refusal?.reason
                if reason == .wrongCode { looked += 1 }
            }
        }
        // Closed for 1, 2, 4, 8 and then 16 minutes: ten times a hundred in two hours.
        #expect((900...1_100).contains(looked), "\(looked)")
    }

    @Test("An invitation in which something is wrong is refused in words, before anything else is looked at")
    func badInvitations() {
        var room = HostedRoom(RoomConfiguration(policy: .code, code: "RIGHT"))
        func refusal(_ change: (inout Invitation) -> Void) -> Refusal? {
            var invitation = Guest(1, code: "RIGHT").invitation
            change(&invitation)
            let conversation = room.newConversation()
            let key = LinkKey(a: 0, b: 0, c: 0, d: 0)
            let material = LinkMaterial(
                motionKey: key, feedbackKey: key, probeKey: key, secret: "", secretHash: [], presentedHash: nil)
            room.perform(room.coordinator.invite(invitation, from: conversation, material: material, now: room.now))
            return room.closed.last == conversation ? room.answers[conversation]?.last?.refusal : nil
        }
        /// The field's name as it stands on the wire is in the refusal's words.
        func isNamed(_ field: String, _ change: (inout Invitation) -> Void) -> Bool {
            guard let said = refusal(change), said.reason == .badInvitation else { return false }
            return said.message.split { !$0.isLetter }.contains { $0 == field }
        }
        let isVersion = refusal { $0.v = 2 }?.reason == .wrongVersion
        #expect(isVersion)
        let wrong: [(field: String, change: (inout Invitation) -> Void)] = [
            ("controller", { $0.controller = "xyz" }),
            ("process", { $0.process = "12" }),
            ("name", { $0.name = String(repeating: "x", count: 64) }),
            ("streams", { $0.streams = [] }),
            ("stream", { $0.streams += $0.streams }),
            ("rate", { $0.streams[0].rate = .nan }),
            ("accelerationRange", { $0.streams[0].accelerationRange = -.infinity }),
            ("rotationRange", { $0.streams[0].rotationRange = 0 }),
            ("maximumDepth", { $0.streams[0].maximumDepth = 1 }),
            ("latency", { $0.streams[0].latency = -1 }),
            ("batch", { $0.streams[0].batch = 10_001 }),
            ("location", { $0.streams[0].location = String(repeating: "x", count: 33) }),
            ("buttonGestures", { $0.streams[0].buttonGestures = ["jump"] }),
            ("measures", { $0.streams[0].measures = ["battery"] }),
            ("measures", { $0.streams[0].measures = ["heartbeat"] }),
            ("heartbeat", { $0.streams[0].measures = ["heartbeat"] }),
            ("context", { $0.context = String(repeating: "00", count: 1_025) }),
            ("timeout", { $0.timeout = 0 }),
        ]
        for (field, change) in wrong { #expect(isNamed(field, change), "\(field)") }
        #expect(room.coordinator.freeSeats == 4)
    }

    @Test("The words of a refused version name both: P6")
    func versions() {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var invitation = Guest(1).invitation
        invitation.v = 7
        let key = LinkKey(a: 0, b: 0, c: 0, d: 0)
        let material = LinkMaterial(
            motionKey: key, feedbackKey: key, probeKey: key, secret: "", secretHash: [], presentedHash: nil)
        let conversation = room.newConversation()
        room.perform(room.coordinator.invite(invitation, from: conversation, material: material, now: room.now))
        let message = room.answers[conversation]?.last?.refusal?.message
        #expect(message == "The host speaks version 1, the controller version 7.")
    }
}
