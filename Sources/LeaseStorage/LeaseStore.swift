package import Foundation
import GRDB
package import PrivateFiles
package import SessionCoordinator
import Synchronization
import WireProtocol

/// Keeps a room's seats on disk, so that a host that was killed gives everyone the same seat again.
///
/// A commit is on disk when it returns (SQLite's WAL with `synchronous=FULL`): neither a kill nor a power cut takes
/// it back. Commits that arrive while one is being written share the next one's wait for the disk.
package final class LeaseStore: Sendable {
    /// A database that could not be read, and was put aside.
    package struct Recovery: Hashable, Sendable {
        /// Where it lies now.
        let path: String
        /// One line for the operator.
        package let warning: String
    }

    /// What was wrong with the database that was found, if anything: every seat in it is lost.
    package let recovery: Recovery?
    let pool: DatabasePool
    private let path: String
    private let waiting = Mutex<[Commit]>([])
    /// Something was written since SQLite's log was emptied.
    private let isUntidy = Atomic(false)

    /// A change, made as a whole or not at all, that someone waits for.
    private struct Commit: Sendable {
        let change: @Sendable (Database) throws -> Void
        let completion: @Sendable (Result<Void, StorageError>) -> Void
    }

    /// Opens the leases in a room's folder, or starts anew.
    ///
    /// - Parameter now: Wall time, for the name of a broken database that is put aside.
    /// - Throws: ``StorageError`` if the disk refuses, or if the database is a newer version's.
    package init(folder: PrivateFolder, now: Date = Date()) throws(StorageError) {
        (pool, recovery) = try openLeases(in: folder, now: now)
        path = folder.path(of: RoomFile.leases)
    }

    // MARK: - Questions

    /// All leases, by seat. A row that makes no sense is left out.
    package func load() throws(StorageError) -> [Lease] {
        try attempt("read") {
            try pool.read { db in try leaseRows(db).compactMap(Lease.init(row:)) }
        }
    }

    // MARK: - Commands

    /// Makes all the changes or none, and returns once they are on disk.
    package func save(_ changes: [LeaseChange]) async throws(StorageError) {
        let result = await withCheckedContinuation { continuation in
            save(changes) { continuation.resume(returning: $0) }
        }
        try result.get()
    }

    /// Makes all the changes or none; `completion` is called on the writer's thread once they are on disk.
    ///
    /// For the room's loop, which waits for nothing. Changes are made in the order of the calls.
    package func save(
        _ changes: [LeaseChange], completion: @escaping @Sendable (Result<Void, StorageError>) -> Void
    ) {
        commit({ db in try apply(changes, to: db) }, completion: completion)
    }

    /// Makes a change after those that were asked for before, together with what waits for the disk with it.
    func commit(
        _ change: @escaping @Sendable (Database) throws -> Void,
        completion: @escaping @Sendable (Result<Void, StorageError>) -> Void
    ) {
        let isFirst = waiting.withLock { commits in
            commits.append(Commit(change: change, completion: completion))
            return commits.count == 1
        }
        guard isFirst else { return }
        pool.asyncWriteWithoutTransaction { db in self.writeWaiting(db) }
    }

    /// Removes every seat, and what was taught there.
    package func removeAll() throws(StorageError) {
        try attempt("write") {
            try pool.write { db in try db.execute(sql: "DELETE FROM lease; DELETE FROM talents") }
        }
        isUntidy.store(true, ordering: .relaxed)
        tidy()
    }

    /// Makes that what was removed, renamed or forgotten is in no file any more: until then SQLite's log has it. Does
    /// nothing where nothing was written; while another program reads here, it is left for the next time.
    package func tidy() {
        guard isUntidy.load(ordering: .relaxed) else { return }
        pool.asyncWriteWithoutTransaction { db in
            guard (try? emptyLog(db)) != nil else { return }
            self.isUntidy.store(false, ordering: .relaxed)
        }
    }

    /// From now on another program that holds the database is waited for a second at most, not five: a host that is
    /// told to end would be killed before.
    package func hurry() {
        pool.asyncWriteWithoutTransaction { db in try? db.execute(sql: "PRAGMA busy_timeout = 1000") }
    }

    /// Waits for what is being written, leaves one whole file behind, and gives it back; nothing may be saved
    /// afterwards. A host that ends without it loses nothing.
    package func close() throws(StorageError) {
        try attempt("write") {
            // GRDB closes the readers last, and a reader cannot move the WAL into the database.
            _ = try pool.writeWithoutTransaction { db in try db.checkpoint(.truncate) }
            try pool.close()
        }
    }

    /// Looks at the writing connection between two commits.
    func inspect<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await pool.writeWithoutTransaction(body)
    }

    // MARK: - Private

    /// Writes all commits that wait in one transaction, each on its own: one that fails does not spoil the others.
    private func writeWaiting(_ db: Database) {
        let commits = takeWaiting()
        // They may have been refused with those before them.
        if commits.isEmpty { return }
        var results: [Result<Void, StorageError>] = []
        do {
            try db.inTransaction(.immediate) {
                results = commits.map { commit in
                    attempt {
                        try db.inSavepoint {
                            try commit.change(db)
                            return .commit
                        }
                    }
                }
                return .commit
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            // Each by itself would wait as long again for the other program, and so would those that came meanwhile.
            let refusal = StorageError(failedTo: "write", path: path, error)
            for commit in commits + takeWaiting() { commit.completion(.failure(refusal)) }
            return
        } catch {
            // A full disk may have room for most of them: each by itself, and again in their order.
            results = commits.map { commit in
                attempt {
                    try db.inTransaction(.immediate) {
                        try commit.change(db)
                        return .commit
                    }
                }
            }
        }
        isUntidy.store(true, ordering: .relaxed)
        for (commit, result) in zip(commits, results) { commit.completion(result) }
    }

    private func takeWaiting() -> [Commit] {
        waiting.withLock { commits in
            defer { commits = [] }
            return commits
        }
    }

    private func attempt(_ write: () throws -> Void) -> Result<Void, StorageError> {
        Result { () throws(StorageError) in try attempt("write", write) }
    }

    /// Runs `body` and puts whatever SQLite says into words.
    func attempt<Value>(_ verb: String, _ body: () throws -> Value) throws(StorageError) -> Value {
        do { return try body() } catch { throw StorageError(failedTo: verb, path: path, error) }
    }
}
