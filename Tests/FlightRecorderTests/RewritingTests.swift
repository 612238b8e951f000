import FlightRecorder
import InputMerge
import RoomEngine
import RoomSimulation
import SessionCoordinator
import Testing
import WireProtocol

@Suite("Tapes on which people are labels, or somebody does not move")
struct RewritingTests {
    private static let short = EveningSize(seats: 3, rate: 50, duration: .seconds(20))

    private struct Told {
        var tape: [UInt8] = []
        var events: [RoomEvent] = []
        var difference: TapeRewriter.Difference?
    }

    private static func digest(_ key: UInt64) -> TapedIdentities.Digest {
        { text in
            var mix = SplitMix64(seed: text.utf8.reduce(key) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
            return (0..<32).map { _ in UInt8(truncatingIfNeeded: mix.next()) }
        }
    }

    /// Rewrites a tape, and plays what came of it as a stranger would find it.
    private func rewrite(
        _ tape: EveningTape, _ identities: TapedIdentities, still: Set<ControllerID> = [],
        stillSources: Set<PeerAddress> = []
    ) throws -> Told {
        var rewriter = TapeRewriter(tape.opening, identities: identities, still: still, stillSources: stillSources)
        var (told, blocks): (Told, [[UInt8]]) = (Told(), [])
        for bytes in tape.blocks {
            var block = try TapeBlock(bytes[...])
            while let (entry, at) = try block.next() {
                rewriter.take(entry, at: at, cipher: ToyCipher())
                for case .event(let event) in rewriter.outputs { told.events.append(event) }
            }
            blocks += rewriter.takeBlocks()
        }
        blocks += rewriter.takeBlocks(isLast: true)
        told.tape = rewriter.opening.bytes + blocks.joined()
        told.difference = rewriter.difference
        var replay = Replay(try Opening(reading: rewriter.opening.bytes))
        var again: [RoomEvent] = []
        for bytes in blocks {
            var block = try TapeBlock(bytes[...])
            while let (entry, at) = try block.next() {
                replay.play(entry, at: at, cipher: ToyCipher())
                for case .event(let event) in replay.outputs { again.append(event) }
            }
        }
        #expect(again == told.events)
        #expect(replay.motionDifference == nil)
        return told
    }

    private func people(_ tape: EveningTape) -> (ids: Set<ControllerID>, names: Set<String>) {
        var (ids, names): (Set<ControllerID>, Set<String>) = ([], [])
        for case .player(let player) in tape.events {
            ids.formUnion(player.controllers)
            names.insert(player.name)
        }
        return (ids, names)
    }

    private func gestures(_ events: [RoomEvent]) -> [GestureEvent] {
        events.compactMap { if case .gesture(let gesture, _) = $0 { gesture } else { nil } }
    }

    /// Haptics that were felt.
    private func felt(_ events: [RoomEvent], but own: Set<PlayerNumber> = []) -> Int {
        events.count { event in
            guard case .haptic(let haptic) = event, case .played = haptic.outcome else { return false }
            return !own.contains(haptic.player)
        }
    }

    @Test(
        "No id, name or word of anybody is on a pseudonymous tape, and the evening is the same", arguments: [5, 21])
    func pseudonyms(seed: UInt64) throws {
        var (all, haptics) = (0, 0)
        for tape in Evening.record(seed: seed, size: Self.short).tapes {
            let told = try rewrite(tape, TapedIdentities(digest: Self.digest(1)))
            let (ids, names) = people(tape)
            for id in ids where !id.description.hasPrefix("6c6567616379") {
                #expect(!contains(told.tape, Array(id.description.utf8)))
                let binary = TapePenProbe.bytes(id)
                #expect(!contains(told.tape, binary))
            }
            for name in names where name.utf8.count > 3 { #expect(!contains(told.tape, Array(name.utf8)), "\(name)") }
            #expect(told.difference == nil)
            #expect(felt(told.events) == felt(tape.events))
            haptics += felt(tape.events)
            #expect(gestures(told.events) == gestures(tape.events))
            all += gestures(tape.events).count
        }
        #expect(all > 0)
        // What seed 21 answers with haptics, and their receipts, once went with people's words.
        #expect(haptics > 0 || seed != 21)
    }

    @Test("Of what somebody calls a button only the room's own gestures are kept; what cannot be declared stays so")
    func buttons() throws {
        var identities = TapedIdentities(digest: Self.digest(1))
        identities.gestures = ["jump"]
        func told(_ names: [String]) throws -> StreamOffer {
            var offer = StreamOffer(StreamDeclaration(measures: .buttons))
            offer.buttonGestures = names
            let invitation = Invitation(
                controller: ControllerID(high: 3, low: 4).description, process: "0000000000000001", name: "Anna",
                streams: [offer], haptics: true)
            let none = LinkKey(a: 0, b: 0, c: 0, d: 0)
            let material = LinkMaterial(
                motionKey: none, feedbackKey: none, probeKey: none, secret: "", secretHash: [], presentedHash: nil)
            return try #require(identities.invitation(invitation, material).invitation.streams.first)
        }
        let told1 = try told(["jump", "Anna's own", "", "*", "+"])
        #expect(told1.buttonGestures == ["jump", "?1", "", "*", "+"])
        guard case .success = told1.declaration() else { return #expect(Bool(false), "refused") }
        // Two buttons of one name, and a name that is too long: refused before and after.
        for names in [["Anna", "Anna"], [String(repeating: "Anna", count: 20)]] {
            let refused = try told(names)
            #expect(refused.buttonGestures?.allSatisfy(\.isEmpty) == true)
            guard case .failure = refused.declaration() else { return #expect(Bool(false), "taken") }
        }
    }

    @Test("The same person has the same label under the same key, and another one under another")
    func labels() {
        let someone = ControllerID(high: 3, low: 4)
        let (one, two) = (TapedIdentities(digest: Self.digest(1)), TapedIdentities(digest: Self.digest(2)))
        #expect(one.controller(someone) == TapedIdentities(digest: Self.digest(1)).controller(someone))
        #expect(one.name(of: someone) == TapedIdentities(digest: Self.digest(1)).name(of: someone))
        #expect(one.controller(someone) != two.controller(someone))
        #expect(one.name(of: someone) != two.name(of: someone))
    }

    @Test("Who is forgotten neither moves nor has a name; all others move and feel as before", arguments: [5, 8, 21])
    func forgotten(seed: UInt64) throws {
        for tape in Evening.record(seed: seed, size: Self.short).tapes {
            let players = tape.events.compactMap { event -> RoomEvent.Player? in
                if case .player(let player) = event { player } else { nil }
            }
            guard let someone = players.first?.controllers.first else { continue }
            let own = Set(players.filter { $0.controllers.contains(someone) }.map(\.player))
            let told = try rewrite(tape, TapedIdentities(only: [someone], digest: Self.digest(9)), still: [someone])
            #expect(!contains(told.tape, Array(someone.description.utf8)))
            #expect(!contains(told.tape, TapePenProbe.bytes(someone)))
            func gestures(_ events: [RoomEvent], _ isMeant: (PlayerNumber) -> Bool) -> [HostTime] {
                events.compactMap {
                    if case .gesture(let gesture, _) = $0, isMeant(gesture.player) { gesture.occurredAt } else { nil }
                }
            }
            #expect(gestures(told.events) { own.contains($0) } == [])
            #expect(gestures(told.events) { !own.contains($0) } == gestures(tape.events) { !own.contains($0) })
            // Their receipts name haptics that have other numbers now.
            #expect(felt(told.events, but: own) == felt(tape.events, but: own))
            #expect(told.difference == nil)
        }
    }

    @Test("With labels nothing is kept of what is no field of a known block, wherever a guest writes it")
    func smuggled() throws {
        let tape = try #require(Evening.record(seed: 5, size: Self.short).tapes.first)
        let (word, long): ([UInt8], [UInt8]) = (Array("SMUGGLED".utf8), [UInt8](repeating: 7, count: 32))
        let hidden: [[UInt8]] = [
            [200, 0, 8] + word, [4, 0, 18] + long.prefix(10) + word, [6, 0, 12] + long.prefix(4) + word,
            [8, 0, 13] + long.prefix(5) + word, [10, 0, 34] + long.prefix(26) + word, [5, 0xFF, 0xFF] + word,
            word.suffix(2),
        ]
        var rewriter = TapeRewriter(tape.opening, identities: TapedIdentities(digest: Self.digest(4)))
        var (blocks, count): ([[UInt8]], Int) = ([], 0)
        for bytes in tape.blocks {
            var block = try TapeBlock(bytes[...])
            while let (entry, at) = try block.next() {
                guard case .datagram(let bytes, let source, let arrivedAt) = entry, bytes.count < 900 else {
                    rewriter.take(entry, at: at, cipher: ToyCipher())
                    continue
                }
                count += 1
                rewriter.take(
                    .datagram(bytes + hidden[count % hidden.count], from: source, arrivedAt: arrivedAt), at: at,
                    cipher: ToyCipher())
            }
            blocks += rewriter.takeBlocks()
        }
        blocks += rewriter.takeBlocks(isLast: true)
        #expect(count > 500 && !contains(blocks.flatMap(\.self), word))
        #expect(rewriter.difference == nil, "what the room made of them is the same")
    }

    /// Who played first.
    private static func someone(in events: [RoomEvent]) throws -> ControllerID {
        try #require(
            events.lazy.compactMap { event -> ControllerID? in
                if case .player(let player) = event { player.controllers.first } else { nil }
            }.first)
    }

    @Test("Of whoever is forgotten no report of a sensor or a battery is left, and everybody else's are")
    func reports() throws {
        let tape = try #require(Evening.record(seed: 5, size: Self.short).tapes.first)
        let someone = try Self.someone(in: tape.events)
        let identities = TapedIdentities(only: [someone], digest: Self.digest(9))
        var rewriter = TapeRewriter(tape.opening, identities: identities, still: [someone])
        var report = SensorReport()
        report.battery = 7
        var (blocks, own, others, told): ([[UInt8]], Int, Int, Int) = ([], 0, 0, 0)
        for bytes in tape.blocks {
            var block = try TapeBlock(bytes[...])
            while let (entry, at) = try block.next() {
                rewriter.take(entry, at: at, cipher: ToyCipher())
                guard case .input(.invite(let invitation, let conversation, _, _, _)) = entry,
                    let controller = ControllerID(invitation.controller)
                else { continue }
                if controller == someone { own += 1 } else { others += 1 }
                rewriter.take(.input(.sensor(report, from: conversation)), at: at, cipher: ToyCipher())
            }
            blocks += rewriter.takeBlocks()
        }
        blocks += rewriter.takeBlocks(isLast: true)
        for bytes in blocks {
            var block = try TapeBlock(bytes[...])
            while let (entry, _) = try block.next() {
                if case .input(.sensor(report, from: _)) = entry { told += 1 }
            }
        }
        #expect(own > 0 && others > 0 && told == others)
    }

    @Test(
        "Whose joining fell into a hole of the tape is forgotten all the same: what is nobody's by the tape does not move"
    )
    func orphaned() throws {
        let tape = try #require(Evening.record(seed: 5, size: Self.short).tapes.first)
        let someone = try Self.someone(in: tape.events)
        let identities = TapedIdentities(only: [someone], digest: Self.digest(9))
        var rewriter = TapeRewriter(tape.opening, identities: identities, still: [someone])
        /// How many bytes of datagrams there are of each connection.
        func sizes(_ blocks: [[UInt8]]) throws -> [UInt32: Int] {
            var sizes: [UInt32: Int] = [:]
            for bytes in blocks {
                var block = try TapeBlock(bytes[...])
                while let (entry, _) = try block.next() {
                    guard case .datagram(let bytes, _, _) = entry,
                        let header = bytes.withUnsafeBytes({ try? DatagramHeader(reading: $0) })
                    else { continue }
                    sizes[header.connection.rawValue, default: 0] += bytes.count
                }
            }
            return sizes
        }
        var (blocks, lost): ([[UInt8]], Set<UInt32>) = ([], [])
        for bytes in tape.blocks {
            var block = try TapeBlock(bytes[...])
            while let (entry, at) = try block.next() {
                if case .input(.invite(let invitation, _, let transport, _, _)) = entry,
                    invitation.controller == someone.description, transport == .udp
                {
                    rewriter.take(
                        .hole(TapeHole(from: at, to: at, entries: 1, bytes: 100)), at: at, cipher: ToyCipher())
                    continue
                }
                rewriter.take(entry, at: at, cipher: ToyCipher())
            }
            blocks += rewriter.takeBlocks()
        }
        blocks += rewriter.takeBlocks(isLast: true)
        var whole = Replay(tape.opening)
        for bytes in tape.blocks {
            var block = try TapeBlock(bytes[...])
            while let (entry, at) = try block.next() {
                whole.play(entry, at: at, cipher: ToyCipher())
                for report in whole.engine.coordinator.reports(now: at) where report.controller == someone {
                    if let connection = report.connection { lost.insert(connection.rawValue) }
                }
            }
        }
        let (before, after) = (try sizes(tape.blocks), try sizes(blocks))
        // Its samples were most of what it sent; a seat that another got in the hole may have its connection's number.
        let (sent, left) = (lost.map { before[$0] ?? 0 }.reduce(0, +), lost.map { after[$0] ?? 0 }.reduce(0, +))
        #expect(rewriter.unowned > 0 && sent > 10_000 && left < sent / 2, "\(sent) \(left)")
    }

    @Test("A tape that is begun in the middle of an evening is rewritten like one that begins with the room")
    func amid() throws {
        let size = EveningSize(seats: 4, rate: 50, duration: .seconds(20), guests: 2)
        let tape = try #require(Evening.record(seed: 19, size: size, amid: .seconds(8)).amid)
        var (people, names, players): ([ControllerID], [String], [PlayerNumber]) = ([], [], [])
        var block = try TapeBlock(tape.blocks[0][...])
        while let (entry, _) = try block.next() {
            guard case .stands(let standing) = entry else { continue }
            people.append(standing.lease.controller)
            names.append(standing.lease.name)
            players.append(standing.lease.player)
        }
        #expect(people.count >= 3)
        let told = try rewrite(tape, TapedIdentities(digest: Self.digest(1)))
        #expect(told.difference == nil)
        for name in names { #expect(!contains(told.tape, Array(name.utf8)), "\(name)") }
        for id in people {
            #expect(!contains(told.tape, TapePenProbe.bytes(id)) && !contains(told.tape, Array(id.description.utf8)))
        }
        #expect(
            contains(tape.blocks[0], Array(names[0].utf8)) && contains(tape.blocks[0], TapePenProbe.bytes(people[0])))

        // Of those who sat there and moved, one is taken out.
        let before = gestures(told.events).map(\.player)
        let place = try #require(players.firstIndex { before.contains($0) })
        let (one, another) = (people[place], people[(place + 1) % people.count])
        let without = try rewrite(tape, TapedIdentities(only: [one], digest: Self.digest(2)), still: [one])
        #expect(!contains(without.tape, TapePenProbe.bytes(one)) && contains(without.tape, TapePenProbe.bytes(another)))
        // Until everyone goes home, and those who waited get the seats.
        let end = tape.opening.now + .seconds(11)
        let after = gestures(without.events).filter { $0.occurredAt < end }.map(\.player)
        #expect(!after.contains(players[place]) && !after.isEmpty, "\(before) \(after)")
    }

    @Test(
        "Of a source of unsealed frames that is forgotten nothing is left, not what it sent before it had a seat either"
    )
    func unsealed() throws {
        var (found, frames) = (0, 0)
        for seed: UInt64 in [32, 37] {
            let size = EveningSize(seats: 4, rate: 50, duration: .seconds(20), guests: 2)
            let (tapes, amid) = Evening.record(seed: seed, size: size, amid: .seconds(12))
            for tape in tapes + [amid].compactMap(\.self) {
                var replay = Replay(try Opening(reading: tape.opening.bytes))
                var sources: [PeerAddress: ControllerID] = [:]
                for bytes in tape.blocks {
                    var block = try TapeBlock(bytes[...])
                    while let (entry, at) = try block.next() {
                        replay.play(entry, at: at, cipher: ToyCipher())
                        guard case .legacyFrame(_, let source, _) = entry else { continue }
                        let controller = replay.engine.coordinator.controller(sendingFrom: source)
                        sources[source] = controller ?? sources[source]
                        frames += 1
                    }
                }
                for (source, controller) in sources {
                    found += 1
                    let told = try rewrite(
                        tape, TapedIdentities(only: [controller], digest: Self.digest(3)), still: [controller],
                        stillSources: [source])
                    let address = [source.high, source.low].flatMap { word in
                        (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64($0 * 8)) }
                    }
                    #expect(
                        contains(tape.blocks.flatMap(\.self), address) && !contains(told.tape, address), "seed \(seed)")
                }
            }
        }
        #expect(found > 1 && frames > 100)
    }

    @Test("What is played for a player whom several controllers drive is played for that player still")
    func players() {
        let identities = TapedIdentities(digest: Self.digest(1))
        func rewritten(_ who: String) -> RoomCommand {
            identities.command(.identify(who), find: { _ in nil }, waits: { _ in nil })
        }
        #expect(rewritten("p1") == .identify("P1"))
        #expect(rewritten("Paula") == .identify("nobody"))
    }

    private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        guard let first = part.first, part.count <= bytes.count else { return false }
        return bytes.indices.dropLast(part.count - 1).contains { place in
            bytes[place] == first && bytes[place..<place + part.count].elementsEqual(part)
        }
    }
}

private enum TapePenProbe {
    /// An id as a tape holds it.
    static func bytes(_ id: ControllerID) -> [UInt8] {
        [id.high, id.low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64($0 * 8)) } }
    }
}
