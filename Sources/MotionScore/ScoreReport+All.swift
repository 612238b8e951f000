package import Foundation

extension ScoreReport {
    /// Everything that a folder of recordings allows; `progress` is told in words what is being done.
    package static func all(in folder: URL, progress: (String) -> Void = { _ in }) -> ScoreReport {
        var report = OrientationScore.report(in: folder, progress: progress)
        let events: [(name: String, score: (URL) throws -> [ScoreLine])] = [
            ("events/sisfall_jumps.csv", EventsScore.jumps),
            ("events/sisfall_jumps.csv, touchdown", EventsScore.touchdown),
            ("events/phone_freefall.csv", EventsScore.freeFall), ("events/steps.csv", EventsScore.steps),
            ("everyday motion in events/", EventsScore.negatives), ("shakes in events/", EventsScore.shakes),
            ("gestures/tennis_swings.csv, swings", EventsScore.swings),
        ]
        for (name, score) in events {
            progress(name)
            do {
                report.lines += try score(folder)
            } catch let absent as ScoreTable.Absent {
                let isItself = name.hasPrefix(absent.file)
                report.skipped.append(isItself ? "\(name): not there" : "\(name): no \(absent.file)")
            } catch {
                report.skipped.append("\(name): cannot be read, or its labels cannot")
            }
        }
        if !report.lines.contains(where: { $0.name.hasPrefix("shakes, recorded") }) {
            report.skipped.append(
                "shakes, recorded ones found (wanted 95 %): no events/shakes.csv with its labels")
        }
        report += GesturesScore.report(in: folder, progress: progress)
        report.skipAbsent()
        report.sources = RecordingSource.missing(in: folder)
        return report
    }
}
