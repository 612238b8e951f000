import SessionCoordinator
import WireProtocol

/// What a disk that refused has left to be saved: the newest change of each controller.
///
/// It stays small however long the disk refuses: who plays has a seat, and of those who left it keeps only whose rows
/// are on disk.
struct UnsavedLeases {
    /// Whose rows are there.
    private var onDisk: Set<ControllerID>
    private var refused: [LeaseChange] = []

    init(onDisk controllers: [ControllerID]) { onDisk = Set(controllers) }

    /// Everybody whose row is on the disk, or is to come there.
    var controllers: [ControllerID] { onDisk.union(refused.map(\.controller)).sorted() }

    /// What is to be saved now that there are these changes, too: what was refused comes first.
    func due(with changes: [LeaseChange]) -> [LeaseChange] { refused + changes }

    /// Whether this controller has a seat, and no row of which the disk knows.
    func isMissing(_ controller: ControllerID) -> Bool {
        guard !onDisk.contains(controller) else { return false }
        return refused.contains { change in
            if case .keep(let lease) = change { lease.controller == controller } else { false }
        }
    }

    /// All that was due is on disk.
    mutating func noteSaved(_ due: [LeaseChange]) {
        refused = []
        for change in due {
            switch change {
            case .keep(let lease): onDisk.insert(lease.controller)
            case .remove(let controller): onDisk.remove(controller)
            }
        }
    }

    /// Nothing of what was due is on disk.
    mutating func noteRefused(_ due: [LeaseChange]) {
        var seen: Set<ControllerID> = []
        var newestFirst: [LeaseChange] = []
        for change in due.reversed() where seen.insert(change.controller).inserted {
            if case .remove(let controller) = change, !onDisk.contains(controller) { continue }
            newestFirst.append(change)
        }
        refused = newestFirst.reversed()
    }
}
