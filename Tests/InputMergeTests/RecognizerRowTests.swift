import Testing
import WireProtocol

@testable import InputMerge

@Suite("Recognizers side by side")
struct RecognizerRowTests {
    /// Sees each sample and says how many it saw; keeps something alive.
    private struct Counter: Recognizer {
        final class Kept: Sendable {}

        let kept: Kept
        var seen = 0.0
        var isShaping: Bool { seen == 2 }

        mutating func update(_ motion: DeviceMotion) -> Recognition? {
            seen += 1
            return Recognition(.changed, strength: seen / 100, confidence: 1)
        }

        mutating func interrupt() { seen = 0 }
    }

    /// Of another size and alignment.
    private struct Blind: Recognizer {
        var byte: UInt8 = 0
        mutating func update(_ motion: DeviceMotion) -> Recognition? { nil }
    }

    private static let lying = DeviceMotion(
        sampledAt: DeviceTime(nanoseconds: 0), occurredAt: HostTime(nanoseconds: 0), attitude: .identity,
        gravity: SIMD3(0, 0, -1), userAcceleration: .zero, rotationRate: .zero, source: .sixAxis)

    /// A minute of turns, pushes and falls; now and then a hole.
    private static let motions: [DeviceMotion] = (0..<6_000).map { index in
        let time = Double(index) / 100 + (index > 3_000 ? 2 : 0)
        var motion = lying
        motion.sampledAt = DeviceTime(nanoseconds: Int64(time * 1e9))
        let isFalling = index % 700 > 660
        motion.userAcceleration =
            isFalling
            ? SIMD3(0, 0, 1) : (index / 200 % 2 == 0 ? 4 : 0.01) * SIMD3(triangle(time), triangle(2 * time + 0.2), 0)
        motion.rotationRate = (index / 500 % 2 == 0 ? 12 : 0.02) * SIMD3(triangle(time / 2), triangle(time + 0.3), 0)
        return motion
    }

    private static func triangle(_ turns: Double) -> Double {
        4 * abs(turns - (turns + 0.5).rounded(.down)) - 1
    }

    @Test("A pulse whose clock is set back before it ends began no later than its end")
    func pulseSetBack() {
        var pulse = Pulse(refractory: .zero)
        let measures = GestureMeasures(sinceStart: 0.0625)
        let began = Recognition(.began, strength: 1, confidence: 1, measures: measures)
        let fired = pulse.fire(began, at: DeviceTime(nanoseconds: 5_000_000_000))
        #expect(fired?.phase == .began)
        let end = pulse.end(at: DeviceTime(nanoseconds: 1_000_000_000))
        #expect(end?.phase == .ended)
        #expect(end?.measures.sinceStart == 0.0625)
    }

    @Test("They see what each of them sees by itself, and a copy of the row goes its own way")
    func likeAlone() {
        let recognizers = GestureDefinition.all.map { $0.makeRecognizer() }
        var alone = recognizers
        var row = RecognizerRow(recognizers)
        var copy: RecognizerRow?
        var count = 0
        for (place, motion) in Self.motions.enumerated() {
            if place == 3_000 {
                // Shown other motion, it must not disturb the one that it was copied from.
                copy = row
                copy?.interrupt()
                for motion in Self.motions.prefix(500) { _ = copy?.update(motion, from: 0) }
            }
            if place % 900 == 899 {
                row.interrupt()
                for gesture in alone.indices { alone[gesture].interrupt() }
            }
            var seen: [(Int, Recognition)] = []
            while let (gesture, recognition) = row.update(motion, from: seen.last.map { $0.0 + 1 } ?? 0) {
                seen.append((gesture, recognition))
            }
            let expected = alone.indices.compactMap { gesture in alone[gesture].update(motion).map { (gesture, $0) } }
            #expect(seen.elementsEqual(expected, by: ==))
            count += expected.count
        }
        #expect(count > 50)
    }

    @Test("Of several that see something in one sample each is told")
    func together() {
        let also = GestureDefinition(GestureKind(rawValue: "also"), .threshold(ThresholdRule()))
        var bench = Bench(MergeConfiguration(gestures: [.keepCalmJump, .tilt, also]))
        var samples = (0..<40).map { resting($0) }
        samples[30].acceleration.y = -9
        bench.send(samples)
        let began = bench.seen.filter { $0.contains("began") }.map { $0.split(separator: "@") }
        #expect(began.map { $0[0] } == ["keepcalm-jump.began", "also.began"])
        #expect(began.count == 2 && began[0][1] == began[1][1])
    }

    @Test("What they hold lives as long as the row and its copies, each of which counts for itself")
    func lifetime() {
        weak var kept: Counter.Kept?
        do {
            let holder = Counter.Kept()
            kept = holder
            var row = RecognizerRow([Blind(), Counter(kept: holder), Blind(), Counter(kept: holder, seen: 10)])
            #expect(row.count == 4)
            #expect(looked(&row, from: 0) == [1, 1])
            #expect(looked(&row, from: 2) == [3, 11])
            #expect(looked(&row, from: 4) == nil && row.shaping.isEmpty)
            var copy = row
            #expect(looked(&copy, from: 0) == [1, 2])
            #expect(copy.shaping == [1] && row.shaping.isEmpty)
            copy.interrupt()
            #expect(looked(&copy, from: 3) == [3, 1])
            #expect(looked(&row, from: 3) == [3, 12])
        }
        #expect(kept == nil)
        var none = RecognizerRow()
        #expect(looked(&none, from: 0) == nil && none.count == 0)
    }

    /// Which saw something, and what a ``Counter`` counted.
    private func looked(_ row: inout RecognizerRow, from first: Int) -> [Int]? {
        row.update(Self.lying, from: first).map { [$0.gesture, Int(($0.seen.strength * 100).rounded())] }
    }
}
