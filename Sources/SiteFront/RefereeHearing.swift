import InputMerge
import RoomRecords
import SiteContests
import WireProtocol

/// Of a ``SiteEvent``, what a referee needs: also of one of a type that this version does not know, whose number counts.
struct ToldEvent: Decodable {
    var room: String
    var opened: String
    var epoch: UInt64?
    var n: Int
    var gap: SiteEvent.Gap?
    var event: Event?

    /// The move of a contest at this gesture; `nil` for any other event.
    func move(of kind: GestureKind) -> RoomMove? {
        guard let event, event.phase == EventRecord.Gesture.Phase.began.rawValue, event.gesture == kind.rawValue,
            let player = event.player, let id = event.id, let at = event.at
        else { return nil }
        return RoomMove(
            player: player, gesture: id, at: nanoseconds(at),
            uncertainty: event.uncertainty.map { max(0, nanoseconds($0)) },
            unseen: event.unseen.map { max(0, nanoseconds($0)) } ?? 0, measures: event.measures ?? GestureMeasures())
    }

    struct Event: Decodable {
        private enum Key: String, CodingKey { case type, player, gesture, phase, id, at, uncertainty, unseen, measures }

        var type: String?
        var player: Int?
        var gesture: String?
        var phase: String?
        var id: String?
        var at: Double?
        var uncertainty: Double?
        var unseen: Double?
        var measures: GestureMeasures?

        /// Another type's fields may be of other kinds.
        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: Key.self)
            type = try? fields.decode(String.self, forKey: .type)
            guard type == "gesture" else { return }
            player = try? fields.decode(Int.self, forKey: .player)
            gesture = try? fields.decode(String.self, forKey: .gesture)
            phase = try? fields.decode(String.self, forKey: .phase)
            id = try? fields.decode(String.self, forKey: .id)
            at = try? fields.decode(Double.self, forKey: .at)
            uncertainty = try? fields.decode(Double.self, forKey: .uncertainty)
            unseen = try? fields.decode(Double.self, forKey: .unseen)
            measures = try? fields.decode(GestureMeasures.self, forKey: .measures)
        }
    }
}

extension RoomReport {
    /// Numbers of other hosts: any that there are.
    init(_ report: RoomWatermarks) {
        self.init(
            at: nanoseconds(report.at), after: report.after, epoch: report.epoch,
            players: report.players.prefix(10_000).map { known in
                Player(
                    player: known.player, isLive: known.live, watermark: known.watermark.map(nanoseconds),
                    uncertainty: known.uncertainty.map { max(0, nanoseconds($0)) },
                    clock: ClockMapping.State(rawValue: known.clock) ?? .none)
            })
    }
}

/// Of milliseconds as other hosts tell them: any number.
private func nanoseconds(_ milliseconds: Double) -> Int64 { Int64(saturating: milliseconds * 1e6) }
