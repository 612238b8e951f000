@testable import FlightRecorder
import InputMerge
import RoomEngine
import SessionCoordinator
import Testing
import WireProtocol

@Suite("Tape")
struct TapeTests {
    private static let key = LinkKey(a: 1, b: 2, c: 3, d: 4)
    private static let inputs: [RoomInput] = [
        .invite(
            Invitation(
                controller: String(repeating: "a", count: 32), process: String(repeating: "1", count: 16), name: "Ünï",
                streams: [StreamOffer(StreamDeclaration(nominalRate: 50))], haptics: true, context: "00ff",
                timeout: 5, code: "4444-4444"),
            from: ConversationID(rawValue: 7), over: .wss,
            LinkMaterial(
                motionKey: key, feedbackKey: key, probeKey: key, secret: "hidden",
                secretHash: Array(repeating: 9, count: 32), presentedHash: Array(repeating: 8, count: 32),
                ticketHash: nil), source: nil),
        .sensor(SensorReport(), from: ConversationID(rawValue: .max)),
        .status(LinkStatus(lastSent: .max), from: ConversationID(rawValue: 0)),
        .goodbye(
            Farewell(
                reason: "left", message: "bye", lastSent: 4,
                tally: SenderTally(links: .max, datagrams: .max, samples: 3, confirmed: 2), backIn: 60_000),
            from: ConversationID(rawValue: 1)),
        .disconnected(ConversationID(rawValue: 2)),
        .motionIsWanted(true), .listenerIsGone(ListenerID(rawValue: 3)), .close(backIn: .seconds(90)),
        .close(backIn: nil),
        .strangers(StrangerCounts()),
        .command(.alive, RequestID(rawValue: 1)), .command(.status(minute: true), RequestID(rawValue: 2)),
        .command(.peers(nil, minute: false), RequestID(rawValue: 3)), .command(.departed, RequestID(rawValue: 4)),
        .command(.frames("P1"), RequestID(rawValue: 5)),
        .command(
            .offer(
                OfferTerms(
                    id: OfferID(rawValue: 1), controller: ControllerID(high: 1, low: 2), seat: 3,
                    ticketHash: [1, 2, 3, 4, 5, 6, 7, 8], timeout: .milliseconds(1_500))), RequestID(rawValue: 6)),
        .command(.endOffer(OfferID(rawValue: 1), Refusal(.full, message: "no", retryAfter: 3)), RequestID(rawValue: 7)),
        .command(.accept(nil), RequestID(rawValue: 8)), .command(.decline("x", message: nil), RequestID(rawValue: 9)),
        .command(.kick("P2", message: "out"), RequestID(rawValue: 10)), .command(.lock, RequestID(rawValue: 11)),
        .command(.unlock, RequestID(rawValue: 12)), .command(.identify("P1"), RequestID(rawValue: 13)),
        .command(.rezero("P1"), RequestID(rawValue: 14)), .command(.move("P1", seat: -4), RequestID(rawValue: 15)),
        .command(.swap("a", "b"), RequestID(rawValue: 16)), .command(.rename("a", to: "b"), RequestID(rawValue: 17)),
        .command(
            .play("P1", intensity: 0.1, sharpness: 1, duration: .zero, answering: "g"),
            RequestID(rawValue: 18)),
        .command(.send([0, 255], "P1"), RequestID(rawValue: 19)),
        .command(.sendNewest([], channel: 9, "P1"), RequestID(rawValue: 20)),
        .command(.players, RequestID(rawValue: 21)),
        .command(.motion(of: 3), RequestID(rawValue: 22)),
        .command(.teaching(.teach("P1", gesture: "circle", times: 3)), RequestID(rawValue: 23)),
        .command(.teaching(.cancel("P1")), RequestID(rawValue: 24)),
        .command(.teaching(.taught(nil)), RequestID(rawValue: 25)),
        .command(.teaching(.rename("P1", "a", to: "b")), RequestID(rawValue: 26)),
        .command(.teaching(.remove("P1", "a")), RequestID(rawValue: 27)),
        .command(.teaching(.sensitivity("P1", 1.5)), RequestID(rawValue: 28)),
        .command(
            .deliver(.batches(every: .milliseconds(20)), of: "P1", stream: 2, to: ListenerID(rawValue: 4)),
            RequestID(rawValue: 29)),
        .command(.change(otherTerms), RequestID(rawValue: 30)),
        .command(.luggage("P1"), RequestID(rawValue: 31)),
        .command(.depart("P1", message: "It plays elsewhere."), RequestID(rawValue: 32)),
        .command(.offer(movedOffer(MovingPlayer(name: "Anna", color: 0x0072B2), nil)), RequestID(rawValue: 33)),
        .command(.offer(movedOffer(nil, PlayerTalents(sensitivity: 1.5))), RequestID(rawValue: 34)),
    ]

