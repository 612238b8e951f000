// The compiler takes `stat` for whichever module includes its header first, and that may be any of them.
import CDispatch
import CoreFoundation
import Foundation

/// What an evening's files are called, and which of a folder's evenings are the oldest.
///
/// `Living-Room-2026-11-22T18-30-00Z.mcap`, then `….part2.mcap`: what is listed by name is in the order of time.
package struct RecordingNames: Hashable, Sendable {
    private let base: String
    let isFolder: Bool
    private let folder: String
    let evening: String

    /// - Parameter wallClock: when the recording began, in ns since 1970.
    init(_ path: String, room: String, wallClock: Int64) throws(RecordingFileError) {
        isFolder = Self.isFolder(path)
        guard isFolder else {
            base = path
            folder = (path as NSString).deletingLastPathComponent
            evening = ((path as NSString).lastPathComponent as NSString).deletingPathExtension
            return
        }
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw RecordingFileError("cannot make the folder \(path): \(error.localizedDescription)")
        }
        let seconds = Date(timeIntervalSince1970: Double(wallClock / 1_000_000_000))
        let stamp = seconds.ISO8601Format().replacingOccurrences(of: ":", with: "-")
        let plain = String(room.unicodeScalars.map { Self.isPlain($0) ? Character($0) : "-" })
        let (folder, name) = (path.hasSuffix("/") ? String(path.dropLast()) : path, "\(plain.prefix(60))-\(stamp)")
        // Two that begin in one second are two evenings.
        var number = 1
        while FileManager.default.fileExists(atPath: Self.path(folder, name, number) + ".mcap") { number += 1 }
        self.folder = folder
        evening = number == 1 ? name : "\(name)-\(number)"
        base = Self.path(folder, name, number)
    }

    /// Whether recordings to this path are files of a folder.
    package static func isFolder(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
        return path.hasSuffix("/") || (exists && isDirectory.boolValue)
    }

    /// The folder that a path means to who records again and again, a slash at its end: also one that is away now, such as a
    /// stick that is mounted later. `nil` for one file.
    package static func lastingFolder(_ path: String) -> String? {
        let isAway = !path.hasSuffix(".mcap") && !FileManager.default.fileExists(atPath: path)
        guard isAway || isFolder(path) else { return nil }
        return path.hasSuffix("/") ? path : path + "/"
    }

    private static func path(_ folder: String, _ name: String, _ number: Int) -> String {
        folder + "/" + name + (number == 1 ? "" : "-\(number)")
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
    }

    func path(part: Int) -> String {
        isFolder ? base + (part == 1 ? "" : ".part\(part)") + ".mcap" : base
    }

    /// The files that follow a recording's first one, in their order.
    static func parts(after first: String) -> [String] {
        guard first.hasSuffix(".mcap") else { return [] }
        let slash = first.lastIndex(of: "/")
        let folder = slash.map { String(first[...$0]) } ?? ""
        let start = (slash.map { String(first[first.index(after: $0)...]) } ?? first).dropLast(5) + ".part"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
        // A part that is missing shows in the tape, as its blocks are numbered.
        return names.compactMap { name -> (number: Int, path: String)? in
            guard name.hasPrefix(start), name.hasSuffix(".mcap"),
                let number = Int(name.dropFirst(start.count).dropLast(5)), number >= 2
            else { return nil }
            return (number, folder + name)
        }.sorted { $0.number < $1.number }.map(\.path)
    }

    /// How much of the disk a file takes, in bytes.
    private static func occupied(_ path: String) -> UInt64 {
        var status = stat()
        return lstat(path, &status) == 0 ? UInt64(max(0, status.st_blocks)) * 512 : 0
    }

    /// The evening that a file in the folder belongs to, by the path of its first file.
    private static func first(of path: String) -> String {
        let stem = path.dropLast(5)
        guard let part = stem.range(of: ".part", options: .backwards), Int(stem[part.upperBound...]) != nil else {
            return path
        }
        return stem[..<part.lowerBound] + ".mcap"
    }

    /// Removes what killed recorders left beside their files: no recording counts it, and it takes room like one.
    private func removeReserves() {
        let manager = FileManager.default
        let suffix = ".mcap.reserve"
        for name in (try? manager.contentsOfDirectory(atPath: folder)) ?? [] where name.hasSuffix(suffix) {
            let path = "\(folder)/\(name.dropLast(".reserve".count))"
            guard let facts = try? manager.attributesOfItem(atPath: folder + "/" + name),
                facts[.ownerAccountID] as? NSNumber == NSNumber(value: geteuid())
            else { continue }
            // One whose recording is gone is nobody's.
            if manager.fileExists(atPath: path) {
                guard let file = try? RecordedFile(path), !file.isBeingWritten else { continue }
            }
            RecordingFile.removeReserve(of: path)
        }
    }

    /// Removes the oldest recordings of the folder while all together are larger than the budget; never one of this evening
    /// while there is another, nor the first file of one that is still recorded, whoever's it is: without it the others
    /// cannot be played. What no room recorded is not counted, and not touched.
    func removeOldest(over budget: UInt64) {
        removeReserves()
        let manager = FileManager.default
        var files: [(path: String, size: UInt64, at: Date, isOwn: Bool, isBeingWritten: Bool)] = []
        for name in (try? manager.contentsOfDirectory(atPath: folder)) ?? [] where name.hasSuffix(".mcap") {
            let path = folder + "/" + name
            // What another user put here, or a link, counts for nothing; and what takes no room on the disk takes none here.
            guard let facts = try? manager.attributesOfItem(atPath: path),
                facts[.type] as? FileAttributeType == .typeRegular,
                facts[.ownerAccountID] as? NSNumber == NSNumber(value: geteuid()), let file = try? RecordedFile(path),
                file.isOurs
            else { continue }
            let at = facts[.modificationDate] as? Date ?? .distantPast
            files.append((path, min(file.size, Self.occupied(path)), at, path.hasPrefix(base), file.isBeingWritten))
        }
        let underWay = Set(files.filter(\.isBeingWritten).map { Self.first(of: $0.path) } + [path(part: 1)])
        var total = files.reduce(0) { $0 + $1.size }
        let order = files.sorted { ($0.isOwn ? 1 : 0, $0.at, $0.path) < ($1.isOwn ? 1 : 0, $1.at, $1.path) }
        for file in order.dropLast() where total > budget && !file.isBeingWritten && !underWay.contains(file.path) {
            guard (try? manager.removeItem(atPath: file.path)) != nil else { continue }
            total -= file.size
        }
    }
}
