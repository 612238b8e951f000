/// How well the motion stage did on a folder of recordings with truth, one line a measure.
public struct ScoreReport: Hashable, Sendable, Codable {
    public var lines: [ScoreLine] = []
    /// What was not scored, and why: `events/steps.csv: not there`.
    public var skipped: [String] = []
    /// Where the recordings that are missing can be had.
    public var sources: [RecordingSource] = []

    public init(lines: [ScoreLine] = [], skipped: [String] = [], sources: [RecordingSource] = []) {
        self.lines = lines
        self.skipped = skipped
        self.sources = sources
    }

    /// The lines that are held against a goal.
    public var goals: [ScoreLine] { lines.filter { $0.verdict != nil } }

    public static func += (report: inout ScoreReport, other: ScoreReport) {
        report.lines += other.lines
        report.skipped += other.skipped
        report.sources += other.sources
    }
}
