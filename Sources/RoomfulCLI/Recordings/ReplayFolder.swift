import Foundation
import PrivateFiles

/// Where a replay's room lies while it is open. Of a replay that was killed the next one removes it.
struct ReplayFolder {
    private static let prefix = "replay-"
    private static let draftPrefix = "new-\(prefix)"
    private static let lockFile = "replay.lock"

    let path: String
    /// The kernel gives it back, however the program ends.
    private let lock: RoomLock

    init(in place: String = FileManager.default.temporaryDirectory.absoluteURL.path) throws(StorageError) {
        Self.clear(place)
        let name = UUID().uuidString.prefix(8)
        // It gets its name when it is locked: nobody takes it for a leftover before.
        let draft = try PrivateFolder(path: "\(place)/\(Self.draftPrefix)\(name)")
        lock = try RoomLock(in: draft, file: Self.lockFile)
        path = "\(place)/\(Self.prefix)\(name)"
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
        for name in names where isReplay(name, in: place) || isOldDraft(name, in: place) {
            let path = "\(place)/\(name)"
            guard let folder = try? PrivateFolder(path: path), let lock = try? RoomLock(in: folder, file: lockFile)
            else { continue }
            try? FileManager.default.removeItem(atPath: path)
            lock.release()
        }
    }

    private static func isReplay(_ name: String, in place: String) -> Bool {
        name.hasPrefix(prefix) && FileManager.default.fileExists(atPath: "\(place)/\(name)/\(lockFile)")
    }

    /// Whether its replay was killed before it got its name: it holds the lock at most, and one that lives is renamed at
    /// once.
    private static func isOldDraft(_ name: String, in place: String) -> Bool {
        let (files, path) = (FileManager.default, "\(place)/\(name)")
        guard name.hasPrefix(draftPrefix), let inside = try? files.contentsOfDirectory(atPath: path),
            inside.allSatisfy({ $0 == lockFile }),
            let made = (try? files.attributesOfItem(atPath: path))?[.modificationDate] as? Date
        else { return false }
        return Date.now.timeIntervalSince(made) > 3_600
    }
}
