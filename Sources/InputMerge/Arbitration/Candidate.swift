package import WireProtocol

/// A player's move in a contest: an interval on the host's clock that holds the true moment.
package struct Candidate: Sendable {
    package let player: PlayerNumber
    let id: GestureID
    /// When the body moved: of one that is placed the middle of the time in which it may have.
    package let occurredAt: HostTime
    let uncertaintyNanoseconds: Int64?
    /// When the sample was taken that shows it: nobody knew before.
    let shownAt: HostTime
    /// So long before that the body moved.
    let onset: Duration
    /// Whether its time can be compared with others', and if not, why.
    let claim: Verdict.Contender.Reason
    /// The true moment lies between these; both are ``occurredAt`` where no claim is made.
    let earliest: HostTime
    let latest: HostTime

    /// - Parameters:
    ///   - shownAt: when the sample was taken that shows it.
    ///   - uncertaintyNanoseconds: how far that may be wrong either way.
    ///   - unseenNanoseconds: part of that: the time before, since the last look. From its middle it is known twice as well.
    ///   - onset: how long before it was shown the body had moved; see ``GestureDefinition/longestOnset``.
    package init(
        player: PlayerNumber, id: GestureID, shownAt: HostTime, uncertaintyNanoseconds: Int64?,
        unseenNanoseconds: Int64, onset: Duration = .zero, clock: ClockMapping.State, rules: ContestRules
    ) {
        self.player = player
        self.id = id
        self.shownAt = shownAt
        self.onset = onset
        let half = max(0, min(unseenNanoseconds, uncertaintyNanoseconds ?? 0)) / 2
        let known = uncertaintyNanoseconds.map { $0 - half }
        switch clock {
        case .none: claim = .clockUnknown
        case .stale: claim = .clockStale
        case .coarse, .locked:
            // Else a controller that calls its sensor slow enough would tie with everybody.
            claim = known.map { .nanoseconds($0) <= rules.cap ? .placed : .vague } ?? .clockUnknown
        }
        occurredAt = shownAt - onset - (claim == .placed ? .nanoseconds(half) : .zero)
        self.uncertaintyNanoseconds = claim == .placed ? known : uncertaintyNanoseconds
        let reach = claim == .placed ? Duration.nanoseconds(known ?? 0) : .zero
        earliest = occurredAt - reach
        latest = occurredAt + reach
    }

    func isListed(before other: Candidate) -> Bool {
        (player, occurredAt, id) < (other.player, other.occurredAt, other.id)
    }

    /// The intervals do not overlap, and this one lies first.
    func definitelyPrecedes(_ other: Candidate) -> Bool { latest < other.earliest }

    /// Ranks by peeling: the first are all whom nobody definitely precedes; without them, the next are; and so on.
    ///
    /// ```
    /// A ├───┤
    /// B    ├────┤          A = B, then C: A precedes C, and B does not
    /// C        ├────┤
    /// ```
    static func ranked(_ candidates: [Candidate]) -> [[PlayerNumber]] {
        var ranks: [[PlayerNumber]] = []
        var left = candidates
        // Nobody precedes whoever's interval ends first, so every turn takes one at least.
        while let soonest = left.min(by: { $0.latest < $1.latest }) {
            ranks.append(left.filter { !soonest.definitelyPrecedes($0) }.map(\.player).sorted())
            left = left.filter { soonest.definitelyPrecedes($0) }
        }
        return ranks
    }
}

/// What is known of a player at some moment.
package struct PlayerKnowledge: Sendable {
    /// Heard of late.
    var isLive: Bool
    /// Everything that the player did until then is known; `nil` before the first sample.
    var watermark: HostTime?
    /// How far that moment may be wrong, as for a gesture.
    var uncertaintyNanoseconds: Int64?
    /// Before the watermark, and all the same not known: the newest sample of that time was too old to be acted on
    /// when it was looked at.
    var refusedAt: HostTime?

    package static let gone = PlayerKnowledge(isLive: false, watermark: nil, uncertaintyNanoseconds: nil)

    package init(
        isLive: Bool, watermark: HostTime?, uncertaintyNanoseconds: Int64?, refusedAt: HostTime? = nil
    ) {
        self.isLive = isLive
        self.watermark = watermark
        self.uncertaintyNanoseconds = uncertaintyNanoseconds
        self.refusedAt = refusedAt
    }

    /// The same of gestures that are told so long after the body moved.
    func told(after onset: Duration) -> PlayerKnowledge {
        var earlier = self
        earlier.watermark = watermark.map { $0 - onset }
        return earlier
    }

    /// The watermark less its uncertainty; one that is too wide for a claim is not waited for.
    func surely(within cap: Duration) -> HostTime? {
        let reach = Duration.nanoseconds(uncertaintyNanoseconds ?? 0)
        return watermark.map { reach <= cap ? $0 - reach : $0 }
    }
}
