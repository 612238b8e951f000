import SessionCoordinator
import WireProtocol

extension Engine {
    /// Why a command would do nothing now, as whom it concerns is lost; `nil` of all others. What games play and send is
    /// kept for a lost controller's return, but nobody looks for a device, or holds it straight, at some other time.
    func absence(_ command: RoomCommand, now: HostTime) -> RoomError? {
        let who: String
        switch command {
        case .identify(let name), .rezero(let name): who = name
        default: return nil
        }
        guard case .success(let peer) = coordinator.find(who), let report = coordinator.report(of: peer, now: now),
            report.seatState == "lost"
        else { return nil }
        // A player's other controllers are held in some way, too.
        if case .rezero = command,
            coordinator.reports(now: now).contains(where: { $0.player == report.player && $0.seatState != "lost" })
        {
            return nil
        }
        return RoomError(.notFound, "\"\(who.isolated)\" is lost, and would not notice: ask again once it is back")
    }
}
