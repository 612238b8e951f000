import Foundation
import InputMerge

/// Compares gravity fused here from an iPhone's axes with what iOS said itself.
///
/// At rest iOS is a truth. Under steady motion it is none (its user acceleration, integrated, can imply speeds that nobody
/// has), so there the stage is held against VQF as published on the same rows: the mean over starts at 0, 1, 2 and 3 s, as a
/// filter may be lucky with its first sample.
enum GravityScore {
    /// iOS, and the filter, find their own gravity at first.
    private static let skipped = 1.0
    private static let starts = [0.0, 1, 2, 3]

    static func report(in folder: URL, progress: (String) -> Void) -> ScoreReport {
        var report = ScoreReport()
        let files = OrientationScore.files(in: folder, prefix: "ios_")
        if files.isEmpty { report.skipped.append("coremotion/ios_*.csv: not there") }
        for file in files {
            let recording: OrientationRecording
            do {
                recording = try OrientationRecording(coreMotion: file, in: folder)
            } catch {
                report.skipped.append("coremotion/" + ScoreTable.reason(error, for: file))
                continue
            }
            for conditions in OrientationConditions.all {
                progress("coremotion/\(file), \(conditions.name)")
                guard let error = error(of: recording, under: conditions) else { continue }
                let isGoal = conditions.name == "as recorded" && recording.isAtRest
                report.lines.append(
                    ScoreLine(
                        "\(recording.name), \(conditions.name): gravity against iOS, RMSE", error, "°",
                        parity: isGoal ? 0.2 : nil, target: isGoal ? 0.1 : nil, isCost: true))
            }
            if !recording.isAtRest, let above = abovePublished(recording) {
                report.lines.append(
                    ScoreLine(
                        "\(recording.name): gravity against iOS, above VQF as published, mean over starts", above, "°",
                        parity: 0.5, target: 0, isCost: true))
            }
        }
        return report
    }

    private static func abovePublished(_ recording: OrientationRecording) -> Double? {
        let differences = starts.compactMap { start -> Double? in
            var late = recording
            late.rows.removeAll { $0.time < start }
            let published = OrientationConditions(name: "", orientation: .published)
            guard let ours = error(of: late, under: OrientationConditions(name: "")),
                let theirs = error(of: late, under: published)
            else { return nil }
            return ours - theirs
        }
        return differences.isEmpty ? nil : differences.reduce(0, +) / Double(differences.count)
    }

    private static func error(of recording: OrientationRecording, under conditions: OrientationConditions) -> Double? {
        var (sum, count) = (0.0, 0.0)
        let played = conditions.uneven > 0 ? recording.unevenlySampled(by: conditions.uneven, seed: 1) : recording
        let stage = StagePlayback(
            orientation: conditions.orientation, lost: conditions.lost, delay: conditions.delay)
        let first = played.rows.first?.time ?? 0
        stage.play(played) { row, motion in
            guard let truth = row.gravity, row.time >= first + skipped else { return }
            let cosine = (truth * motion.gravity).sum() / length(truth) / length(motion.gravity)
            let angle = acos(max(-1, min(1, cosine)))
            sum += angle * angle
            count += 1
        }
        return count > 0 ? (sum / count).squareRoot() * 180 / .pi : nil
    }

    private static func length(_ vector: SIMD3<Double>) -> Double { (vector * vector).sum().squareRoot() }
}

extension OrientationRecording {
    /// Whether it hardly ever turns, in nineteen of twenty samples.
    var isAtRest: Bool {
        let rates = rows.map { ($0.rate * $0.rate).sum().squareRoot() }.sorted()
        return rates.isEmpty || rates[Int(0.95 * Double(rates.count - 1))] < 0.15
    }
}
