import RoomRecords
import WireProtocol

/// Keeps what befell the network of the room's machine.
struct NetworkNotes: Sendable {
    /// For so long after a move it is told what came of it.
    private static let memory: Duration = .seconds(60)

    private var isLost = false
    /// When the address that the room went by was first missed.
    private var missedAt = HostTime.distantFuture
    private var movedAt: HostTime?

    /// - Parameter hasMoved: the room goes by another address from now on, and the one before is gone.
    mutating func note(isLost: Bool, hasMoved: Bool, at now: HostTime) {
        if !self.isLost, isLost || hasMoved { missedAt = now }
        if hasMoved { movedAt = now } else if self.isLost, !isLost { movedAt = nil }
        self.isLost = isLost
    }

    /// `nil` where all is as it was.
    func report(at now: HostTime) -> RoomStatus.Network? {
        let isFresh = movedAt.map { now - $0 < Self.memory } ?? false
        guard isLost || isFresh else { return nil }
        return RoomStatus.Network(isLost: isLost, agoMs: (now - missedAt).milliseconds)
    }
}
