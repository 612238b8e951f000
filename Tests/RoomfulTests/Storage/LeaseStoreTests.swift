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

@Suite("Leases that a disk refused")
struct UnsavedLeaseTests {
    let temporary = TemporaryFolder()

    private func change(_ unsaved: inout UnsavedLeases, _ changes: [LeaseChange], of store: LeaseStore) async {
        let due = unsaved.due(with: changes)
        do {
            try await store.save(due)
            unsaved.noteSaved(due)
        } catch {
            unsaved.noteRefused(due)
        }
    }

    private func refuse(_ isRefused: Bool, on store: LeaseStore) async throws {
        try await store.inspect { db in try db.execute(sql: "PRAGMA query_only = \(isRefused ? 1 : 0)") }
    }

    @Test("Once the disk takes them, all stand as if it had never refused: who left, who came, and who swapped seats")
    func madeUpFor() async throws {
        let store = try LeaseStore(folder: temporary.folder)
        var unsaved = UnsavedLeases(onDisk: [])
        await change(&unsaved, [.keep(lease(0)), .keep(lease(1)), .keep(lease(2))], of: store)
        try await refuse(true, on: store)
        await change(&unsaved, [.remove(lease(0).controller)], of: store)
        await change(&unsaved, [.keep(lease(7, seat: 0))], of: store)
        await change(&unsaved, [.keep(lease(1, seat: 2)), .keep(lease(2, seat: 1))], of: store)
        #expect(try store.load() == [lease(0), lease(1), lease(2)])
        try await refuse(false, on: store)
        await change(&unsaved, [.keep(lease(8, seat: 3))], of: store)
        #expect(try store.load() == [lease(7, seat: 0), lease(2, seat: 1), lease(1, seat: 2), lease(8, seat: 3)])
        #expect(unsaved.due(with: []).isEmpty)
    }

    @Test("However many come and go meanwhile, only who sits waits for the disk, and who left and has a row there")
    func bounded() {
        var unsaved = UnsavedLeases(onDisk: [lease(0).controller])
        unsaved.noteRefused(unsaved.due(with: [.remove(lease(0).controller)]))
        for number in 1..<500 {
            unsaved.noteRefused(unsaved.due(with: [.keep(lease(number, seat: 0))]))
            let newest = LeaseChange.keep(lease(number, seat: 0, secret: 2))
            unsaved.noteRefused(unsaved.due(with: [newest]))
            #expect(unsaved.due(with: []) == [.remove(lease(0).controller), newest])
            unsaved.noteRefused(unsaved.due(with: [.remove(lease(number).controller)]))
        }
        #expect(unsaved.due(with: []) == [.remove(lease(0).controller)])
    }

    @Test("Who left, and whose row went with that, leaves nothing to be saved when it comes and goes meanwhile")
    func goneBefore() {
        for isGone in [true, false] {
            var unsaved = UnsavedLeases(onDisk: [])
            unsaved.noteSaved([.keep(lease(1))])
            if isGone { unsaved.noteSaved([.remove(lease(1).controller)]) }
            unsaved.noteRefused(unsaved.due(with: [.keep(lease(1, secret: 2))]))
            unsaved.noteRefused(unsaved.due(with: [.remove(lease(1).controller)]))
            #expect(unsaved.due(with: []) == (isGone ? [] : [.remove(lease(1).controller)]))
        }
    }

    @Test("A player who left while the disk refused keeps nobody's lease from it, once it takes them again")
    func inRoom() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            let store = room.foundation.store
            try await withController(house.controller("Blue"), joining: room.local) { _ in
                #expect(try store.load().map(\.name) == ["Blue"])
                try await refuse(true, on: store)
            }
            _ = try await room.peers { $0.isEmpty }
            // It is answered though its lease is refused, and has the seat that Blue had.
            try await withController(house.controller("Red"), joining: room.local) { red in
                #expect(red.seat.seat == 1)
                try await refuse(false, on: store)
                try await withController(house.controller("Green"), joining: room.local) { _ in
                    let kept = try store.load().map(\.name)
                    #expect(kept == ["Red", "Green"])
                }
            }
        }
    }
}

@Suite("What a room owes its disk")
struct DiskDebtTests {
    let temporary = TemporaryFolder()
    private let lines = Heard<String>()

    private func debts(of store: LeaseStore) throws -> DiskDebts {
        let lines = lines
        return DiskDebts(store: store, folder: try temporary.folder, seated: []) { line, isTrouble in
            lines.note((isTrouble ? "trouble: " : "") + line)
        }
    }

    /// Also waits for all that was asked for before.
    private func refuse(_ isRefused: Bool, on store: LeaseStore) async throws {
        try await store.inspect { db in try db.execute(sql: "PRAGMA query_only = \(isRefused ? 1 : 0)") }
    }

    private func taught(_ store: LeaseStore) throws -> [ControllerID: Double] {
        try store.loadTalents().mapValues(\.sensitivity)
    }

