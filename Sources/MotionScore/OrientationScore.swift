package import Foundation
import InputMerge

/// Scores device motion on recordings with an optical reference, on what the authors of VQF get, and on iPhones' own.
package enum OrientationScore {
    /// - Parameter progress: is told in words what is being done.
    package static func report(in folder: URL, progress: (String) -> Void = { _ in }) -> ScoreReport {
        var report = ScoreReport()
        let optical = files(in: folder.appending(path: "orientation"), prefix: "broad_")
        if optical.isEmpty { report.skipped.append("orientation/broad_*.csv: not there") }
        var recordings: [OrientationRecording] = []
        for file in optical {
            progress("orientation/\(file)")
            do {
                let recording = try OrientationRecording(optical: file, in: folder.appending(path: "orientation"))
                recordings.append(recording)
                report += GoldenScore.report(of: recording, file: file, in: folder)
            } catch {
                report.skipped.append("orientation/" + ScoreTable.reason(error, for: file))
            }
        }
        for conditions in OrientationConditions.all where !recordings.isEmpty {
            progress("orientation, \(conditions.name)")
            report.lines += lines(recordings, under: conditions)
        }
        if !recordings.isEmpty { report.lines += BiasScore.lines(recordings) }
        report += GravityScore.report(in: folder.appending(path: "coremotion"), progress: progress)
        return report
    }

    /// Names of CSV files that begin so, in order.
    static func files(in folder: URL, prefix: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? []
        return names.filter { $0.hasPrefix(prefix) && $0.hasSuffix(".csv") }.sorted()
    }

    private static func lines(
        _ recordings: [OrientationRecording], under conditions: OrientationConditions
    ) -> [ScoreLine] {
        var lines: [ScoreLine] = []
        var (inclinations, totals): ([Double], [Double]) = ([], [])
        for recording in recordings {
            let error = conditions.error(of: recording)
            guard let inclination = error.inclination, let total = error.total else { continue }
            inclinations.append(inclination)
            totals.append(total)
            let name = "\(recording.name), \(conditions.name)"
            lines.append(ScoreLine("\(name): inclination RMSE", inclination, "°", isCost: true))
            lines.append(ScoreLine("\(name): total RMSE", total, "°", isCost: true))
        }
        guard !inclinations.isEmpty else { return [] }
        let mean = { (values: [Double]) in values.reduce(0, +) / Double(values.count) }
        lines.append(
            ScoreLine(
                "all recordings, \(conditions.name): inclination RMSE, mean", mean(inclinations), "°",
                parity: conditions.inclinationParity, target: conditions.inclinationTarget, isCost: true))
        lines.append(
            ScoreLine(
                "all recordings, \(conditions.name): total RMSE, mean", mean(totals), "°",
                parity: conditions.totalParity, target: conditions.totalTarget, isCost: true))
        return lines
    }
}

/// What is done to a recording before the stage sees it, and what is wanted then.
struct OrientationConditions {
    var name: String
    var orientation = OrientationMethod.handheld
    var lost = 0.0
    /// How late samples arrive at most, in s.
    var delay = 0.0
    /// How unevenly they are taken, as a share of their interval either way.
    var uneven = 0.0
    var inclinationParity: Double? = 0.95
    var inclinationTarget: Double? = 0.80
    var totalParity: Double? = 3.5
    var totalTarget: Double? = 2.5

    static let all = [
        OrientationConditions(name: "as recorded"),
        OrientationConditions(name: "1 % lost", lost: 0.01),
        OrientationConditions(name: "5 % lost", lost: 0.05),
        OrientationConditions(
            name: "20 % lost", lost: 0.2, inclinationParity: nil, inclinationTarget: nil, totalParity: nil),
        OrientationConditions(name: "arriving up to 40 ms late", delay: 0.04),
        OrientationConditions(name: "sampled unevenly by 30 %", uneven: 0.3),
        OrientationConditions(
            name: "5 % lost, 40 ms late, uneven by 30 %", lost: 0.05, delay: 0.04, uneven: 0.3, inclinationParity: 1.2,
            inclinationTarget: 1),
        OrientationConditions(
            name: "VQF as published", orientation: .published, inclinationTarget: nil, totalTarget: nil),
        OrientationConditions(
            name: "Madgwick", orientation: .madgwick, inclinationParity: nil, inclinationTarget: nil, totalParity: nil,
            totalTarget: nil),
    ]

    func error(of recording: OrientationRecording, seed: UInt64 = 1) -> OrientationError {
        var error = OrientationError()
        let played = uneven > 0 ? recording.unevenlySampled(by: uneven, seed: seed) : recording
        let stage = StagePlayback(orientation: orientation, lost: lost, delay: delay, seed: seed)
        stage.play(played) { row, motion in
            guard let truth = row.attitude else { return }
            error.add(truth: truth, estimate: motion.attitude, isMoving: row.isMoving)
        }
        return error
    }
}
