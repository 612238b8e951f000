import FlightRecorder
import InputMerge
import RoomEngine
import RoomSimulation
import SessionCoordinator
import Testing
import WireProtocol

@Suite("Evenings on tape")
struct EveningReplayTests {
    private static let short = EveningSize(seats: 3, rate: 50, duration: .seconds(20))

    @Test(
        "An evening plays again to the same events, and its recorder changes nothing of it", arguments: [3, 5, 8, 13])
    func sameEvents(seed: UInt64) {
        #expect(Evening.replayDifference(seed: seed, size: Self.short) == nil)
    }

    @Test("The same rules on a second merge come to the same gestures, and change nothing of the evening")
    func passenger() throws {
        for tape in Evening.record(seed: 7, size: Self.short).tapes {
            var (replay, events, difference) = try tape.play(passenger: tape.opening.configuration.merge)
            #expect(difference == nil)
            let ridden = replay.takePassengerEvents().compactMap { event -> GestureEvent? in
                if case .gesture(let gesture) = event { gesture } else { nil }
            }
            let original = events.compactMap { event -> GestureEvent? in
                if case .gesture(let gesture, _) = event { gesture } else { nil }
            }
            #expect(ridden == original)
            #expect(!original.isEmpty)
        }
    }

    @Test("Every sample that the books call delivered is told once, as its controller's, whoever leaves meanwhile")
    func everySample() throws {
        var told = 0
        for seed in 13...17 as ClosedRange<UInt64> {
            let (report, tapes) = Evening.record(seed: seed, size: Self.short)
            // Of a clock that is set back by little, the first sample is taken for a stray.
            var strays = report.counts["clocks that are set"] ?? 0
            for tape in tapes {
                let (motions, books, divers) = try Self.samples(of: tape)
                // What a water sensor reads is no motion, and stands in the books beside it.
                for diver in divers { #expect(motions[diver] ?? 0 < books[diver] ?? .max) }
                for (controller, count) in books where motions[controller] != count && !divers.contains(controller) {
                    strays -= count - (motions[controller] ?? 0)
                    #expect(strays >= 0 && count > motions[controller] ?? 0, "seed \(seed), \(controller)")
                }
                #expect(motions.keys.allSatisfy { books[$0] != nil })
                told += motions.values.reduce(0, +)
            }
        }
        #expect(told > 5_000)
    }

    /// How many samples of each controller are told, how many the coordinator's books and the merge have, and who has a water
    /// sensor, too.
    private static func samples(
        of tape: EveningTape
    ) throws -> (motions: [ControllerID: Int], books: [ControllerID: Int], divers: [ControllerID]) {
        var divers: [ControllerID] = []
        let rules = tape.opening.configuration.merge
        var replay = Replay(try Opening(reading: tape.opening.bytes), passenger: rules, tellsMotion: true)
        var (motions, books): ([ControllerID: Int], [ControllerID: Int]) = ([:], [:])
        for bytes in tape.blocks {
            var block = try TapeBlock(bytes[...])
            while let (entry, at) = try block.next() {
                replay.play(entry, at: at, cipher: ToyCipher())
                if case .input(.invite(let invitation, _, _, _, _)) = entry,
                    let id = ControllerID(invitation.controller),
                    invitation.streams.contains(where: { $0.measures.contains("submersion") }), !divers.contains(id)
                {
                    divers.append(id)
                }
                guard entry.isTurn || !replay.left.isEmpty else { continue }
                for case .motions(let batch) in replay.takePassengerEvents() {
                    let owner = try #require(replay.owner(of: batch.sensor))
                    motions[owner.controller, default: 0] += batch.motions.count
                }
            }
        }
        let engine = replay.engine
        for report in engine.departed.map(\.report) + engine.coordinator.reports(now: tape.opening.now) {
            let delivered = Int(report.samples.delivered)
            if delivered > 0 { books[report.controller, default: 0] += delivered }
        }
        return (motions, books, divers)
    }

    @Test("Motion of the turn in which a room closes is still its controllers', though everybody has left by then")
    func closing() throws {
        let tape = try #require(Evening.record(seed: 5, size: Self.short).tapes.first)
        var replay = Replay(tape.opening, passenger: tape.opening.configuration.merge, tellsMotion: true)
        var (datagrams, told) = (0, 0)
        for bytes in tape.blocks where told == 0 {
            var block = try TapeBlock(bytes[...])
            while told == 0, let (entry, at) = try block.next() {
                replay.play(entry, at: at, cipher: ToyCipher())
                guard case .datagram = entry else {
                    _ = replay.takePassengerEvents()
                    continue
                }
                datagrams += 1
                guard datagrams > 200 else { continue }
                var closed = replay
                closed.play(.input(.close(backIn: nil)), at: at, cipher: ToyCipher())
                closed.play(.turn, at: at, cipher: ToyCipher())
                #expect(closed.left.isEmpty)
                for case .motions(let batch) in closed.takePassengerEvents() {
                    #expect(closed.owner(of: batch.sensor) != nil)
                    told += batch.motions.count
                }
            }
        }
        #expect(told > 0)
    }

    @Test("An input that is left out shows as a difference")
    func leftOut() throws {
        let tape = try #require(Evening.record(seed: 5, size: Self.short).tapes.last)
        var replay = Replay(tape.opening)
        var (events, left): ([RoomEvent], Bool) = ([], false)
        for bytes in tape.blocks {
            var block = try TapeBlock(bytes[...])
            while let (entry, at) = try block.next() {
                if case .input(.invite) = entry, !left {
                    left = true
                    continue
                }
                replay.play(entry, at: at, cipher: ToyCipher())
                for case .event(let event) in replay.outputs { events.append(event) }
            }
        }
        #expect(left)
        #expect(events != tape.events)
    }
}
