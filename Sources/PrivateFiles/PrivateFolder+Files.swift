package import Foundation
import WireProtocol

/// Reading and replacing whole small files.
extension PrivateFolder {
    /// A file's bytes, or `nil` if there is no such file.
    ///
    /// - Parameters:
    ///   - limit: The most that a file of ours can have; a longer one is refused.
    ///   - isSecret: Refuse the file if others may read it: then they may have its secret already.
    package func read(_ name: String, limit: Int = 1 << 20, isSecret: Bool = true) throws(StorageError) -> [UInt8]? {
        let folder = try opened()
        let path = self.path(of: name)
        let number = openat(folder.number, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        if number < 0, errno == ENOENT { return nil }
        let file = try Descriptor(number, attempt: "read", path: path)
        let facts = try Self.factsOfOwn(file, path: path)
        guard !isSecret || facts.permissions & 0o077 == 0 else {
            throw StorageError(
                .openToOthers, path: path,
                "\(path) holds a secret, but other users may open it; run: chmod 600 \(shellWord(path))")
        }
        return try file.readAll(limit: limit, path: path)
    }

    /// What a file says, without white space around it; `nil` if there is no such file.
    package func word(in name: String, limit: Int = 64, isSecret: Bool = true) throws(StorageError) -> String? {
        guard let bytes = try read(name, limit: limit, isSecret: isSecret) else { return nil }
        return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// A file to read and to write on in, made (0600) if it is missing; or `nil`, where none shall be made.
    package func openedToAppend(_ name: String, makesFile: Bool) throws(StorageError) -> Descriptor? {
        let folder = try opened()
        let path = self.path(of: name)
        let flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (makesFile ? O_CREAT : 0)
        let number = openat(folder.number, name, flags, 0o600)
        if number < 0, errno == ENOENT, !makesFile { return nil }
        let file = try Descriptor(number, attempt: "write", path: path)
        _ = try Self.factsOfOwn(file, path: path)
        return file
    }

    /// - Throws: where it is no plain file, or another user's.
    private static func factsOfOwn(
        _ file: borrowing Descriptor, path: String
    ) throws(StorageError) -> Descriptor.Facts {
        let facts = try file.facts(path: path)
        guard facts.isFile else {
            throw StorageError(.wrongKind, path: path, "\(path) is not a plain file; remove it")
        }
        guard facts.owner == geteuid() else {
            throw StorageError(.notOwned, path: path, "\(path) belongs to user \(facts.owner), not to you; remove it")
        }
        return facts
    }

    /// Puts `bytes` in place of a file's content, at once or not at all: 0600, and on disk when this returns.
    package func replace(_ name: String, with bytes: [UInt8]) throws(StorageError) {
        try replaceFile(name, in: try opened(), with: bytes, path: path(of: name))
    }

    package func replace(_ name: String, with text: String) throws(StorageError) {
        try replace(name, with: Array(text.utf8))
    }

    /// What shall become a file's content, on disk beside it: so that several files change once all of them can.
    package struct Draft {
        fileprivate let folder: PrivateFolder
        fileprivate let name: String
        fileprivate let place: String

        /// Puts it in the file's place, at once or not at all.
        package func putInPlace() throws(StorageError) {
            try putFile(name, inPlaceOf: place, in: try folder.opened(), path: folder.path(of: place))
        }

        /// Removes it, where it is no file's content yet.
        package func discard() { try? folder.remove(name) }
    }

    /// Writes what shall become a file's content beside it: 0600.
    package func draft(_ place: String, with text: String) throws(StorageError) -> Draft {
        let name = try draftFile(of: place, in: try opened(), with: Array(text.utf8), path: path(of: place))
        return Draft(folder: self, name: name, place: place)
    }

    /// Makes now the time of a file's last writing; an empty file, where there was none.
    package func touch(_ name: String) throws(StorageError) {
        guard let file = try openedToAppend(name, makesFile: true) else { return }
        futimens(file.number, nil)
    }

    /// When a file was written to last, in seconds since 1970; `nil` if there is no such file.
    package func written(_ name: String) -> Int? { Descriptor.Facts(at: path(of: name))?.written }

    /// Removes a file, if it is there.
    package func remove(_ name: String) throws(StorageError) {
        let folder = try opened()
        guard unlinkat(folder.number, name, 0) == 0 || errno == ENOENT else {
            throw StorageError(refused: "remove", path: path(of: name), number: errno)
        }
    }

    /// Removes files whose names begin so, and that nobody has written to for a day, or for another time.
    package func removeLeftovers(_ prefix: String, after age: TimeInterval = 86_400, now: Date = Date()) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] where name.hasPrefix(prefix) {
            let facts = try? FileManager.default.attributesOfItem(atPath: path(of: name))
            guard let written = facts?[.modificationDate] as? Date, now.timeIntervalSince(written) > age else {
                continue
            }
            try? remove(name)
        }
    }

