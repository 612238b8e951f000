/// Which gestures are contests, and how it is decided who was first.
///
/// ```
///        first move                                     pause
/// ──────────┼────────────┼──────────┼─────────────────────┼──────▶ when it happened
///           └── window ──┘          │                     └ the next contest may begin
///           └───────── cap ─────────┘ the verdict falls at the latest, on the host's clock
/// ```
/// A jump counts from when it left the ground, a fall from when it was let go, a tap from its knock, and a button from its
/// press: whoever needs longer to be recognised loses nothing by it. All others are waited for so much longer, for a jump
/// 250 ms as it is defined. Other gestures count from when they are complete.
public struct ContestRules: Hashable, Sendable {
    /// What happens when several may have been first.
    public enum Ties: String, Hashable, Sendable, Codable, CaseIterable {
        /// All of them win.
        case share
        /// Nobody wins; it is to be played again.
        case replay
        /// One of them wins, by a draw that anyone can repeat from the seed.
        case draw
    }

    /// The gestures that are judged, each in contests of its own; none by default.
    public var gestures: [GestureKind]
    /// What becomes of players between whom the clocks cannot decide.
    public var ties: Ties
    /// Who moves within this time of the first is ranked; it also is how long nobody can be first any more. 0 to 2 s.
    public var window: Duration
    /// The verdict falls so long after the first move even if somebody's samples have not come, and by as much later as the
    /// gesture may show late: 10 ms to 5 s.
    public var cap: Duration
    /// So long after the first move no new contest begins; who moves meanwhile, after ``window``, comes too late.
    /// 0 to 60 s.
    public var pause: Duration
    /// What draws are drawn from.
    public var seed: UInt64

    /// Rules by which nothing is judged until ``gestures`` names something; window and cap suit links of up to 100 ms.
    public init(
        gestures: [GestureKind] = [], ties: Ties = .share, window: Duration = .milliseconds(100),
        cap: Duration = .milliseconds(250), pause: Duration = .seconds(1), seed: UInt64 = 0
    ) {
        self.gestures = gestures
        self.ties = ties
        self.window = window
        self.cap = cap
        self.pause = pause
        self.seed = seed
    }

    /// Which value is out of its range, in words for whoever set it; `nil` when all are usable.
    public var problem: String? {
        if gestures.count > 64 { return "at most 64 gestures are judged" }
        for (place, gesture) in gestures.enumerated() where gestures[..<place].contains(gesture) {
            return "\(gesture.rawValue) is judged twice"
        }
        return outOfRange("contest window", window, in: .zero ... .seconds(2))
            ?? outOfRange("contest cap", cap, in: .milliseconds(10) ... .seconds(5))
            ?? outOfRange("contest pause", pause, in: .zero ... .seconds(60))
    }

    /// What is to be judged, is one of those that are `known`, as what players teach is not, and is not watched for, in
    /// words; nobody would ever be first at it.
    package func missing(
        from watched: [GestureDefinition], of known: [GestureDefinition] = GestureDefinition.all
    ) -> String? {
        let missing = gestures.first { gesture in
            !watched.contains { $0.kind == gesture } && known.contains { $0.kind == gesture }
        }
        return missing.map { "a contest is about \($0.rawValue), which is not among the gestures that are watched for" }
    }
}
