public import Foundation

extension ScoreReport {
    /// Everything that a folder of recordings allows; `progress` is told in words what is being done.
    public static func all(in folder: URL, progress: (String) -> Void = { _ in }) -> ScoreReport {
        var report = OrientationScore.report(in: folder, progress: progress)
        let events: [(name: String, score: (URL) throws -> [ScoreLine])] = [
            ("events/sisfall_jumps.csv", EventsScore.jumps), ("events/phone_freefall.csv", EventsScore.freeFall),
            ("events/steps.csv", EventsScore.steps), ("everyday motion in events/sisfall_jumps.csv", EventsScore.negatives),
        ]
        for (name, score) in events {
            progress(name)
            do {
                report.lines += try score(folder)
            } catch {
                report.skipped.append("\(name): cannot be read, or its labels cannot")
            }
        }
        report += GesturesScore.report(in: folder, progress: progress)
        return report
    }
}
