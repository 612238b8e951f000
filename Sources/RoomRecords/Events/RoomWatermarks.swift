package import InputMerge
package import WireProtocol

/// Until when everything is known that a room's players did: what a referee over several rooms asks.
///
/// Times are milliseconds since the room opened, on its host's clock, in whole microseconds.
package struct RoomWatermarks: Hashable, Sendable, Codable {
    /// When it was so.
    package var at: Double
    /// The number of the last event before: what happened until the watermarks stands among the events until there.
    package var after: Int
    /// In a room that can outlive its host: which of its owners says it, from 1.
    package var epoch: UInt64?
    /// The gestures that the room watches for, but for those that players taught.
    package var watched: [String]
    package var players: [Player]

    package struct Player: Hashable, Sendable, Codable {
        package var player: Int
        /// Whether one of its controllers was heard of late.
        package var live: Bool
        /// `nil` before the first sample, and where nobody is heard.
        @ExplicitNull package var watermark: Double?
        /// ± ms; `nil` while no controller's clock was measured.
        @ExplicitNull package var uncertainty: Double?
        /// `none`, `coarse`, `locked` or `stale`: of the controller whose clock is known worst.
        package var clock: String
    }

    package init(
        at: HostTime, after: Int, _ players: [PlayerWatermark], watched: [GestureKind], _ clock: RecordClock
    ) {
        self.at = clock.milliseconds(at)
        self.after = after
        self.watched = watched.map(\.rawValue)
        self.players = players.map { known in
            Player(
                player: known.player, live: known.isLive, watermark: known.watermark.map(clock.milliseconds),
                uncertainty: known.uncertaintyNanoseconds.map(RecordClock.milliseconds), clock: known.clock.rawValue)
        }
    }
}
