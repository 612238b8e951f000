/// How well the motion stage did on a folder of recordings with truth, one line a measure.
public struct ScoreReport: Hashable, Sendable, Codable {
    public var lines: [ScoreLine] = []
    /// What was not scored, and why: `events/steps.csv: not there`.
    public var skipped: [String] = []

    public init(lines: [ScoreLine] = [], skipped: [String] = []) {
        self.lines = lines
        self.skipped = skipped
    }

    public static func += (report: inout ScoreReport, other: ScoreReport) {
        report.lines += other.lines
        report.skipped += other.skipped
    }
}
