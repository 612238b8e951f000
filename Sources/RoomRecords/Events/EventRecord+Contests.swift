package import InputMerge
import WireProtocol

extension EventRecord {
    /// A gesture of several players together.
    package struct Team: Hashable, Sendable, Codable {
        package var n: Int?
        package var at: Double
        /// ± ms; `nil` only while a controller's clock is `none`.
        @ExplicitNull package var uncertainty: Double? = nil
        package var team: String
        package var gesture: String
        package var phase: Gesture.Phase
        /// One id from `began` to `ended`.
        package var id: String
        /// 0 … 1.
        package var strength: Double
        /// 0 … 1.
        package var confidence: Double
        package var players: [Int]
        /// `button` where one of them pressed one instead of moving; left out where all moved.
        package var source: String? = nil
    }

    package struct Verdict: Hashable, Sendable, Codable {
        package var n: Int?
        package var at: Double
        package var id: String
        /// The gesture that was waited for.
        package var gesture: String
        /// Players, the first first; those in one inner list are tied.
        package var order: [[Int]]
        /// Who wins, after ties were dealt with; nobody when it is to be played again.
        package var winners: [Int]
        /// `share`, `replay` or `draw`.
        package var ties: String
        /// A tie, and nobody wins.
        package var replay: Bool
        /// Who moved, but has no rank, as its clock allows no claim.
        package var unranked: [Int]
        /// Who was not waited for and could have been first.
        package var missed: [Int]
        /// `watermark`: everybody's samples were there; `cap`: the time was up.
        package var decidedBy: String
        /// What the verdict rests on, by player.
        package var evidence: [Evidence]

        package struct Evidence: Hashable, Sendable, Codable {
            package var player: Int
            /// `placed`, `idle`, `missed`, `lost`, `clock-none`, `clock-stale` or `vague`.
            package var reason: String
            /// From 1; `nil` without a rank.
            @ExplicitNull package var rank: Int? = nil
            /// When the player moved.
            @ExplicitNull package var at: Double? = nil
            /// ± ms.
            @ExplicitNull package var uncertainty: Double? = nil
            /// The gesture's id.
            @ExplicitNull package var gesture: String? = nil
            /// Up to when all that the player did was known, at the verdict.
            @ExplicitNull package var watermark: Double? = nil
        }
    }
}

extension EventRecord.Verdict {
    /// Whose evidence is told: of up to 64 contenders everybody's; of more, only theirs who moved or were not there.
    package static func told<Contender>(of contenders: [Contender], isIdle: (Contender) -> Bool) -> [Contender] {
        contenders.count <= 64 ? contenders : contenders.filter { !isIdle($0) }
    }

    package init(_ verdict: Verdict, _ clock: RecordClock) {
        self.init(
            at: clock.milliseconds(verdict.decidedAt), id: verdict.id.description, gesture: verdict.gesture.rawValue,
            order: verdict.order, winners: verdict.winners, ties: verdict.ties.rawValue,
            replay: verdict.isToBeReplayed, unranked: verdict.unranked, missed: verdict.missed,
            decidedBy: verdict.decidedBy.rawValue,
            evidence: Self.told(of: verdict.contenders) { $0.reason == .idle }.map { contender in
                Evidence(
                    player: contender.player, reason: contender.reason.rawValue, rank: contender.rank,
                    at: contender.occurredAt.map(clock.milliseconds),
                    uncertainty: contender.uncertaintyNanoseconds.map(RecordClock.milliseconds),
                    gesture: contender.gesture?.description, watermark: contender.watermark.map(clock.milliseconds))
            })
    }
}

extension EventRecord.Team {
    package init(_ gesture: TeamGestureEvent, _ clock: RecordClock) {
        self.init(
            at: clock.milliseconds(gesture.occurredAt),
            uncertainty: gesture.uncertaintyNanoseconds.map(RecordClock.milliseconds), team: gesture.team,
            gesture: gesture.gesture.rawValue, phase: .init(gesture.phase), id: gesture.id,
            strength: gesture.strength, confidence: gesture.confidence, players: gesture.players,
            source: gesture.source == .motion ? nil : gesture.source.rawValue)
    }
}
