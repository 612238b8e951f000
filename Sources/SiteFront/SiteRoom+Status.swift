import Foundation
import RoomRecords
import SiteRecords

extension SiteRoom {
    /// What a site is told of a room.
    init(
        _ status: RoomStatus, by signer: SiteSigner, isClosing: Bool = false, buffer: SiteStanding?, takesGuests: Bool
    ) {
        let problems =
            (status.standstill.map { [$0.words] } ?? [])
            + status.peers.flatMap { peer in peer.troubles.map { "P\(peer.player) \(peer.name): \($0)" } }
        self.init(
            site: signer.site.text, room: signer.room, name: signer.name, host: signer.host,
            at: (Date().timeIntervalSince1970 * 1_000).rounded(), opened: signer.opened, game: status.game,
            policy: status.policy, seats: status.seats, freeSeats: status.freeSeats, isLocked: status.isLocked,
            waiting: status.newcomers.count,
            players: status.peers.prefix(Self.mostPlayers).map { peer in
                Player(player: peer.player, name: peer.name, color: peer.color, link: peer.link, quality: peer.quality)
            },
            playing: status.peers.count, problems: Array(problems.prefix(Self.mostProblems)), isClosing: isClosing,
            buffer: buffer, takesGuests: takesGuests ? true : nil)
    }
}