    private static func movedOffer(_ player: MovingPlayer?, _ talents: PlayerTalents?) -> OfferTerms {
        OfferTerms(
            id: OfferID(rawValue: 2), controller: ControllerID(high: 1, low: 2), seat: nil,
            ticketHash: [1, 2, 3, 4, 5, 6, 7, 8], timeout: .seconds(60), player: player, talents: talents)
    }

    private static var otherTerms: RoomTerms {
        var terms = RoomTerms(EngineConfiguration(room: RoomConfiguration(seats: 9, policy: .ask, names: .free)))
        terms.idleReset = .seconds(180)
        terms.contests.gestures = [.jump, GestureKind(rawValue: "taught:zig")]
        return terms
    }

    /// What a tape brings back of an input: without keys, secrets and codes.
    private static func kept(_ input: RoomInput, code: String) -> RoomInput {
        guard case .invite(var invitation, let conversation, let transport, var material, let source) = input else {
            return input
        }
        invitation.code = code
        let none = LinkKey(a: 0, b: 0, c: 0, d: 0)
        material.motionKey = none
        material.feedbackKey = none
        material.secret = ""
        material.secretHash = Array(material.secretHash.prefix(8))
        material.presentedHash = material.presentedHash.map { Array($0.prefix(8)) }
        return .invite(invitation, from: conversation, over: transport, material, source: source)
    }

    @Test("Every input comes back from the tape as it was, but for what would let anybody in")
    func inputs() throws {
        for code in ["4444-4444", "2345-6789"] {
            let blocks = Blocks()
            var deck = TapeDeck(room: RoomConfiguration(code: code), supply: blocks)
            var now = HostTime(nanoseconds: 5)
            for input in Self.inputs {
                deck.input(input, now: now)
                now = now + .milliseconds(3)
            }
            deck.flush()
            let entries = try blocks.entries()
            let kept = code == "4444-4444" ? "2222-2222" : "3333-3333"
            #expect(entries == Self.inputs.map { .input(Self.kept($0, code: kept)) })
            for bytes in blocks.all {
                #expect(!String(decoding: bytes, as: UTF8.self).contains("hidden"))
                #expect(!String(decoding: bytes, as: UTF8.self).contains("4444"))
            }
        }
    }

