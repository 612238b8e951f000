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

/// One measure of one set of recordings.
public struct ScoreLine: Hashable, Sendable, Codable {
    /// Which recordings: `broad_06_undisturbed_fast_rotation_A, 5 % lost`.
    public var set: String
    /// What was measured: `inclination RMSE`.
    public var measure: String
    /// Of ``value``, ``parity`` and ``aim``: `°`, `%`, `ms`; empty for a bare number.
    public var unit: String
    public var value: Double
    /// What others reach; `nil` when nobody said.
    public var parity: Double?
    /// What we want; `nil` where the line only informs.
    public var aim: Double?
    /// Whether a smaller value is the better one.
    public var isLessBetter: Bool

    public init(
        set: String, measure: String, unit: String, value: Double, parity: Double? = nil, aim: Double? = nil,
        isLessBetter: Bool = true
    ) {
        self.set = set
        self.measure = measure
        self.unit = unit
        self.value = value
        self.parity = parity
        self.aim = aim
        self.isLessBetter = isLessBetter
    }

    /// Whether the aim is met; `nil` without one.
    public var meetsAim: Bool? { aim.map { isLessBetter ? value <= $0 : value >= $0 } }
    /// Whether the value is at least as good as others'; `nil` where nobody said.
    public var meetsParity: Bool? { parity.map { isLessBetter ? value <= $0 : value >= $0 } }
}
