import Foundation
import GRDB
import RoomEngine
import SessionCoordinator
import Testing
import WireProtocol

@testable import Identity
@testable import InputMerge
@testable import LeaseStorage
@testable import PrivateFiles
@testable import RoomServer
@testable import Roomful

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

    @Test("Once the disk takes them, all stand as if it had never refused: who left, who came, and who swapped seats")
    func madeUpFor() async throws {
        let store = try LeaseStore(folder: temporary.folder)
        var unsaved = UnsavedLeases(onDisk: [])
        await change(&unsaved, [.keep(lease(0)), .keep(lease(1)), .keep(lease(2))], of: store)
        try await store.refuse(true)
        await change(&unsaved, [.remove(lease(0).controller)], of: store)
        await change(&unsaved, [.keep(lease(7, seat: 0))], of: store)
        await change(&unsaved, [.keep(lease(1, seat: 2)), .keep(lease(2, seat: 1))], of: store)
        #expect(try store.load() == [lease(0), lease(1), lease(2)])
        try await store.refuse(false)
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
                try await store.refuse(true)
            }
            _ = try await room.peers { $0.isEmpty }
            // It is answered though its lease is refused, and has the seat that Blue had.
            try await withController(house.controller("Red"), joining: room.local) { red in
                #expect(red.seat.seat == 1)
                try await store.refuse(false)
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

    private func taught(_ store: LeaseStore) throws -> [ControllerID: Double] {
        try store.loadTalents().mapValues(\.sensitivity)
    }

    @Test("Seats and what was taught there are saved once the disk takes them, and people are told twice")
    func madeUpFor() async throws {
        let store = try LeaseStore(folder: temporary.folder)
        let debts = try debts(of: store)
        let ids = (0..<4).map { lease($0).controller }
        await debts.save([.keep(lease(0))])
        try await store.refuse(true)
        await debts.save([.keep(lease(1)), .keep(lease(2)), .keep(lease(3))])
        for (place, id) in ids.enumerated() { debts.keep(PlayerTalents(sensitivity: 0.75 + Double(place)), of: id) }
        await debts.save([.remove(ids[2])])
        debts.keep(PlayerTalents(sensitivity: 0.7), of: ids[0])
        for _ in 0..<3 {
            debts.tryAgain()
            try await store.refuse(true)
        }
        #expect(try store.load() == [lease(0)])
        #expect(lines.all.count == 1 && lines.all.allSatisfy { $0.hasPrefix("trouble: seats are not saved: ") })

        // Whoever closes the room for good takes away what is owed, too.
        #expect(debts.seated == [ids[0], ids[1], ids[3]])

        try await store.refuse(false)
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
        try await store.refuse(true)
        await debts.save([.keep(lease(1))])
        try await store.refuse(false)
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
        try await store.refuse(true)
        await debts.save([.keep(lease(0)), .keep(lease(1))])
        debts.keep(PlayerTalents(sensitivity: 0.6), of: lease(0).controller)
        try await store.refuse(false)
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

extension LeaseStore {
    /// As a disk that takes nothing, or takes it again. Also waits for all that was asked for before.
    fileprivate func refuse(_ isRefused: Bool) async throws {
        try await inspect { db in try db.execute(sql: "PRAGMA query_only = \(isRefused ? 1 : 0)") }
    }
}
