import Foundation
import GRDB
import RoomEngine
import SessionCoordinator
import Synchronization
import Testing
import WireProtocol

@testable import Identity
@testable import InputMerge
@testable import LeaseStorage
@testable import PrivateFiles
@testable import RoomServer
@testable import Roomful

/// The lease of the n-th controller.
func lease(_ number: Int, seat: Int? = nil, secret: UInt8 = 1) -> Lease {
    Lease(
        controller: ControllerID(high: 7, low: UInt64(number)), seat: seat ?? number, player: number + 1,
        name: "Player \(number) 🎈", color: 0x3366CC, secretHash: Array(repeating: secret, count: 32),
        previousSecretHash: number.isMultiple(of: 2) ? nil : Array(repeating: 9, count: 32))
}

private func recordFailure(_ result: Result<Void, StorageError>) {
    if case .failure(let error) = result { Issue.record(error) }
}

@Suite("Lease store")
struct LeaseStoreTests {
    let temporary = TemporaryFolder()

    @Test("Leases are the same after the host was closed and opened again")
    func reopening() async throws {
        let store = try LeaseStore(folder: temporary.folder)
        try await store.save([.keep(lease(1)), .keep(lease(0)), .keep(lease(2))])
        try await store.save([.remove(lease(2).controller)])
        try store.close()

        let again = try LeaseStore(folder: temporary.folder)
        #expect(try again.load() == [lease(0), lease(1)])
        #expect(again.recovery == nil)
        #expect(try temporary.mode("leases.sqlite") == 0o600)
    }

    @Test("Two controllers swap seats in one step")
    func swap() async throws {
        let store = try LeaseStore(folder: temporary.folder)
        try await store.save([.keep(lease(0)), .keep(lease(1))])
        try await store.save([.keep(lease(0, seat: 1)), .keep(lease(1, seat: 0))])
        #expect(try store.load() == [lease(1, seat: 0), lease(0, seat: 1)])
    }

    @Test("A seat is its newest holder's: whoever had it goes, with what that one taught, and nobody beside")
    func doubleSeat() async throws {
        let store = try LeaseStore(folder: temporary.folder)
        try await store.save([.keep(lease(0)), .keep(lease(1))])
        for number in 0..<2 {
            store.keep(PlayerTalents(sensitivity: 0.7), of: lease(number).controller) { recordFailure($0) }
        }
        try await store.save([.keep(lease(5)), .keep(lease(6, seat: 0))])
        #expect(try store.load() == [lease(6, seat: 0), lease(1), lease(5)])
        #expect(try store.loadTalents().keys.sorted() == [lease(1).controller])

        await withTaskGroup(of: Void.self) { group in
            for number in 10..<30 {
                group.addTask {
                    // Every fifth wants the seat of the first.
                    let change = LeaseChange.keep(lease(number, seat: number.isMultiple(of: 5) ? 0 : number))
                    await #expect(throws: Never.self) { try await store.save([change]) }
                }
            }
        }
        #expect(try store.load().count == 19)
    }

    @Test("Of several changes for one controller the last counts")
    func lastCounts() async throws {
        let store = try LeaseStore(folder: temporary.folder)
        let controller = lease(0).controller
        try await store.save([.keep(lease(0)), .remove(controller), .keep(lease(0, seat: 3, secret: 2))])
        #expect(try store.load() == [lease(0, seat: 3, secret: 2)])
        try await store.save([.keep(lease(0)), .remove(controller)])
        #expect(try store.load() == [])
        try await store.save([])
    }

    @Test("A lease is written with the disk awaited")
    func synchronous() async throws {
        let store = try LeaseStore(folder: temporary.folder)
        #expect(try await store.synchronousLevel() == 2)
        try await store.save([.keep(lease(0))])
        #expect(try await store.synchronousLevel() == 2)
    }

    @Test(
        "Whom a room forgot is in none of its files: soon after, and when a host opens them that lost its power before",
        arguments: [false, true])
    func forgotten(isReopened: Bool) async throws {
        let (name, gesture) = ("Vera Vorherig", "annasign")
        func traces() -> [String] {
            temporary.files.filter { file in
                let bytes = FileManager.default.contents(atPath: temporary.path + "/" + file) ?? Data()
                return [name, gesture].contains { bytes.range(of: Data($0.utf8)) != nil }
            }
        }
        let store = try LeaseStore(folder: temporary.folder)
        var vera = lease(0)
        vera.name = name
        let trace = MotionTrace(duration: 1, force: [1, 2, 3], rotationRate: [4, 5, 6])
        let taught = TaughtGesture(GestureKind(rawValue: gesture), examples: [trace])
        try await store.save([.keep(vera)])
        store.keep(PlayerTalents(gestures: [taught]), of: vera.controller) { recordFailure($0) }
        try await store.save([.keep(lease(1))])
        #expect(!traces().isEmpty)
        // As an exhibit begins anew, and as somebody is removed.
        vera.name = "Blue Dormouse"
        try await store.save([.keep(vera)])
        store.keep(PlayerTalents(), of: vera.controller) { recordFailure($0) }
        try await store.save([.remove(vera.controller)])
        #expect(traces() == ["leases.sqlite-wal"])
        if isReopened {
            let next = try LeaseStore(folder: temporary.folder)
            #expect(traces() == [])
            #expect(try next.load() == [lease(1)])
            try next.close()
        } else {
            store.tidy()
            try await store.save([])
            #expect(traces() == [])
        }
        #expect(try store.load() == [lease(1)])
        try store.close()
    }

