public import WireProtocol

/// Who was first, final, with everything that it rests on.
public struct Verdict: Hashable, Sendable {
    /// What let the verdict fall.
    public enum Decider: String, Hashable, Sendable, Codable {
        /// Everybody's samples were there.
        case watermark
        /// The time was up.
        case cap
    }

    /// One contender, and why it stands where it stands.
    public struct Contender: Hashable, Sendable {
        /// Why somebody has a rank, or none.
        public enum Reason: String, Hashable, Sendable, Codable {
            /// It moved and has a rank.
            case placed
            /// Its samples were there, and it did not move in time.
            case idle
            /// It was heard of late, but not up to the end of the contest, and was not waited for; or what it did came when the
            /// host, which had stood still, could not act on it any more.
            case missed
            /// It had fallen silent and was not waited for.
            case lost
            /// It moved, but its clock was never measured.
            case clockUnknown = "clock-none"
            /// It moved, but its clock has not answered for long.
            case clockStale = "clock-stale"
            /// It moved, but its time is less sure than the cap is long.
            case vague
        }

        /// Who could have moved.
        public var player: PlayerNumber
        /// Why it has its rank, or none.
        public var reason: Reason
        /// The gesture; `nil` for whoever did not move.
        public var gesture: GestureID?
        /// When it moved, device time mapped to the host's clock: the middle of the time between the sample that shows it
        /// and the one before; for a jump, a fall or a tap by as much earlier as the body moved before. `nil` for whoever
        /// did not move.
        public var occurredAt: HostTime?
        /// Clock, half a sample period and sensor latency, in ns either way.
        public var uncertaintyNanoseconds: Int64?
        /// 1 is first; `nil` for whoever is not ranked.
        public var rank: Int?
        /// Up to when it was known what the player did when the verdict fell, less the uncertainty and, of a jump, a fall or a
        /// tap, less the time by which it may show late; `nil` when nothing
        /// was known. Depends on when samples arrived, as nothing else here does but ``Verdict/decidedAt``.
        public var watermark: HostTime?
    }

    /// The gesture's name and the number of its contest.
    public var id: VerdictID
    /// What the contest was about.
    public var gesture: GestureKind
    /// Players by rank, the first first; those in one inner list are tied, in ascending order.
    public var order: [[PlayerNumber]]
    /// Who wins, after ties were dealt with as declared: none when it is to be played again.
    public var winners: [PlayerNumber]
    /// How ties are dealt with.
    public var ties: ContestRules.Ties
    /// Whether ``ties`` made a difference.
    public var isTied: Bool { (order.first?.count ?? 0) > 1 }
    /// Nobody wins because of a tie.
    public var isToBeReplayed: Bool { ties == .replay && isTied }
    /// Who moved but has no place in ``order``, as its clock allows no claim.
    public var unranked: [PlayerNumber]
    /// Who was not waited for and could have been first.
    public var missed: [PlayerNumber]
    /// Whether everybody's samples were there or the time was up.
    public var decidedBy: Decider
    /// When the verdict fell, on the host's clock: at most ``ContestRules/cap`` after the first move, and as much more as the
    /// gesture may show late.
    public var decidedAt: HostTime
    /// All who could have moved, by player.
    public var contenders: [Contender]
}

/// One verdict, unique within a ``Merge``. Numbered per gesture, so that other contests never change it.
public struct VerdictID: Hashable, Sendable, CustomStringConvertible {
    /// What the contest was about.
    public var gesture: GestureKind
    /// 1 for the gesture's first verdict.
    public var serial: UInt64

    /// For events: `v12-jump`.
    public var description: String { "v\(serial)-\(gesture.rawValue)" }
}
