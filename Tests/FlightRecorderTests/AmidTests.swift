import FlightRecorder
import InputMerge
import RoomEngine
import RoomSimulation
import SessionCoordinator
import Testing
import WireProtocol

@Suite("Recordings that are begun in the middle of an evening")
struct AmidTests {
    /// What a tape leads to, by its bytes alone.
    private struct Outcome {
        var reports: [ConnectionID: PeerReport] = [:]
        var motions: [Sampled: DeviceMotion] = [:]
        var ends = HostTime(nanoseconds: 0)
        var strangers: UInt64 = 0
    }

    private struct Sampled: Hashable {
        var controller: ControllerID
        var stream: StreamID
        var sampledAt: DeviceTime
    }

    private static func play(_ tape: EveningTape) throws -> Outcome {
        let opening = try Opening(reading: tape.opening.bytes)
        var replay = Replay(opening, passenger: opening.configuration.merge, tellsMotion: true)
        var outcome = Outcome()
        for bytes in tape.blocks {
            var block = try TapeBlock(bytes[...])
            while let (entry, at) = try block.next() {
                replay.play(entry, at: at, cipher: ToyCipher())
                outcome.ends = at
                guard entry.isTurn || !replay.left.isEmpty else { continue }
                for case .motions(let batch) in replay.takePassengerEvents() {
                    let owner = try #require(replay.owner(of: batch.sensor))
                    for motion in batch.motions {
                        let key = Sampled(
                            controller: owner.controller, stream: batch.sensor.stream, sampledAt: motion.sampledAt)
                        outcome.motions[key] = motion
                    }
                }
            }
        }
        let engine = replay.engine
        outcome.strangers = engine.strangers.unknown
        for report in engine.departed.map(\.report) + engine.coordinator.reports(now: outcome.ends) {
            if let connection = report.connection { outcome.reports[connection] = report }
        }
        return outcome
    }

    @Test(
        "Accounts go on to the last datagram, every sample is told at the same moment, and attitude is soon the same",
        arguments: [3, 6, 16, 19])
    func goesOn(seed: UInt64) throws {
        let size = EveningSize(seats: 4, rate: 50, duration: .seconds(30), guests: 2)
        let (tapes, amid) = Evening.record(seed: seed, size: size, amid: .seconds(12))
        let tape = try #require(amid)
        // Of the life in which it was begun.
        let whole = try #require(tapes.last { $0.opening.now <= tape.opening.now })
        let (all, rest) = (try Self.play(whole), try Self.play(tape))

        // Seed 16: what was still under way on a link that had ended before is nobody's.
        var stragglers: UInt64 = 0
        for (connection, report) in rest.reports {
            let known = try #require(all.reports[connection])
            var datagrams = report.datagrams
            if datagrams != known.datagrams, known.datagrams.unique > datagrams.unique {
                stragglers += known.datagrams.unique - datagrams.unique
                (datagrams.unique, datagrams.bytes) = (known.datagrams.unique, known.datagrams.bytes)
            }
            #expect(datagrams == known.datagrams, "seed \(seed), \(report.name)")
            #expect(report.samples.expected == known.samples.expected, "seed \(seed), \(report.name)")
            #expect(report.samples.missing == known.samples.missing, "seed \(seed), \(report.name)")
            #expect(report.controller == known.controller && report.player == known.player)
        }
        #expect(stragglers <= min(rest.strangers, 2), "seed \(seed)")
        for (connection, report) in all.reports where report.seatState != .released {
            #expect(rest.reports[connection] != nil, "seed \(seed): \(report.name) is missing")
        }

        let begun = tape.opening.now
        var (same, near, later) = (0, 0, 0)
        for (key, motion) in all.motions where motion.occurredAt > begun + .seconds(4) {
            later += 1
            guard let mine = rest.motions[key] else { continue }
            if mine.occurredAt == motion.occurredAt { same += 1 }
            let difference = mine.gravity - motion.gravity
            if (difference * difference).sum().squareRoot() < 0.05 { near += 1 }
        }
        #expect(same == later && near == later && later > 500, "seed \(seed): \(same), \(near) of \(later)")
    }

    /// A tape of an evening that was begun when several had sat there for a while, and how they stood.
    private static func seated() throws -> (tape: EveningTape, engine: Engine) {
        let size = EveningSize(seats: 4, rate: 50, duration: .seconds(15), guests: 2)
        let tape = try #require(Evening.record(seed: 3, size: size, amid: .seconds(10)).amid)
        var replay = Replay(try Opening(reading: tape.opening.bytes))
        var block = try TapeBlock(tape.blocks[0][...])
        while let (entry, at) = try block.next(), !entry.isTurn { replay.play(entry, at: at, cipher: ToyCipher()) }
        #expect(replay.engine.standings.count >= 3)
        return (tape, replay.engine)
    }