    @Test("Files are tidied though somebody reads in them: once that is over, and nobody waits for it")
    func tidiedLater() async throws {
        let store = try LeaseStore(folder: temporary.folder)
        try await store.save([.keep(lease(0))])
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let reader = try DatabaseQueue(path: temporary.path + "/leases.sqlite", configuration: configuration)
        try await reader.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN")
            _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM lease")
        }
        try await store.save([.remove(lease(0).controller)])
        let begun = ContinuousClock.now
        store.tidy()
        try await store.save([])
        #expect(ContinuousClock.now - begun < .seconds(3))
        let patience = try await store.inspect { db in try Int.fetchOne(db, sql: "PRAGMA busy_timeout") }
        #expect(patience == 5_000)
        #expect(temporary.content("leases.sqlite-wal")?.isEmpty == false)
        try await reader.writeWithoutTransaction { db in try db.execute(sql: "ROLLBACK") }
        store.tidy()
        try await store.save([])
        #expect(temporary.content("leases.sqlite-wal")?.isEmpty == true)
        try reader.close()
    }

    @Test("A database of the first version keeps its leases, and loses the table in which nothing was ever written")
    func firstVersion() throws {
        let migrator = leaseMigrations()
        let queue = try DatabaseQueue(path: temporary.path + "/leases.sqlite")
        try migrator.migrate(queue, upTo: "1: leases and counters")
        try queue.write { db in
            try apply([.keep(lease(0))], to: db)
            #expect(try db.tableExists("counters"))
        }
        try queue.close()
        let store = try LeaseStore(folder: temporary.folder)
        #expect(store.recovery == nil)
        #expect(try store.load() == [lease(0)])
        let hasCounters = try store.pool.read { db in try db.tableExists("counters") }
        #expect(!hasCounters)
    }

    @Test("The callback form keeps the order of the calls")
    func callbacks() async throws {
        let store = try LeaseStore(folder: temporary.folder)
        for secret in UInt8(1)...50 { store.save([.keep(lease(0, secret: secret))]) { _ in } }
        try await store.save([])
        #expect(try store.load() == [lease(0, secret: 50)])
    }

    @Test("What players taught is kept in the order of the calls, among leases that come and go")
    func talents() async throws {
        let store = try LeaseStore(folder: temporary.folder)
        for number in 0..<40 {
            let controller = lease(number).controller
            store.save([.keep(lease(number))]) { _ in }
            for sensitivity in [0.6, 0.7 + Double(number) / 100] {
                store.keep(PlayerTalents(sensitivity: sensitivity), of: controller) { recordFailure($0) }
            }
            guard number % 4 > 0 else { continue }
            store.save([.remove(controller)]) { _ in }
            // Too late: it has no lease any more.
            store.keep(PlayerTalents(sensitivity: 0.5), of: controller) { recordFailure($0) }
            if number % 4 > 1 { store.save([.keep(lease(number))]) { _ in } }
            if number % 4 > 2 { store.keep(PlayerTalents(sensitivity: 2), of: controller) { recordFailure($0) } }
        }
        try await store.save([])
        let kept = try store.loadTalents().map { ($0.key, $0.value.sensitivity) }
        let wanted = (0..<40).compactMap { number -> (ControllerID, Double)? in
            switch number % 4 {
            case 0: (lease(number).controller, 0.7 + Double(number) / 100)
            case 3: (lease(number).controller, 2)
            default: nil
            }
        }
        #expect(Dictionary(uniqueKeysWithValues: kept) == Dictionary(uniqueKeysWithValues: wanted))
    }
}

@Suite("Lease store on a full disk")
struct FullLeaseStoreTests {
    let temporary = TemporaryFolder()

