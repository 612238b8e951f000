/// How well the motion stage did on a folder of recordings with truth, one line a measure.
package struct ScoreReport: Hashable, Sendable, Codable {
    package var lines: [ScoreLine] = []
    /// What was not scored, and why: `events/steps.csv: not there`.
    package var skipped: [String] = []
    /// Where the recordings that are missing can be had.
    package var sources: [RecordingSource] = []

    package init(lines: [ScoreLine] = [], skipped: [String] = [], sources: [RecordingSource] = []) {
        self.lines = lines
        self.skipped = skipped
        self.sources = sources
    }

    /// The lines that are held against a goal.
    package var goals: [ScoreLine] { lines.filter { $0.verdict != nil } }

    /// What nothing here shows is neither reached nor missed.
    mutating func skipAbsent() {
        skipped += lines.filter { !$0.value.isFinite }.map(\.absence)
        lines.removeAll { !$0.value.isFinite }
    }

    package static func += (report: inout ScoreReport, other: ScoreReport) {
        report.lines += other.lines
        report.skipped += other.skipped
        report.sources += other.sources
    }
}
