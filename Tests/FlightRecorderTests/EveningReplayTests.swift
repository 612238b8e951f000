import FlightRecorder
import InputMerge
import RoomEngine
import RoomSimulation
import Testing

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
