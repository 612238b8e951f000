package import WireProtocol

/// A player's move in a contest: an interval on the host's clock that holds the true moment.
package struct Candidate: Sendable {
    package let player: PlayerNumber
    let id: GestureID
    package let occurredAt: HostTime
    let uncertaintyNanoseconds: Int64?
    /// Whether its time can be compared with others', and if not, why.
    let claim: Verdict.Contender.Reason
    /// The true moment lies between these; both are ``occurredAt`` where no claim is made.
    let earliest: HostTime
    let latest: HostTime

    package init(
        player: PlayerNumber, id: GestureID, occurredAt: HostTime, uncertaintyNanoseconds: Int64?,
        clock: ClockMapping.State, rules: ContestRules
    ) {
        self.player = player
        self.id = id
        self.occurredAt = occurredAt
        self.uncertaintyNanoseconds = uncertaintyNanoseconds
        switch clock {
        case .none: claim = .clockUnknown
        case .stale: claim = .clockStale
        case .coarse, .locked:
            // Else a controller that calls its sensor slow enough would tie with everybody.
            claim = uncertaintyNanoseconds.map { .nanoseconds($0) <= rules.cap ? .placed : .vague } ?? .clockUnknown
        }
        let reach = claim == .placed ? Duration.nanoseconds(uncertaintyNanoseconds ?? 0) : .zero
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

    package static let gone = PlayerKnowledge(isLive: false, watermark: nil, uncertaintyNanoseconds: nil)

    package init(isLive: Bool, watermark: HostTime?, uncertaintyNanoseconds: Int64?) {
        self.isLive = isLive
        self.watermark = watermark
        self.uncertaintyNanoseconds = uncertaintyNanoseconds
    }

    /// The watermark less its uncertainty; one that is too wide for a claim is not waited for.
    func surely(within cap: Duration) -> HostTime? {
        let reach = Duration.nanoseconds(uncertaintyNanoseconds ?? 0)
        return watermark.map { reach <= cap ? $0 - reach : $0 }
    }
}