    /// A `switch` without `default` sees new cases; this sees new fields. Whoever adds one writes it down in Coding, lets
    /// the tests above bring it back, and counts it here.
    @Test("Every field of what is taped is known to the tape")
    func fields() {
        func fields(_ value: Any) -> Int { Mirror(reflecting: value).children.count }
        let key = Self.key
        #expect(fields(Farewell(reason: "")) == 5)
        #expect(fields(SenderTally(links: 0, datagrams: 0, samples: 0, confirmed: 0)) == 4)
        #expect(fields(LinkStatus(lastSent: 0)) == 1)
        // Secret and ticket are left out.
        #expect(
            fields(Invitation(controller: "", process: "", name: "", streams: [], haptics: false)) == 10 + 2)
        #expect(fields(StreamOffer(StreamDeclaration())) == 10)
        #expect(fields(SensorReport()) == 13)
        // Motion's and feedback's keys and the secret are left out.
        #expect(
            fields(
                LinkMaterial(
                    motionKey: key, feedbackKey: key, probeKey: key, secret: "", secretHash: [], presentedHash: nil,
                    ticketHash: nil)) == 4 + 3)
        #expect(fields(Refusal(.full, message: "")) == 3)
        #expect(
            fields(
                Lease(
                    controller: ControllerID(high: 0, low: 0), seat: 1, player: 1, name: "", color: 0, secretHash: [],
                    previousSecretHash: nil, generation: 0)) == 8)
        #expect(fields(RoomConfiguration()) == 12)
        #expect(fields(MergeConfiguration()) == 11)
        #expect(fields(Self.otherTerms) == 8)
        #expect(fields(PlayerTalents()) == 3)
        #expect(fields(StrangerCounts()) == 3)
    }

    @Test("What the engine began with comes back, thresholds of every gesture and roles of every fusion included")
    func opening() throws {
        var merge = MergeConfiguration(
            fusion: FusionRule(
                gestures: .split([[.jump], [.tilt, .shake]]), motion: .strongest(.rotation), whenLost: .handOver),
            teams: [Team("red", [1, 3], rule: .quorum(.share(2, of: 3), within: .milliseconds(400)))],
            contests: ContestRules(gestures: [.jump], ties: .draw, seed: .max))
        merge.orientation = .madgwick
        merge.lowPassFactor = 0.3
        let opening = Opening(
            configuration: EngineConfiguration(room: RoomConfiguration(seats: 9, code: "2222-2222"), merge: merge),
            leases: [
                Lease(
                    controller: ControllerID(high: 1, low: 2), seat: 1, player: 1, name: "Blue", color: 0xFF00FF,
                    secretHash: [1, 2, 3, 4, 5, 6, 7, 8], previousSecretHash: [8, 7, 6, 5, 4, 3, 2, 1], generation: 4)
            ],
            now: HostTime(nanoseconds: 10), openedAt: HostTime(nanoseconds: 9), wallClock: -1, room: "R", program: "p",
            compiler: "c", architecture: "a", eventNumber: 3)
        #expect(try Opening(reading: opening.bytes) == opening)
        var newer = opening.bytes
        newer[0] = 9
        let error = #expect(throws: TapeError.self) { try Opening(reading: newer) }
        #expect(error?.description.contains("version 9") == true)
        for cut in stride(from: 0, to: opening.bytes.count - 1, by: 3) {
            #expect(throws: TapeError.self) { try Opening(reading: Array(opening.bytes.prefix(cut))) }
        }
    }

    @Test("Whom a room kept out when it began is on its tape, and in the room that is played again")
    func banned() throws {
        let now = HostTime(nanoseconds: 10)
        var opening = Opening(
            configuration: EngineConfiguration(room: RoomConfiguration(seats: 9)), now: now, openedAt: now,
            wallClock: 0)
        let without = opening.bytes
        opening.banned = [ControllerID(high: 1, low: 2), ControllerID(high: .max, low: 0)]
        #expect(opening.bytes.starts(with: without) && opening.bytes != without)
        let again = try Opening(reading: opening.bytes)
        #expect(again == opening && again.makeEngine().roomStanding.banned == opening.banned)
        #expect(try Opening(reading: without).banned.isEmpty)
        #expect(throws: TapeError.self) { try Opening(reading: Array(opening.bytes.dropLast())) }
    }

    @Test("Without free memory entries are counted, and the tape says where they are missing")
    func hole() throws {
        let blocks = Blocks()
        var deck = TapeDeck(room: RoomConfiguration(), supply: blocks)
        let start = HostTime(nanoseconds: 0)
        deck.turn(now: start)
        deck.flush()
        blocks.isFree = false
        for step in 1...10 { deck.turn(now: start + .milliseconds(Int64(step))) }
        #expect(deck.lostEntries == 10)
        blocks.isFree = true
        deck.turn(now: start + .milliseconds(20))
        deck.flush()
        let hole = TapeHole(from: start + .milliseconds(1), to: start + .milliseconds(10), entries: 10, bytes: 10)
        #expect(try blocks.entries() == [.turn, .hole(hole), .turn])
    }

    @Test("A turn amid a backlog keeps how much of it had been read; one that read all is a byte and its time")
    func turnAmid() throws {
        let blocks = Blocks()
        var deck = TapeDeck(room: RoomConfiguration(), supply: blocks)
        let now = HostTime(nanoseconds: 9_000_000_000)
        deck.turn(now: now, heardUntil: now - .seconds(3))
        deck.turn(now: now + .milliseconds(1))
        deck.flush()
        let entries = try blocks.entries()
        #expect(entries == [.turnAmid(heardUntil: now - .seconds(3)), .turn])
        #expect(entries.filter(\.isTurn).count == 2)
    }

    @Test("A flood of strangers is one entry, before whatever comes next")
    func strangers() throws {
        let blocks = Blocks()
        var deck = TapeDeck(room: RoomConfiguration(), supply: blocks)
        var counts = StrangerCounts()
        counts.unknown = 1
        let now = HostTime(nanoseconds: 0)
        for _ in 0..<1_000 {
            [UInt8](repeating: 0, count: 900).withUnsafeBytes {
                deck.datagram($0, from: PeerAddress(ipv4: 1, port: 1), arrivedAt: now, now: now, strangers: counts)
            }
        }
        deck.turn(now: now)
        deck.flush()
        counts.unknown = 1_000
        #expect(try blocks.entries() == [.strangers(counts), .turn])
    }

    @Test(
        "Times that no host's clock can show are refused; an engine's time never runs backwards, whatever a tape claims"
    )
    func tamperedTimes() throws {
        let block = { (begins: Int64, deltas: [Int64]) -> [UInt8] in
            TapePen.bytes { pen in
                pen.fixed(UInt32(0))
                pen.fixed(begins)
                for delta in deltas {
                    pen.byte(TapeWriter.Kind.turn.rawValue)
                    pen.signed(delta)
                }
            }
        }
        for begins in [Int64.min, .max, 1 << 61, -(1 << 61)] {
            #expect(throws: TapeError.self) { try TapeBlock(block(begins, [])[...]) }
        }
        let opening = Opening(
            configuration: EngineConfiguration(room: RoomConfiguration()), now: HostTime(nanoseconds: 0),
            openedAt: HostTime(nanoseconds: 0), wallClock: 0)
        for deltas in [[1, -5, 3], [1 << 60, -(1 << 60), .max], [0, .min], [-1, -1]] as [[Int64]] {
            var (replay, tape) = (Replay(opening), try TapeBlock(block(0, deltas)[...]))
            while let (entry, at) = try? tape.next() { replay.play(entry, at: at, cipher: PlainCipher()) }
            #expect(replay.turns > 0 && replay.isExact == !deltas.contains { $0 < 0 && $0 > .min })
        }
    }

    @Test("Of an invitation that was refused is kept what decided it, and nothing that a stranger can fill")
    func refused() throws {
        let blocks = Blocks()
        var deck = TapeDeck(room: RoomConfiguration(policy: .code, code: "ABC"), supply: blocks)
        var invitation = Invitation(
            controller: String(repeating: "a", count: 32), process: String(repeating: "b", count: 16), name: "X",
            streams: (0..<8).map { StreamOffer(StreamDeclaration(stream: $0)) }, haptics: false,
            context: String(repeating: "ff", count: 1_024), code: "WRONG")
        let material = LinkMaterial(
            motionKey: LinkKey(a: 0, b: 0, c: 0, d: 0), feedbackKey: LinkKey(a: 0, b: 0, c: 0, d: 0),
            probeKey: LinkKey(a: 0, b: 0, c: 0, d: 0), secret: "", secretHash: [], presentedHash: nil)
        func tape(isRefused: Bool) throws -> (invitation: Invitation?, size: Int) {
            blocks.all = []
            deck.input(
                .invite(invitation, from: ConversationID(rawValue: 1), over: .udp, material, source: nil),
                now: HostTime(nanoseconds: 1), isRefused: isRefused)
            deck.flush()
            let entries = try blocks.entries()
            for case .input(.invite(let kept, _, _, _, _)) in entries { return (kept, blocks.all[0].count) }
            return (nil, 0)
        }
        let whole = try tape(isRefused: false)
        #expect(whole.invitation?.streams == invitation.streams && whole.invitation?.context == invitation.context)
        let little = try tape(isRefused: true)
        #expect(little.size < 400 && whole.size > 1_400, "\(little.size), \(whole.size) bytes")
        invitation.code = little.invitation?.code
        invitation.context = nil
        invitation.streams = [StreamOffer(StreamDeclaration())]
        #expect(little.invitation == invitation)
    }

    @Test("No bytes make a block's reader trap")
    func noise() {
        var random = SplitMix64(seed: 4)
        for _ in 0..<20_000 {
            let bytes = (0..<random.next() % 80).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            guard var block = try? TapeBlock(bytes[...]) else { continue }
            while (try? block.next()) != nil {}
            _ = try? Opening(reading: bytes)
        }
    }
}

/// Nothing is sealed here.
private struct PlainCipher: DatagramCipher {
    func seal(_: UnsafeMutableRawBufferPointer, headerLength _: Int, key _: LinkKey, number _: UInt32) {}
    func open(_: UnsafeMutableRawBufferPointer, headerLength _: Int, key _: LinkKey, number _: UInt32) -> Bool { true }
}

/// Memory for tests, free or not.
final class Blocks: BlockSupply {
    var all: [[UInt8]] = []
    var isFree = true
    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: TapeWriter.blockSize, alignment: 8)
    deinit { memory.deallocate() }

    func lend() -> UnsafeMutableRawBufferPointer? { isFree ? memory : nil }
    func take(_ count: Int) { all.append(Array(memory[..<count])) }

    func entries() throws -> [TapeEntry] {
        var entries: [TapeEntry] = []
        for bytes in all {
            var block = try TapeBlock(bytes[...])
            while let (entry, _) = try block.next() { entries.append(entry) }
        }
        return entries
    }
}
