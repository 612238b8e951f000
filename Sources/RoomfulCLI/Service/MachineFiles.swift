import Foundation
import PrivateFiles
import Roomful

/// The files of a machine: this one's, or another's that lie below a folder.
///
/// In another machine's files a link means a place there, and here it would be another: one that leads out of the folder is
/// refused. Each folder on the way is opened from the one before and judged as it is, so none can be exchanged meanwhile.
struct MachineFiles {
    /// Empty for this machine's own.
    let root: String

    /// - Parameter root: `/`, or the folder that holds another machine's files.
    init(root: String) {
        let path = URL(fileURLWithPath: root, isDirectory: true).standardizedFileURL.path
        self.root = path == "/" ? "" : path
    }

    var areElsewhere: Bool { !root.isEmpty }

    /// Whether there is a file at this path, be it a link.
    func hold(_ path: String) throws -> Bool {
        guard let folder = try folder(of: path, makesMissing: false) else { return false }
        return faccessat(folder.number, Self.name(path), F_OK, AT_SYMLINK_NOFOLLOW) == 0
    }

    /// Writes a file that is not there yet, and makes the folders on the way.
    ///
    /// - Returns: its path here.
    func write(_ text: String, to path: String) throws -> String {
        let place = root + path
        guard let folder = try folder(of: path, makesMissing: true) else { throw refusal(place, ENOENT) }
        let number = openat(
            folder.number, Self.name(path), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        if number < 0 { throw refusal(place, errno) }
        let file = try Descriptor(number, attempt: "write", path: place)
        try file.writeAll(Array(text.utf8), path: place)
        return place
    }

    private static func name(_ path: String) -> String { String(path.split(separator: "/").last ?? "") }

    /// - Returns: `nil` where a folder is missing and none is made.
    private func folder(of path: String, makesMissing: Bool) throws -> Descriptor? {
        let start = root.isEmpty ? "/" : root
        if makesMissing {
            do {
                try FileManager.default.createDirectory(atPath: start, withIntermediateDirectories: true)
            } catch { throw refusal(start, (error as? CocoaError)?.code == .fileWriteNoPermission ? EACCES : ENOTDIR) }
        }
        guard let top = try open(start, in: AT_FDCWD, path: start),
            var here = try open(start, in: AT_FDCWD, path: start)
        else { return nil }
        var way = root
        for name in path.split(separator: "/").dropLast().map(String.init) {
            way += "/" + name
            if makesMissing, mkdirat(here.number, name, 0o755) != 0, errno != EEXIST { throw refusal(way, errno) }
            guard let next = try open(name, in: here.number, path: way) else {
                if makesMissing { throw refusal(way, ENOENT) }
                return nil
            }
            guard next.lies(below: top) else {
                throw RoomError(
                    .badOption,
                    "\(way) is a link that leads out of \(start), so nothing is written there: make it a folder")
            }
            here = next
        }
        return here
    }

    private func open(_ name: String, in folder: Int32, path: String) throws -> Descriptor? {
        let number = openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if number >= 0 { return try Descriptor(number, attempt: "read", path: path) }
        if errno == ENOENT { return nil }
        throw refusal(path, errno)
    }

    private func refusal(_ path: String, _ number: Int32) -> RoomError {
        RoomError(
            .badOption,
            [EACCES, EPERM, EROFS].contains(number)
                ? "only root may write \(path): say sudo roomful service install …"
                : "cannot write \(path): \(String(cString: strerror(number)))")
    }
}
