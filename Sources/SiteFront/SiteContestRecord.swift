import Foundation
import InputMerge
package import RoomRecords
import SiteContests
import SiteRecords
import WireProtocol

/// A verdict over players of several rooms, as it is printed, and put into the site's stream: in the form of a room's event, so
/// that readers who know of no contests pass over it as over any type that is new to them.
///
/// ```json
/// {"v":1,"room":"contests","name":"jump","host":"office","opened":"2026-11-26T18:00:00.125Z","n":3,"event":{"type":"contest",…}}
/// ```
/// Times are milliseconds since the referee began (`opened`), on its own clock. `Documentation/site-contest.schema.json`.
package struct SiteContestRecord: Hashable, Sendable, Codable {
    /// The form's version.
    package var v = 1
    /// No room's id.
    package var room = SiteSubjects.contestsRoom
    /// The gesture.
    package var name: String
    /// The referee's machine.
    package var host: String
    /// When the referee began: RFC 3339, UTC, with ms. Another one is another numbering.
    package var opened: String
    /// The verdict's number, from 1.
    package var n: Int
    package var event: Verdict

    /// A player of one of the rooms.
    package struct Contender: Hashable, Sendable, Codable {
        /// The room's id.
        package var room: String
        /// The room's name.
        package var name: String
        package var player: Int
        /// What the player is called; `nil` where the room has not said it.
        @ExplicitNull package var called: String? = nil
    }

    package struct Verdict: Hashable, Sendable, Codable {
        /// Of the types of events, the one that no room tells.
        package var type = "contest"
        package var n: Int
        /// When it fell.
        package var at: Double
        package var id: String
        package var gesture: String
        /// The first first; those in one inner list are tied.
        package var order: [[Contender]]
        /// Who wins, after ties were dealt with; nobody when it is to be played again.
        package var winners: [Contender]
        /// `share`, `replay` or `draw`.
        package var ties: String
        package var replay: Bool
        /// Who moved, but has no rank, as its clock allows no claim.
        package var unranked: [Contender]
        /// Who was not waited for and could have been first.
        package var missed: [Contender]
        /// `watermark` or `cap`.
        package var decidedBy: String
        package var evidence: [Evidence]
    }

    package struct Evidence: Hashable, Sendable, Codable {
        package var room: String
        package var player: Int
        /// As in a room's own `verdict`.
        package var reason: String
        @ExplicitNull package var rank: Int? = nil
        @ExplicitNull package var at: Double? = nil
        /// ± ms: the controller's clock and sensor, and the host's clock.
        @ExplicitNull package var uncertainty: Double? = nil
        /// The room's own id of the move.
        @ExplicitNull package var gesture: String? = nil
        @ExplicitNull package var watermark: Double? = nil
    }

    init(
        _ verdict: SiteVerdict, host: String, opened: String, clock: RecordClock,
        called: (SiteContender) -> Contender
    ) {
        self.host = host
        self.opened = opened
        name = verdict.id.gesture.rawValue
        n = Int(clamping: verdict.id.serial)
        event = Verdict(
            n: n, at: clock.milliseconds(verdict.decidedAt), id: verdict.id.description, gesture: name,
            order: verdict.order.map { $0.map(called) }, winners: verdict.winners.map(called),
            ties: verdict.ties.rawValue, replay: verdict.isToBeReplayed, unranked: verdict.unranked.map(called),
            missed: verdict.missed.map(called), decidedBy: verdict.decidedBy.rawValue,
            evidence: EventRecord.Verdict.told(of: verdict.evidence) { $0.reason == .idle }.map { known in
                Evidence(
                    room: known.who.room, player: known.who.player, reason: known.reason.rawValue, rank: known.rank,
                    at: known.occurredAt.map(clock.milliseconds),
                    uncertainty: known.uncertaintyNanoseconds.map(RecordClock.milliseconds), gesture: known.gesture,
                    watermark: known.watermark.map(clock.milliseconds))
            })
    }

    package var payload: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { Array($0) } ?? []
    }
}
