import InputMerge
import SessionCoordinator
import WireProtocol

/// Visitors who come one after another to the same controller.
extension Engine {
    /// Who plays is looked at this often: a visit is longer.
    private static let usesPeriod: Duration = .seconds(1)

    /// Notes on which controllers somebody plays at this moment, where that matters.
    mutating func noteUses(now: HostTime) {
        guard configuration.room.idleReset != nil, now >= usesDue else { return }
        usesDue = now + Self.usesPeriod
        for index in coordinator.seatedPeers where sink.merge.isMoved(peer: index, at: now) {
            coordinator.noteUse(of: index, at: now)
        }
    }

    /// What the player of this controller taught, and how readily it is recognised, is not the next one's.
    mutating func forget(_ controller: ControllerID, at peer: PeerIndex, now: HostTime) {
        forgetTalents(of: controller)
        outputs.append(.keep(controller, PlayerTalents()))
        let player = player(of: peer)
        // Where others drive the same player, it is theirs as well.
        let isAlone = !coordinator.sitters.contains { $0.player == player && $0.controller != controller }
        if isAlone {
            sink.tell { $0.forget(player) }
            talented.removeAll { $0 == player }
            noteTaught(by: player)
        }
        sink.hasNews = true
    }
}