    @Test("Seats and what was taught there are saved once the disk takes them, and people are told twice")
    func madeUpFor() async throws {
        let store = try LeaseStore(folder: temporary.folder)
        let debts = try debts(of: store)
        let ids = (0..<4).map { lease($0).controller }
        await debts.save([.keep(lease(0))])
        try await refuse(true, on: store)
        await debts.save([.keep(lease(1)), .keep(lease(2)), .keep(lease(3))])
        for (place, id) in ids.enumerated() { debts.keep(PlayerTalents(sensitivity: 0.75 + Double(place)), of: id) }
        await debts.save([.remove(ids[2])])
        debts.keep(PlayerTalents(sensitivity: 0.7), of: ids[0])
        for _ in 0..<3 {
            debts.tryAgain()
            try await refuse(true, on: store)
        }
        #expect(try store.load() == [lease(0)])
        #expect(lines.all.count == 1 && lines.all.allSatisfy { $0.hasPrefix("trouble: seats are not saved: ") })

        try await refuse(false, on: store)
        debts.tryAgain()
        try await store.save([])
        let kept = try taught(store)
        #expect(try store.load() == [lease(0), lease(1), lease(3)])
        #expect(kept == [ids[0]: 0.7, ids[1]: 1.75, ids[3]: 3.75])
        #expect(lines.all.dropFirst() == ["the disk has taken all that it had refused"])
    }

    @Test("What was taught at a seat that the disk refused is not taken for kept, though nothing failed")
    func withoutLease() async throws {
        let store = try LeaseStore(folder: temporary.folder)
        let debts = try debts(of: store)
        try await refuse(true, on: store)
        await debts.save([.keep(lease(1))])
        try await refuse(false, on: store)
        debts.keep(PlayerTalents(sensitivity: 1.7), of: lease(1).controller)
        try await store.save([])
        #expect(try store.loadTalents().isEmpty)
        await debts.settle()
        let kept = try taught(store)
        #expect(kept == [lease(1).controller: 1.7])
        #expect(lines.all.count == 2)
    }

    @Test("What is newer is never written over by what was owed before")
    func order() async throws {
        let store = try LeaseStore(folder: temporary.folder)
        let debts = try debts(of: store)
        try await refuse(true, on: store)
        await debts.save([.keep(lease(0)), .keep(lease(1))])
        debts.keep(PlayerTalents(sensitivity: 0.6), of: lease(0).controller)
        try await refuse(false, on: store)
        // The writer is held up, so that all of this is underway at once.
        let gate = DispatchSemaphore(value: 0)
        store.pool.asyncWriteWithoutTransaction { _ in gate.wait() }
        debts.keep(PlayerTalents(sensitivity: 0.8), of: lease(0).controller)
        debts.tryAgain()
        async let saved: Void = debts.save([.keep(lease(0, secret: 2)), .remove(lease(1).controller)])
        debts.tryAgain()
        gate.signal()
        await saved
        await debts.settle()
        let kept = try taught(store)
        #expect(try store.load() == [lease(0, secret: 2)])
        #expect(kept == [lease(0).controller: 0.8])
    }

    @Test("How the door is, is written down as soon as the disk takes it, as it is then")
    func door() async throws {
        let debts = try debts(of: LeaseStore(folder: temporary.folder))
        // A folder stands where the file belongs.
        let path = temporary.path + "/" + RoomFile.door
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        debts.keep("locked\n", as: .door)
        debts.keep("unlocked\n", as: .door)
        debts.keep("locked until 1795420800\n", as: .door)
        #expect(lines.all.count == 1 && lines.all.allSatisfy { $0.contains("whether the room is locked is not saved") })
        try FileManager.default.removeItem(atPath: path)
        debts.tryAgain()
        #expect(temporary.content(RoomFile.door) == "locked until 1795420800\n")
        #expect(lines.all.count == 2)

        try FileManager.default.removeItem(atPath: path)
        debts.tryAgain()
        #expect(temporary.content(RoomFile.door) == nil)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        debts.keep("locked\n", as: .door)
        debts.keep("", as: .door)
        // That it cannot be removed is owed as well: the next host would find the room locked.
        #expect(lines.all.count == 3)
        try FileManager.default.removeItem(atPath: path)
        debts.tryAgain()
        #expect(temporary.content(RoomFile.door) == nil)
        #expect(lines.all.count == 4)
    }

    @Test("Whom the operator keeps out is written down as soon as the disk takes it; of nobody there is no file")
    func bans() async throws {
        let debts = try debts(of: LeaseStore(folder: temporary.folder))
        let path = temporary.path + "/" + RoomFile.banned
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        debts.keep("1\n", as: .banned)
        #expect(lines.all.count == 1 && lines.all.allSatisfy { $0.contains("who was removed is not saved") })
        try FileManager.default.removeItem(atPath: path)
        debts.tryAgain()
        #expect(temporary.content(RoomFile.banned) == "1\n")
        #expect(lines.all.count == 2)
        debts.keep("", as: .banned)
        #expect(temporary.content(RoomFile.banned) == nil)
        #expect(lines.all.count == 2)
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

extension LeaseStore {
    /// SQLite's own word for how long a commit waits: 1 NORMAL, 2 FULL.
    func synchronousLevel() async throws -> Int? {
        try await inspect { db in try Int.fetchOne(db, sql: "PRAGMA synchronous") }
    }
}
