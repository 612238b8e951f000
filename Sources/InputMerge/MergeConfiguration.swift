import WireProtocol

/// How a room turns samples into gestures.
public struct MergeConfiguration: Hashable, Sendable {
    /// How long a missing sample is awaited after a later one came: 0 to 250 ms.
    public var holdback: Duration
    /// Gaps up to this long are filled by interpolation, longer ones degrade the motion: 0 to 1 s.
    public var longestBridge: Duration
    /// A controller that was not heard for so long, its sensor's batch not counted, is not waited for when all must act
    /// together: 100 ms to 1 min.
    public var silence: Duration
    /// Samples that waited longer at the host are late: what came while it stood still must not make anyone jump.
    /// 100 ms to 1 min.
    public var longestWait: Duration
    /// Samples that are older when they are looked at, as far as the clocks tell and their sensor's batch not counted,
    /// are late. Long enough for a link that died to be replaced: 100 ms to 1 min.
    public var oldest: Duration
    /// What players can do, and what contests can be about beside what was taught.
    public var gestures: [GestureDefinition]
    /// How the controllers of one player act together.
    public var fusion: FusionRule
    /// What makes orientations of raw axes.
    public var orientation: OrientationMethod
    /// How much of each sample at 100 Hz the low-passed user acceleration takes over: 0.01 (very smooth) to 1 (raw).
    public var lowPassFactor: Double
    /// Players who act together.
    public var teams: [Team]
    /// Which gestures are contests.
    public var contests: ContestRules

    /// - Parameter fusion: makes no difference where each controller drives a player of its own.
    public init(
        holdback: Duration = .milliseconds(60), longestBridge: Duration = .milliseconds(150),
        silence: Duration = .seconds(2), longestWait: Duration = .seconds(1), oldest: Duration = .seconds(3),
        gestures: [GestureDefinition] = GestureDefinition.usual,
        fusion: FusionRule = .any, teams: [Team] = [], contests: ContestRules = ContestRules(),
        orientation: OrientationMethod = .handheld, lowPassFactor: Double = 0.1
    ) {
        self.holdback = holdback
        self.longestBridge = longestBridge
        self.silence = silence
        self.longestWait = longestWait
        self.oldest = oldest
        self.gestures = gestures
        self.fusion = fusion
        self.orientation = orientation
        self.lowPassFactor = lowPassFactor
        self.teams = teams
        self.contests = contests
    }

    /// Which value is out of its range, in words for whoever set it; `nil` when all are usable.
    public var problem: String? {
        for gesture in gestures {
            if let problem = gesture.problem { return problem }
        }
        let minute: ClosedRange<Duration> = .milliseconds(100) ... .seconds(60)
        let ofTimes: String? =
            outOfRange("holdback", holdback, in: .zero ... .milliseconds(250))
            ?? outOfRange("longestBridge", longestBridge, in: .zero ... .seconds(1))
            ?? outOfRange("silence", silence, in: minute) ?? outOfRange("longestWait", longestWait, in: minute)
            ?? outOfRange("oldest", oldest, in: minute)
        return ofTimes ?? outOfRange("lowPassFactor", lowPassFactor, in: 0.01...1, unit: "of a sample at 100 Hz")
            ?? fusion.problem ?? contests.problem ?? contests.missing(from: gestures) ?? teamsProblem
    }

    /// What contests are about and a motor could make, too: while a controller's own haptic plays, pushes and taps of its
    /// player are not told, and what lasts is told later.
    package var contestsHiddenByHaptics: [GestureKind] {
        gestures.filter { contests.gestures.contains($0.kind) && $0.isHiddenByHaptics }.map(\.kind)
    }

    private var teamsProblem: String? {
        for (place, team) in teams.enumerated() {
            if let problem = team.problem { return problem }
            if teams[..<place].contains(where: { $0.name == team.name }) { return "there are two teams \(team.name)" }
        }
        return teams.count > 1_000 ? "at most 1000 teams" : nil
    }

    /// Samples that a stream must be able to hold back: what comes within holdback, and a batch of one second.
    func ringCapacity(rate: Double) -> Int {
        let seconds = 1 + Double(holdback.wholeNanoseconds) / 1e9
        return Int(min(max(rate * seconds, 64), 4_096))
    }

    /// Twice what a sensor of the declared rate reads in the longest gap that is filled: whoever leaves out more in that
    /// time does not keep to its rate.
    func mostBridged(rate: Double) -> Int {
        let seconds = Double(longestBridge.wholeNanoseconds) / 1e9
        return Int(min(2 * rate * seconds + 1, 4_096))
    }
}
