import Foundation
import GRDB
import RoomEngine
import Testing
import WireProtocol

@testable import Identity
@testable import InputMerge
@testable import LeaseStorage
@testable import PrivateFiles
@testable import RoomServer
@testable import Roomful

@Suite("Lease store in trouble")
struct LeaseStoreTroubleTests {
    let temporary = TemporaryFolder()
    private let now = Date(timeIntervalSince1970: 1_795_251_600)

    @Test("Everything that was answered before a SIGKILL is there afterwards", arguments: 1...3)
    func killed(round: Int) async throws {
        // The child is killed from within by a thread that does not know how far the commits are.
        let temporary = TemporaryFolder()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = temporary.path as String, round = round as Int] in
            guard let folder = try? PrivateFolder(path: path), let store = try? LeaseStore(folder: folder) else {
                exit(2)
            }
            let answered = open(path + "/answered", O_WRONLY | O_CREAT | O_APPEND, 0o600)
            for number in 0..<100_000 {
                guard (try? await store.save([.keep(lease(number))])) != nil else { exit(3) }
                var byte: UInt8 = 1
                write(answered, &byte, 1)
                if number == 20 {
                    Thread.detachNewThread {
                        usleep(UInt32(round) * 7_001)
                        kill(getpid(), SIGKILL)
                    }
                }
            }
        }
        let answered = temporary.content("answered")?.utf8.count ?? 0
        let store = try LeaseStore(folder: temporary.folder)
        let kept = try store.load()
        #expect(answered > 20)
        // The last one may have been on disk without its answer being noted.
        #expect(kept.count == answered || kept.count == answered + 1)
        #expect(kept == (0..<kept.count).map { lease($0) })
        #expect(store.recovery == nil)
    }

    @Test("Garbage in place of the database is put aside with a warning, and a new one begun")
    func garbage() async throws {
        try temporary.plant("leases.sqlite", String(repeating: "This is no database. ", count: 500))
        let store = try LeaseStore(folder: temporary.folder, now: now)
        let aside = temporary.path + "/leases.sqlite.broken-20261121T090000Z"
        #expect(store.recovery?.path == aside)
        #expect(store.recovery?.warning.contains("every seat in it is lost") == true)
        #expect(FileManager.default.fileExists(atPath: aside))
        try await store.save([.keep(lease(0))])
        #expect(try store.load() == [lease(0)])
        try store.close()

        try temporary.plant("leases.sqlite", String(repeating: "Nor is this one. ", count: 500))
        #expect(try LeaseStore(folder: temporary.folder, now: now).recovery?.path == aside + "-2")

        // Names are in them: they stay for those who look into them now, and not for ever.
        try temporary.plant("leases.sqlite.broken-by-hand", "ours")
        let broken = { [temporary] in temporary.files.filter { $0.contains(".broken-2026") } }
        for (days, isGone) in [(29.0, false), (31, true)] {
            try LeaseStore(folder: temporary.folder, now: now + days * 86_400).close()
            #expect(broken().isEmpty == isGone)
        }
        #expect(temporary.content("leases.sqlite.broken-by-hand") == "ours")
    }

    @Test("Flipped bytes anywhere in the file never crash: it opens, or is put aside")
    func flippedBytes() async throws {
        let store = try LeaseStore(folder: temporary.folder)
        try await store.save((0..<200).map { .keep(lease($0)) })
        try store.close()
        let whole = try #require(FileManager.default.contents(atPath: temporary.path + "/leases.sqlite"))

        let seed = UInt64.random(in: .min ... .max)
        print("flipped bytes: seed \(seed)")
        var generator = SplitMix64(seed: seed)
        for _ in 0..<40 {
            let place = TemporaryFolder()
            var damaged = Array(whole)
            for _ in 0..<Int.random(in: 1...400, using: &generator) {
                let index = Int.random(in: 0..<damaged.count, using: &generator)
                damaged[index] = UInt8.random(in: 0...255, using: &generator)
            }
            let isTorn = Bool.random(using: &generator)
            if isTorn { damaged.removeLast(Int.random(in: 0..<damaged.count, using: &generator)) }
            try place.plant("leases.sqlite", bytes: damaged)
            let opened = try LeaseStore(folder: place.folder, now: now)
            let kept = try opened.load()
            #expect(opened.recovery == nil || kept.isEmpty)
        }
    }

    @Test("A database whose own header calls it read-only is put aside")
    func readOnlyHeader() throws {
        do { try LeaseStore(folder: temporary.folder).close() }
        var bytes = Array(try #require(FileManager.default.contents(atPath: temporary.path + "/leases.sqlite")))
        // The file format's write version (sqlite.org/fileformat2.html, 1.3.3): more than 2 forbids writing.
        bytes[18] = 3
        try temporary.plant("leases.sqlite", bytes: bytes)
        #expect(try LeaseStore(folder: temporary.folder, now: now).recovery != nil)
    }

    @Test("Saving after the store was closed fails, and neither hangs nor crashes")
    func closed() async throws {
        let store = try LeaseStore(folder: temporary.folder)
        try store.close()
        await #expect(throws: StorageError.self) { try await store.save([.keep(lease(0))]) }
        #expect(throws: StorageError.self) { try store.load() }
    }

    @Test("A database without our tables is put aside")
    func foreign() throws {
        let queue = try DatabaseQueue(path: temporary.path + "/leases.sqlite")
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
            try db.execute(sql: "INSERT INTO grdb_migrations VALUES ('1: leases and counters')")
        }
        try queue.close()
        #expect(try LeaseStore(folder: temporary.folder, now: now).recovery != nil)
    }

    @Test("A newer version's database is refused and left alone")
    func newer() throws {
        do { _ = try LeaseStore(folder: temporary.folder) }
        let queue = try DatabaseQueue(path: temporary.path + "/leases.sqlite")
        try queue.write { db in try db.execute(sql: "INSERT INTO grdb_migrations VALUES ('99: from the future')") }
        try queue.close()
        let error = failure(StorageError.self) { try LeaseStore(folder: temporary.folder) }
        #expect(error?.code == .newerVersion)
        #expect(!temporary.files.contains { $0.contains("broken") })
    }

    @Test("Rows that make no sense are left out, the others are there")
    func senselessRows() async throws {
        let store = try LeaseStore(folder: temporary.folder)
        try await store.save([.keep(lease(0))])
        try store.close()
        let queue = try DatabaseQueue(path: temporary.path + "/leases.sqlite")
        try await queue.write { db in
            try db.execute(sql: "INSERT INTO lease VALUES ('not an id', 1, 1, '', '', x'00', NULL, 0)")
            let id = ControllerID(high: 1, low: 1).description
            try db.execute(
                sql: "INSERT INTO lease VALUES (?, -1, 1, '', '', x'00', NULL, 9223372036854775807)", arguments: [id])
        }
        try queue.close()
        #expect(try LeaseStore(folder: temporary.folder).load() == [lease(0)])
    }

    @Test("A symbolic link planted as the database or beside it is refused", arguments: ["", "-wal", "-shm"])
    func plantedLink(suffix: String) throws {
        try temporary.plant("target", "untouched")
        symlink(temporary.path + "/target", temporary.path + "/leases.sqlite" + suffix)
        let error = failure(StorageError.self) { try LeaseStore(folder: temporary.folder) }
        #expect(error?.code == .symbolicLink)
        #expect(temporary.content("target") == "untouched")
    }

    @Test("On a full disk a commit fails with a reason, and what was committed before stays")
    func fullDisk() async throws {
        let temporary = TemporaryFolder()
        await #expect(processExitsWith: .success) { [path = temporary.path as String] in
            signal(SIGXFSZ, SIG_IGN)
            guard let folder = try? PrivateFolder(path: path), let store = try? LeaseStore(folder: folder),
                (try? await store.save([.keep(lease(0))])) != nil
            else { exit(2) }
            var limit = rlimit(rlim_cur: 65_536, rlim_max: 65_536)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            do {
                try await store.save((1..<2_000).map { .keep(lease($0)) })
                exit(3)
            } catch { exit((try? store.load()) == [lease(0)] ? 0 : 4) }
        }
        #expect(try LeaseStore(folder: temporary.folder).load() == [lease(0)])
    }
}
