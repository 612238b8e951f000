import Foundation
import InputMerge

/// Compares our VQF with what its authors' program made of the same recording.
enum GoldenScore {
    static func report(of recording: OrientationRecording, file: String, in folder: URL) -> ScoreReport {
        let name = file.replacing("broad_", with: "golden_vqf6d_")
        guard let golden = try? ScoreTable(name, in: folder.appending(path: "orientation")) else {
            return ScoreReport(skipped: ["orientation/\(name): not there"])
        }
        var filter = VQFFilter(.published, interval: 0.0105)
        var (worst, worstBias) = (0.0, 0.0)
        var left = golden.rows[...]
        for (index, row) in recording.rows.enumerated() {
            filter.update(rotationRate: row.rate, force: row.force)
            guard let fields = left.first, Int(golden.text(fields, "row")) == index else { continue }
            left.removeFirst()
            let q = filter.attitude
            let ours = SIMD4(q.w, q.x, q.y, q.z)
            let theirs = SIMD4(golden.vector(fields, "q"), golden.number(fields, "qw"))
            let sorted = SIMD4(theirs.w, theirs.x, theirs.y, theirs.z)
            worst = max(worst, min(largest(ours - sorted), largest(ours + sorted)))
            worstBias = max(worstBias, largest(SIMD4(filter.bias - golden.vector(fields, "b"), 0)))
        }
        return ScoreReport(lines: [
            ScoreLine(
                "\(recording.name): largest difference from vqf 2.1.2, of a component", worst, "", parity: 1e-6,
                target: 1e-7, isCost: true),
            ScoreLine(
                "\(recording.name): largest difference from vqf 2.1.2, of the bias", worstBias, "rad/s", isCost: true),
        ])
    }

    private static func largest(_ difference: SIMD4<Double>) -> Double {
        max(abs(difference.x), abs(difference.y), abs(difference.z), abs(difference.w))
    }
}
