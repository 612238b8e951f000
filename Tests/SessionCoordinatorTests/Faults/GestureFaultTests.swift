import Foundation
import InputMerge
import LinkEmulation
import SessionCoordinator
import Testing
import WireProtocol

@Suite("Faults: gestures on a bad network")
struct GestureFaultTests {
    /// A recorded phone that is tossed and dropped, at 200 Hz: specific force in m/s².
    private static func recording(_ name: String) throws -> [SIMD3<Float>] {
        let url = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Recordings/demo/\(name).csv").standardized
        let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n").dropFirst()
        return lines.map { line in
            let fields = line.split(separator: ",")
            return SIMD3(Float(fields[2]) ?? 0, Float(fields[3]) ?? 0, Float(fields[4]) ?? 0)
        }
    }

    /// What a player did, without the times, which depend on how well the clock is known.
    private struct Deed: Hashable {
        var gesture: GestureKind
        var phase: GestureEvent.Phase
        var strength: Double
        var controllers: [PeerIndex]
    }

    private func play(_ samples: [SIMD3<Float>], _ network: String, seed: UInt64) throws -> SimulatedRoom {
        let merging = MergeConfiguration(holdback: .milliseconds(250))
        var room = SimulatedRoom(
            1, try NetworkConditions(parsing: network), seed: seed, interval: 5_000_000, merging: merging)
        room.pads[0].motion = { number in (samples[min(number, samples.count - 1)], .zero) }
        room.joinAll()
        room.run(for: .milliseconds(5 * samples.count))
        room.drain(.seconds(2))
        return room
    }

    @Test(
        "With 20 % loss, jitter, copies and reordering a player does what it would on a perfect network",
        arguments: [
            "loss=20%,delay=20±15ms", "loss=5%,delay=30±25ms,reorder=10%,dup=20%", "burst=0.01:0.25,delay=10ms",
        ],
        Soak.seeds(1, soaking: 20))
    func sameGestures(network: String, seed: UInt64) throws {
        let samples = Array(try Self.recording("drop").prefix(1_000))
        let (perfect, bad) = (try play(samples, "delay=5ms", seed: seed), try play(samples, network, seed: seed))
        func deeds(_ room: SimulatedRoom) -> [Deed] {
            room.host.sink.gestures.map {
                Deed(gesture: $0.gesture, phase: $0.phase, strength: $0.strength, controllers: $0.controllers)
            }
        }
        let books = try #require(bad.host.report(of: bad.pads[0].guest)?.samples)
        #expect((books.late, books.missing, books.abandoned) == (0, 0, 0), "\(network), seed \(seed)")
        #expect(deeds(perfect).count >= 4)
        #expect(deeds(bad) == deeds(perfect), "\(network), seed \(seed)")
        // Both times are right within what they admit.
        for (a, b) in zip(perfect.host.sink.gestures, bad.host.sink.gestures) {
            guard let first = a.uncertaintyNanoseconds, let second = b.uncertaintyNanoseconds else { continue }
            #expect(abs((a.occurredAt - b.occurredAt).wholeNanoseconds) <= first + second, "\(network), seed \(seed)")
        }
    }
}