    @Test("How everyone stood comes back from the tape as it was, streams with holes in them included")
    func roundTrip() throws {
        var (tape, engine) = try Self.seated()
        // Datagrams of which some are missing open holes in streams and windows.
        var replay = Replay(try Opening(reading: tape.opening.bytes))
        var (count, holes, gaps) = (0, 0, 0)
        for bytes in tape.blocks {
            var block = try TapeBlock(bytes[...])
            while let (entry, at) = try block.next() {
                count += 1
                if case .datagram = entry, count % 3 == 0 { continue }
                replay.play(entry, at: at, cipher: ToyCipher())
                guard count % 50 == 0 else { continue }
                engine = replay.engine
                let blocks = CollectedBlocks()
                var deck = TapeDeck(room: engine.configuration.room, supply: blocks)
                deck.begin(amid: engine, now: at)
                deck.flush()
                var (stood, room): ([Standing], RoomStanding?) = ([], nil)
                for bytes in blocks.takeBlocks() {
                    var block = try TapeBlock(bytes[...])
                    while let (entry, _) = try block.next() {
                        if case .stands(let standing) = entry { stood.append(standing) }
                        if case .roomStands(let standing) = entry { room = standing }
                    }
                }
                #expect(stood == engine.standings)
                #expect(room == engine.roomStanding)
                for case .linked(let link) in stood.map(\.way) {
                    if link.streams.contains(where: { $0.settled.contains(false) }) { holes += 1 }
                    if link.window.held.contains(false) { gaps += 1 }
                }
                // Whoever takes over from there stands as everyone stood.
                var successor = Engine(configuration: engine.configuration, now: at)
                for standing in stood { successor.stand(standing, now: at) }
                #expect(successor.standings == stood)
                for standing in engine.waiting { successor.stand(standing) }
                #expect(successor.waiting == engine.waiting)
            }
        }
        #expect(holes > 0 && gaps > 0)
    }

    @Test("Whatever a stranger's tape says of how somebody stood: nothing traps, and what follows is played")
    func flipped() throws {
        let (tape, _) = try Self.seated()
        var random = SplitMix64(seed: 7)
        var (taken, left, refused) = (0, 0, 0)
        for _ in 0..<150 {
            var first = tape.blocks[0]
            // The standings lie in the first kilobytes.
            for _ in 0..<(1 + random.next() % 3) {
                first[Int(12 + random.next() % 1_500)] ^= UInt8(truncatingIfNeeded: 1 << (random.next() % 8))
            }
            var replay = Replay(try Opening(reading: tape.opening.bytes))
            do throws(TapeError) {
                for bytes in [first] + tape.blocks[1..<6] {
                    var block = try TapeBlock(bytes[...])
                    while let (entry, at) = try block.next() { replay.play(entry, at: at, cipher: ToyCipher()) }
                }
                if replay.engine.standings.count < 3 { left += 1 } else { taken += 1 }
            } catch { refused += 1 }
        }
        #expect(taken > 0 && left > 0 && refused > 0, "\(taken) \(left) \(refused)")
    }

    @Test("At the last of numbers a window and a stream stand as they stood")
    func lastNumbers() throws {
        for highest: UInt32 in [.max, .max - 1, .max - 1_024, 1_023, 1, 0] {
            var held = [Bool](repeating: true, count: Int(min(highest, 1_023)) + 1)
            held[held.count / 3] = held.count == 1
            let window = try #require(ReplayWindow(highest: highest, held: held))
            #expect(window.held == held && window.highest == highest)
        }
        #expect(ReplayWindow(highest: 5, held: [true]) == nil)
        // All but one of 2^32 - 1 samples, and then the last but one that can be.
        let ledger = SampleLedger(
            delivered: UInt64(UInt32.max) - 1, late: 0, beforeSeat: 0, abandoned: 0, redundant: 0, highest: .max - 1)
        var (tape, engine) = try Self.seated()
        var standing = try #require(engine.standings.first { if case .linked = $0.way { true } else { false } })
        guard case .linked(var link) = standing.way else { return }
        link.streams = [
            StandingStream(
                stream: link.declarations[0].stream, epoch: 0, cumulative: .max - 2, settled: [false, true],
                ledger: ledger)
        ]
        standing.way = .linked(link)
        engine = Engine(configuration: engine.configuration, now: tape.opening.now)
        engine.stand(standing, now: tape.opening.now)
        #expect(engine.standings == [standing])
        // A room whose every account claims the most that it may: what adds them up does not trap.
        var totals = DatagramTotals()
        (totals.unique, totals.duplicate, totals.tooOld) = (1 << 44 - 1, 1 << 44 - 1, 1 << 44 - 1)
        standing.pastDatagrams = totals
        engine = Engine(configuration: engine.configuration, now: tape.opening.now)
        engine.stand(standing, now: tape.opening.now)
        #expect(engine.classified(now: tape.opening.now) >= 3 * (1 << 44 - 1) && engine.standings.count == 1)
        standing.pastDatagrams.unique = .max
        engine = Engine(configuration: engine.configuration, now: tape.opening.now)
        engine.stand(standing, now: tape.opening.now)
        #expect(engine.standings.isEmpty)
    }

    @Test(
        "Who waits, is silent or has a seat kept by an invitation goes on as it stood", arguments: [2, 8, 24, 31, 45])
    func waiting(seed: UInt64) throws {
        // Small rooms, in which many wait.
        let size = EveningSize(seats: 2, rate: 50, duration: .seconds(30), guests: 4)
        let (_, amid) = Evening.record(seed: seed, size: size, amid: .seconds(11))
        let tape = try #require(amid)
        let (replay, events, _) = try tape.play()
        #expect(replay.unowned <= 2, "seed \(seed)")
        func seats(_ events: [RoomEvent]) -> [RoomEvent.Player] {
            events.compactMap { if case .player(let player) = $0 { player } else { nil } }
        }
        #expect(seats(events) == seats(tape.events), "seed \(seed)")
    }
}