    /// Renames a broken file, so that somebody can still look into it, and another can take its place.
    ///
    /// - Parameters:
    ///   - suffixes: what the names of its side files have after its own; they go with it.
    ///   - now: wall time, for the new name.
    /// - Returns: where it lies now.
    package func setAside(
        _ name: String, with suffixes: [String] = [], now: Date
    ) throws(StorageError) -> String {
        let folder = try opened()
        for attempt in 1...100 {
            let aside = Self.aside(name, at: now) + (attempt == 1 ? "" : "-\(attempt)")
            guard faccessat(folder.number, aside, F_OK, AT_SYMLINK_NOFOLLOW) != 0 else { continue }
            for suffix in [""] + suffixes {
                let old = name + suffix
                if renameat(folder.number, old, folder.number, aside + suffix) != 0, errno != ENOENT {
                    throw StorageError(refused: "rename", path: self.path(of: old), number: errno)
                }
            }
            return self.path(of: aside)
        }
        throw StorageError(
            .unwritable, path: path, "there are 100 broken ones of \(name) of today in \(path); remove them")
    }

    /// Removes what was set aside before a moment of wall time, by the date in its name, and its side files.
    package func removeSetAside(_ name: String, before moment: Date) throws(StorageError) {
        let bound = Self.aside(name, at: moment)
        for file in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        where file.hasPrefix("\(name).broken-") && file.utf8.count >= bound.utf8.count && file < bound {
            try remove(file)
        }
    }

    private static func aside(_ name: String, at moment: Date) -> String {
        let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
        return "\(name).broken-\(moment.formatted(style))"
    }

    /// Runs `body` while no other process runs one under the same name.
    package func withLock<Result>(
        _ name: String, _ body: () throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let lock = try openedLock(name)
        var outcome = flock(lock.number, LOCK_EX)
        while outcome != 0, errno == EINTR { outcome = flock(lock.number, LOCK_EX) }
        guard outcome == 0 else { throw StorageError(refused: "lock", path: path(of: name), number: errno) }
        return try body()
    }

    /// A file to lock, made if it is missing. It is never removed: whoever waits for it holds the same one.
    package func openedLock(_ name: String) throws(StorageError) -> Descriptor {
        let folder = try opened()
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        return try Descriptor(openat(folder.number, name, flags, 0o600), attempt: "lock", path: path(of: name))
    }
}

/// Writes a file beside the one to replace and renames it: readers see the old content or the new, never a part.
///
/// The rename puts a symbolic link away instead of following it.
func replaceFile(
    _ name: String, in folder: borrowing Descriptor, with bytes: [UInt8], path: String
) throws(StorageError) {
    let draft = try draftFile(of: name, in: folder, with: bytes, path: path)
    try putFile(draft, inPlaceOf: name, in: folder, path: path)
}

/// - Returns: the name of a new file beside it that holds the bytes, on disk.
private func draftFile(
    of name: String, in folder: borrowing Descriptor, with bytes: [UInt8], path: String
) throws(StorageError) -> String {
    let draft = ".\(name).\(String(UInt64.random(in: .min ... .max), radix: 36))"
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let file = try Descriptor(openat(folder.number, draft, flags, 0o600), attempt: "write", path: path)
    do throws(StorageError) {
        try file.writeAll(bytes, path: path)
        try file.synchronize(path: path)
    } catch {
        unlinkat(folder.number, draft, 0)
        throw error
    }
    return draft
}

/// The draft is gone afterwards, whatever came of it.
private func putFile(
    _ draft: String, inPlaceOf name: String, in folder: borrowing Descriptor, path: String
) throws(StorageError) {
    guard renameat(folder.number, draft, folder.number, name) == 0 else {
        let refusal = StorageError(refused: "write", path: path, number: errno)
        unlinkat(folder.number, draft, 0)
        throw refusal
    }
    try folder.synchronize(path: path)
}