    @Test("What is too large for it is refused alone, and leases asked for beside it are kept")
    func full() async throws {
        let store = try LeaseStore(folder: temporary.folder)
        try await store.save([.keep(lease(0)), .keep(lease(1))])
        // As SQLite says it of a full disk: no page more than there are, and two.
        try await store.inspect { db in
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            _ = try Int.fetchOne(db, sql: "PRAGMA max_page_count = \(pages + 2)")
        }
        let trace = MotionTrace(
            duration: 1, force: (0..<192).map { Float($0) / 7 }, rotationRate: (0..<192).map { Float($0) / 3 })
        let large = PlayerTalents(
            gestures: (0..<8).map { TaughtGesture(GestureKind(rawValue: "g\($0)"), examples: [trace, trace, trace]) })
        let refusals = Mutex<[StorageError.Code]>([])
        for number in 2..<6 {
            store.keep(large, of: lease(0).controller) { result in
                if case .failure(let error) = result { refusals.withLock { $0.append(error.code) } }
            }
            store.save([.keep(lease(number))]) { result in
                #expect(throws: Never.self) { try result.get() }
            }
        }
        try await store.save([])
        #expect(try store.load() == (0..<6).map { lease($0) })
        #expect(refusals.withLock { $0 } == Array(repeating: .diskFull, count: 4))
        #expect(try store.loadTalents().isEmpty)
    }
}

@Suite("Lease store whose common transaction fails")
struct CommonLeaseStoreTests {
    let temporary = TemporaryFolder()

    @Test("What fails only as all is committed spoils nothing that was asked for beside it")
    func commitFails() async throws {
        let store = try LeaseStore(folder: temporary.folder)
        try await store.inspect { db in
            try db.execute(
                sql: """
                    CREATE TABLE page (id INTEGER PRIMARY KEY);
                    CREATE TABLE line (page INTEGER REFERENCES page(id) DEFERRABLE INITIALLY DEFERRED);
                    """)
        }
        let failed = Mutex<[Int]>([])
        func note(_ number: Int) -> @Sendable (Result<Void, StorageError>) -> Void {
            { if case .failure = $0 { failed.withLock { $0.append(number) } } }
        }
        // All are asked for while the writer is held up, so that they share a transaction.
        let gate = DispatchSemaphore(value: 0)
        store.pool.asyncWriteWithoutTransaction { _ in gate.wait() }
        store.save([.keep(lease(0))], completion: note(0))
        store.commit({ try $0.execute(sql: "INSERT INTO line VALUES (7)") }, completion: note(1))
        store.save([.remove(lease(0).controller), .keep(lease(2))], completion: note(2))
        gate.signal()
        try await store.save([])
        #expect(failed.withLock { $0 } == [1])
        #expect(try store.load() == [lease(2)])
    }
}

@Suite("A database that another program holds")
struct HeldLeaseStoreTests {
    let temporary = TemporaryFolder()

    /// Begins a transaction there that may write.
    private func hold(_ path: String) async throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: path, configuration: configuration)
        try await other.writeWithoutTransaction { db in try db.execute(sql: "BEGIN IMMEDIATE") }
        return other
    }

    private func letGo(_ other: DatabaseQueue) async throws {
        try await other.writeWithoutTransaction { db in try db.execute(sql: "ROLLBACK") }
    }

    @Test("All that waits for it is refused together, after one wait")
    func together() async throws {
        let store = try LeaseStore(folder: temporary.folder)
        store.hurry()
        let other = try await hold(temporary.path + "/leases.sqlite")
        let begun = ContinuousClock.now
        let refused = await withTaskGroup(of: Bool.self, returning: Int.self) { group in
            for number in 0..<8 {
                group.addTask {
                    do {
                        try await store.save([.keep(lease(number))])
                        return false
                    } catch {
                        return true
                    }
                }
            }
            var refused = 0
            for await isRefused in group where isRefused { refused += 1 }
            return refused
        }
        let took = ContinuousClock.now - begun
        #expect(refused == 8)
        // Each by itself would take a second.
        #expect(took < .seconds(5))
        try await letGo(other)
        try await store.save([.keep(lease(9))])
        #expect(try store.load() == [lease(9)])
    }

    @Test("A newcomer is seated all the same, and the game hears meanwhile what players send", .timeLimit(.minutes(1)))
    func inRoom() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            try await withController(house.controller("Blue"), joining: room.local) { blue in
                blue.send(Sample(sampledAt: Controller.deviceTimeNow()))
                _ = try await room.peers { $0.first?.state == "active" }
                let other = try await hold(room.foundation.folder.path(of: "leases.sqlite"))
                let (red, door) = (try house.controller("Red"), try room.local)
                async let seated = withController(red, joining: door) { $0.seat.seat }
                _ = try await room.peers { $0.count == 2 }
                let begun = ContinuousClock.now
                try blue.send(Array("hello".utf8))
                var messages = room.messages.makeAsyncIterator()
                #expect(await messages.next()?.bytes == Array("hello".utf8))
                // The lease of Red waits for five.
                #expect(ContinuousClock.now - begun < .seconds(3))
                let seat = try await seated
                #expect(seat == 2)
                try await letGo(other)
            }
        }
    }
}

extension LeaseStore {
    /// SQLite's own word for how long a commit waits: 1 NORMAL, 2 FULL.
    func synchronousLevel() async throws -> Int? {
        try await inspect { db in try Int.fetchOne(db, sql: "PRAGMA synchronous") }
    }
}
