import SessionCoordinator
import WireProtocol

extension Engine {
    /// Why a command would do nothing now, as whom it concerns is lost; `nil` of all others. What games send is kept for a
    /// lost controller's return, but nobody looks for a device, or holds it straight, at some other time.
    func absence(_ command: RoomCommand) -> RoomError? {
        let who: String
        switch command {
        case .identify(let name), .rezero(let name): who = name
        default: return nil
        }
        guard case .success(let peers) = coordinator.findAll(who), let first = peers.first,
            peers.allSatisfy(isLost)
        else { return nil }
        // A player's other controllers are held in some way, too.
        if case .rezero = command, let player = coordinator.sitter(at: first)?.player,
            coordinator.sitters.contains(where: { $0.player == player && !$0.isLost })
        {
            return nil
        }
        return RoomError(.notFound, "\"\(who.isolated)\" is lost, and would not notice: ask again once it is back")
    }

    /// Whether the controller has a seat, and is not there.
    func isLost(_ peer: PeerIndex) -> Bool { coordinator.sitter(at: peer)?.isLost ?? false }
}
