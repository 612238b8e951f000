package import InputMerge
package import WireProtocol

package typealias ClockState = ClockMapping.State

/// What a room answers to a referee: how far its players are known, and when that was.
///
/// All times are nanoseconds since the room opened, on its host's clock.
package struct RoomReport: Hashable, Sendable {
    /// When it was so.
    package var at: Int64
    /// The number of the last event that was told by then: what the watermarks rest on stands among the events until there.
    package var after: Int
    /// Which of the room's owners says it; `nil` where it ends with its host.
    package var epoch: UInt64?
    /// The referee has them by number, each once.
    package var players: [Player]

    package struct Player: Hashable, Sendable {
        package var player: Int
        package var isLive: Bool
        /// `nil` where nothing is known.
        package var watermark: Int64?
        /// Either way; `nil` while no controller's clock was measured.
        package var uncertainty: Int64?
        package var clock: ClockState

        package init(player: Int, isLive: Bool, watermark: Int64?, uncertainty: Int64?, clock: ClockState) {
            self.player = player
            self.isLive = isLive
            self.watermark = watermark
            self.uncertainty = uncertainty
            self.clock = clock
        }
    }

    package init(at: Int64, after: Int, epoch: UInt64? = nil, players: [Player]) {
        self.at = at
        self.after = after
        self.epoch = epoch
        self.players = players
    }

    /// What is known of a player, where they stand by number.
    func known(_ player: Int) -> Player? {
        var (low, high) = (0, players.count)
        while low < high {
            let middle = (low + high) / 2
            if players[middle].player < player { low = middle + 1 } else { high = middle }
        }
        return low < players.count && players[low].player == player ? players[low] : nil
    }
}

/// A move that a room told.
package struct RoomMove: Hashable, Sendable {
    package var player: Int
    /// The room's own id of it.
    package var gesture: String
    /// Since the room opened, in ns.
    package var at: Int64
    /// Either way; `nil` while the controller's clock was not measured.
    package var uncertainty: Int64?
    /// Part of that: for so long before ``at`` nobody looked, in ns.
    package var unseen: Int64
    /// Among them how long before ``at`` the body moved.
    package var measures: GestureMeasures

    package init(
        player: Int, gesture: String, at: Int64, uncertainty: Int64?, unseen: Int64 = 0,
        measures: GestureMeasures = GestureMeasures()
    ) {
        self.player = player
        self.gesture = gesture
        self.at = at
        self.uncertainty = uncertainty
        self.unseen = unseen
        self.measures = measures
    }
}
