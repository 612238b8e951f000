import Foundation
import InputMerge

/// Compares gravity fused here from an iPhone's axes with what iOS said itself.
enum GravityScore {
    /// iOS finds its own gravity at first.
    private static let skipped = 1.0

    static func report(in folder: URL, progress: (String) -> Void) -> ScoreReport {
        var report = ScoreReport()
        let files = OrientationScore.files(in: folder, prefix: "ios_")
        if files.isEmpty { report.skipped.append("coremotion/ios_*.csv: not there") }
        for file in files {
            guard let recording = try? OrientationRecording(coreMotion: file, in: folder) else {
                report.skipped.append("coremotion/\(file): cannot be read")
                continue
            }
            for conditions in OrientationConditions.all {
                progress("coremotion/\(file), \(conditions.name)")
                guard let error = error(of: recording, under: conditions) else { continue }
                let isPlain = conditions.name == "as recorded"
                let rests = recording.name.contains("rest")
                report.lines.append(
                    ScoreLine(
                        "\(recording.name), \(conditions.name): gravity against iOS, RMSE", error, "°",
                        parity: isPlain ? rests ? 0.2 : 6.3 : nil, target: isPlain ? rests ? 0.1 : 4 : nil,
                        isCost: true))
            }
        }
        return report
    }

    private static func error(of recording: OrientationRecording, under conditions: OrientationConditions) -> Double? {
        var (sum, count) = (0.0, 0.0)
        let played = conditions.uneven > 0 ? recording.unevenlySampled(by: conditions.uneven, seed: 1) : recording
        let stage = StagePlayback(
            orientation: conditions.orientation, lost: conditions.lost, delay: conditions.delay)
        stage.play(played) { row, motion in
            guard let truth = row.gravity, row.time >= skipped else { return }
            let cosine = (truth * motion.gravity).sum() / length(truth) / length(motion.gravity)
            let angle = acos(max(-1, min(1, cosine)))
            sum += angle * angle
            count += 1
        }
        return count > 0 ? (sum / count).squareRoot() * 180 / .pi : nil
    }

    private static func length(_ vector: SIMD3<Double>) -> Double { (vector * vector).sum().squareRoot() }
}
