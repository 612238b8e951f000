package import InputMerge
package import WireProtocol

/// A player of one of several rooms.
package struct SiteContender: Hashable, Sendable {
    /// The room's id.
    package var room: String
    /// Its number there, from 1.
    package var player: Int

    package init(room: String, player: Int) {
        self.room = room
        self.player = player
    }
}

/// Who was first of the players of several rooms: a ``Verdict`` that names them by room. Times are the referee's.
package struct SiteVerdict: Hashable, Sendable {
    /// What is known of one contender, as in ``Verdict/Contender``.
    package struct Evidence: Hashable, Sendable {
        package var who: SiteContender
        package var reason: Verdict.Contender.Reason
        /// The room's own id of the move.
        package var gesture: String?
        package var occurredAt: HostTime?
        /// Either way, in ns: the controller's clock and sensor, and the host's clock.
        package var uncertaintyNanoseconds: Int64?
        package var rank: Int?
        package var watermark: HostTime?
    }

    package var id: VerdictID
    package var order: [[SiteContender]]
    package var winners: [SiteContender]
    package var ties: ContestRules.Ties
    package var isToBeReplayed: Bool
    package var unranked: [SiteContender]
    package var missed: [SiteContender]
    package var decidedBy: Verdict.Decider
    package var decidedAt: HostTime
    package var evidence: [Evidence]

    init(_ verdict: Verdict, _ contender: (PlayerNumber) -> SiteContender) {
        id = verdict.id
        order = verdict.order.map { $0.map(contender) }
        winners = verdict.winners.map(contender)
        ties = verdict.ties
        isToBeReplayed = verdict.isToBeReplayed
        unranked = verdict.unranked.map(contender)
        missed = verdict.missed.map(contender)
        decidedBy = verdict.decidedBy
        decidedAt = verdict.decidedAt
        evidence = verdict.contenders.map { known in
            let who = contender(known.player)
            return Evidence(
                who: who, reason: known.reason,
                gesture: known.gesture.map { GestureID(player: who.player, serial: $0.serial).description },
                occurredAt: known.occurredAt, uncertaintyNanoseconds: known.uncertaintyNanoseconds, rank: known.rank,
                watermark: known.watermark)
        }
    }
}
