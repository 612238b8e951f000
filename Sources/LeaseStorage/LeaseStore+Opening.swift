import Foundation
import GRDB
import PrivateFiles

/// Opens a room's database and brings it up to date; one that is broken is put aside, and a new one begun.
func openLeases(
    in folder: PrivateFolder, now: Date
) throws(StorageError) -> (DatabasePool, LeaseStore.Recovery?) {
    let path = folder.path(of: RoomFile.leases)
    // Whoever wanted to look into them has by now, and names are in them.
    try? folder.removeSetAside(RoomFile.leases, before: now - 30 * 86_400)
    do {
        return (try openPool(in: folder), nil)
    } catch {
        guard isBroken(error) else { throw StorageError(failedTo: "open", path: path, error) }
        let aside = try folder.setAside(RoomFile.leases, with: ["-wal", "-shm"], now: now)
        let warning = "\(path) was broken (\(words(for: error))): every seat in it is lost; kept as \(aside)"
        do {
            return (try openPool(in: folder), LeaseStore.Recovery(path: aside, warning: warning))
        } catch {
            throw StorageError(failedTo: "open", path: path, error)
        }
    }
}

extension StorageError {
    /// What SQLite, or we ourselves, reported.
    init(failedTo verb: String, path: String, _ error: any Error) {
        if let error = error as? StorageError {
            self = error
        } else if let error = error as? DatabaseError {
            switch error.resultCode {
            case .SQLITE_FULL: self.init(refused: verb, path: path, number: ENOSPC)
            // So SQLite calls it where there is no room for its index of the WAL, without which it opens nothing.
            case .SQLITE_IOERR where isFull(at: path): self.init(refused: verb, path: path, number: ENOSPC)
            default:
                self.init(
                    verb == "read" ? .unreadable : .unwritable, path: path,
                    "cannot \(verb) \(path): \(words(for: error))")
            }
        } else {
            self.init(verb == "read" ? .unreadable : .unwritable, path: path, "cannot \(verb) \(path): \(error)")
        }
    }
}

/// Whether the disk where this file is has no room for the smallest database with its side files.
private func isFull(at path: String) -> Bool {
    var facts = statvfs()
    guard statvfs(path, &facts) == 0 else { return false }
    return UInt64(facts.f_bavail) &* UInt64(facts.f_frsize) < 65_536
}

/// A database that opened but is not what we wrote.
private struct Damage: Error { let reason: String }

private func openPool(in folder: PrivateFolder) throws -> DatabasePool {
    try makeFiles(in: folder)
    let pool = try DatabasePool(path: folder.path(of: RoomFile.leases), configuration: configuration)
    do {
        // GRDB asks for NORMAL when it turns the WAL on, where a power cut can take a commit back.
        try pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = FULL")
            // What is removed is overwritten, however SQLite was built.
            try db.execute(sql: "PRAGMA secure_delete = ON")
        }
        try pool.read(check)
        let migrator = leaseMigrations()
        guard try !pool.read(migrator.hasBeenSuperseded) else {
            throw StorageError(
                .newerVersion, path: pool.path, "\(pool.path) was written by a newer roomful; update it or use --state")
        }
        try migrator.migrate(pool)
        try pool.read { db in
            // Everything once, so that damage shows here and not when a seat is asked for.
            _ = try leaseRows(db)
        }
        // A host that was killed, or lost its power, left there what had been removed.
        try? pool.writeWithoutTransaction { db in try emptyLog(db) }
        return pool
    } catch {
        try? pool.close()
        throw error
    }
}

private var configuration: Configuration {
    var configuration = Configuration()
    configuration.label = "roomful leases"
    // Someone looking with the sqlite3 program must not make a commit fail.
    configuration.busyMode = .timeout(5)
    configuration.maximumReaderCount = 1
    return configuration
}

/// Makes the database file ourselves, 0600 and through no symbolic link; SQLite gives its side files the same mode.
private func makeFiles(in folder: PrivateFolder) throws(StorageError) {
    let opened = try folder.opened()
    for suffix in ["", "-wal", "-shm"] {
        let name = RoomFile.leases + suffix
        let creating = suffix.isEmpty ? O_CREAT : 0
        let number = openat(opened.number, name, O_RDWR | creating | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
        if number < 0, errno == ENOENT { continue }
        let path = folder.path(of: name)
        let file = try Descriptor(number, attempt: "write", path: path)
        guard try file.facts(path: path).isFile else {
            throw StorageError(.wrongKind, path: path, "\(path) is not a plain file; remove it")
        }
    }
}

/// Moves SQLite's log into the database, and cuts it off: it holds rows as they were before they were changed.
///
/// Waits for no program that reads here: whoever wants a seat would wait with it.
func emptyLog(_ db: Database) throws {
    let patience = try Int.fetchOne(db, sql: "PRAGMA busy_timeout") ?? 5_000
    try db.execute(sql: "PRAGMA busy_timeout = 0")
    defer { try? db.execute(sql: "PRAGMA busy_timeout = \(patience)") }
    try db.checkpoint(.truncate)
}

private func check(_ db: Database) throws {
    let verdict = try String.fetchOne(db, sql: "PRAGMA integrity_check(1)")
    guard verdict == "ok" else { throw Damage(reason: verdict ?? "no answer to integrity_check") }
}

private func isBroken(_ error: any Error) -> Bool {
    if error is Damage { return true }
    guard let error = error as? DatabaseError else { return false }
    // The file was opened for writing a moment ago: only its own header can make SQLite call it read-only.
    if error.extendedResultCode == .SQLITE_READONLY { return true }
    // SQLITE_ERROR at this point: a table or a column that we made is missing.
    return [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FORMAT, .SQLITE_ERROR].contains(error.resultCode)
}

private func words(for error: any Error) -> String {
    switch error {
    case let error as Damage: error.reason
    case let error as DatabaseError: error.message ?? "SQLite error \(error.resultCode.rawValue)"
    default: "\(error)"
    }
}
