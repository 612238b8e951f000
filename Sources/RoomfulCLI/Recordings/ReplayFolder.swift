import Foundation
import PrivateFiles

/// Where a replay's room lies while it is open. Of a replay that was killed the next one removes it.
struct ReplayFolder {
    private static let prefix = "replay-"
    private static let lockFile = "replay.lock"

    let path: String
    /// The kernel gives it back, however the program ends.
    private let lock: RoomLock

    init(in place: String = FileManager.default.temporaryDirectory.absoluteURL.path) throws(StorageError) {
        Self.clear(place)
        let name = "\(Self.prefix)\(UUID().uuidString.prefix(8))"
        // It gets its name when it is locked: nobody takes it for a leftover before.
        let draft = try PrivateFolder(path: "\(place)/new-\(name)")
        lock = try RoomLock(in: draft, file: Self.lockFile)
        path = "\(place)/\(name)"
        guard rename(draft.path, path) == 0 else {
            throw StorageError(refused: "rename", path: draft.path, number: errno)
        }
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: path)
        lock.release()
    }

    /// What is another user's, or a link, is no private folder of ours.
    private static func clear(_ place: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
        for path in names.filter({ $0.hasPrefix(prefix) }).map({ "\(place)/\($0)" })
        where FileManager.default.fileExists(atPath: "\(path)/\(lockFile)") {
            guard let folder = try? PrivateFolder(path: path), let lock = try? RoomLock(in: folder, file: lockFile)
            else { continue }
            try? FileManager.default.removeItem(atPath: path)
            lock.release()
        }
    }
}
