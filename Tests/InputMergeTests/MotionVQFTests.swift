import Foundation
import Testing

@testable import InputMerge

@Suite("VQF")
struct MotionVQFTests {
    /// What vqf 2.1.2 (C++) made of the recording of the same name is written down in `golden_vqf6d_…`: quaternion,
    /// bias and rest at each `row`.
    @Test(
        "With the published parameters it gives what the authors' program gives, to 1e-7",
        arguments: ["06_undisturbed_fast_rotation_A", "10_undisturbed_slow_translation_A", "24_disturbed_tapping_A"])
    func parity(name: String) throws {
        guard let recording = try? Table(motion: "orientation/broad_\(name).csv") else {
            print("skipped: no recording broad_\(name)")
            return
        }
        let golden = try Table(motion: "orientation/golden_vqf6d_\(name).csv")
        var filter = VQFFilter(.published, interval: 0.0105)
        var (next, worst, worstBias, wrongRests) = (0, 0.0, 0.0, 0)
        for row in recording.rows.indices where next < golden.rows.count {
            filter.update(rotationRate: recording.vector(row, "g"), force: recording.vector(row, "a"))
            guard golden[next, "row"] == Double(row) else { continue }
            let q = filter.attitude
            let ours = SIMD4(q.w, q.x, q.y, q.z)
            let theirs = SIMD4(golden[next, "qw"], golden[next, "qx"], golden[next, "qy"], golden[next, "qz"])
            worst = max(worst, min(largest(ours - theirs), largest(ours + theirs)))
            worstBias = max(worstBias, largest(SIMD4(filter.bias - golden.vector(next, "b"), 0)))
            if filter.isResting != (golden[next, "rest"] == 1) { wrongRests += 1 }
            next += 1
        }
        print("golden \(name): largest difference \(worst), of the bias \(worstBias) rad/s, rests \(wrongRests)")
        #expect(next == golden.rows.count)
        #expect(worst < 1e-7)
        #expect(worstBias < 1e-8)
        #expect(wrongRests == 0)
    }

    private func largest(_ difference: SIMD4<Double>) -> Double {
        max(abs(difference.x), abs(difference.y), abs(difference.z), abs(difference.w))
    }
}
