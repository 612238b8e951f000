import Foundation
import Identity
import LeaseStorage
import PrivateFiles
import RoomEngine
package import RoomRecords
import SessionCoordinator
import WireProtocol

/// A room's folder before the room is open, for a host that may own the room later or not at all.
package struct RoomFolder: Sendable {
    private let folder: PrivateFolder
    /// Keeps other programs of this machine from taking part as the same host. The kernel gives it back when the program is
    /// killed: whoever gets it knows that its former life is gone.
    private let lock: RoomLock

    /// - Throws: ``StorageError``, with `roomInUse` where another program has it.
    package init(_ options: RoomOptions) throws {
        folder = try (options.state ?? StateFolder()).room(named: options.name)
        lock = try RoomLock(in: folder, file: RoomFile.ownerLock)
    }

    /// Lets another program have it.
    package func release() { lock.release() }

    /// The room's id: of the keys that lie here, or of the room that is followed.
    package func knownRoom() throws -> String? {
        if try folder.read(RoomFile.authority) != nil { return try madeRoom() }
        // For a standby that never owned the room, all that it knows.
        return try folder.word(in: RoomFile.standbyOf).flatMap { RoomID($0) }?.description
    }

    /// Where the room's keys lie; `nil` where none do.
    package func placeOfKeys() throws -> String? { try folder.read(RoomFile.authority) == nil ? nil : folder.path }

    /// The room's id; makes its keys where there are none.
    package func madeRoom() throws -> String {
        try RoomAuthority(folder: folder, names: ServerNames.current()).roomID.description
    }

    package func follow(_ room: String) throws { try folder.replace(RoomFile.standbyOf, with: "\(room)\n") }

    /// This machine's part in who owns the room: 64 random bits that it made once.
    package func hostNumber() throws -> UInt64 {
        if let word = try folder.word(in: RoomFile.hostID), let number = UInt64(word, radix: 16), number != 0 {
            return number
        }
        let number = UInt64.random(in: 1 ... .max)
        try folder.replace(RoomFile.hostID, with: "\(number.paddedHex)\n")
        return number
    }

    /// Takes out of a room that is not open here who is meant, with what that one taught; for `nil` everybody, and also
    /// who was removed, databases that were put aside, and recordings to collect from.
    ///
    /// - Returns: how they were called.
    /// - Throws: ``RoomError`` where nobody is meant or several are, ``StorageError`` also when a room is open here.
    package func erase(_ who: String?) async throws -> [String] {
        let lock = try RoomLock(in: folder)
        defer { lock.release() }
        let store = try LeaseStore(folder: folder)
        let leases = try store.load()
        let meant = try who.map { try Self.choose($0, among: leases) } ?? leases
        if who != nil {
            try await store.save(meant.map { LeaseChange.remove($0.controller) })
        } else {
            try store.removeAll()
            try folder.remove(RoomFile.banned)
            try folder.removeRemains()
        }
        try store.close()
        return meant.map(\.name)
    }

    private static func choose(_ who: String, among leases: [Lease]) throws -> [Lease] {
        let meant = Designation(who).choose { isMeant in
            leases.filter { isMeant($0.controller.description, $0.name, $0.player) }
        }
        guard meant.count != 1 else { return meant }
        func labels(_ leases: [Lease]) -> [String] {
            leases.map { "P\($0.player) \($0.name.isolated) (\($0.controller.description.prefix(8)))" }
        }
        throw RoomError(
            meant.isEmpty ? .notFound(present: labels(leases)) : .ambiguous(candidates: labels(meant)), who: who)
    }

    /// Puts what another owner had in the place of what lies here.
    ///
    /// - Throws: ``StorageError``, also when a room is open here.
    package func adopt(_ heritage: RoomHeritage) async throws {
        let lock = try RoomLock(in: folder)
        defer { lock.release() }
        for (name, text) in heritage.files where RoomHeritage.fileNames.contains(name) {
            try folder.replace(name, with: text)
        }
        // What the door was like when the room was here last is of no account.
        for file in KeptFile.allCases.map(\.name) where heritage.files[file] == nil { try folder.remove(file) }
        let store = try LeaseStore(folder: folder)
        let old = try store.load().map { LeaseChange.remove($0.controller) }
        var seats: Set<Int> = []
        // Of two for one seat, which no host writes, one goes in.
        let new = heritage.leases.values.sorted { $0.controller < $1.controller }.filter {
            seats.insert($0.seat).inserted
        }
        let gone = old.filter { change in !new.contains { $0.controller == change.controller } }
        try await store.save(gone + new.map(LeaseChange.keep))
        // Of whom nothing is known, nothing is kept: what lies here may be of a former stay.
        for controller in new.map(\.controller) {
            store.keep(heritage.talents[controller] ?? PlayerTalents(), of: controller) { _ in }
        }
        try store.close()
        folder.noteOpen()
    }
}

extension RoomFoundation {
    /// All that a successor needs, as it is now.
    func heritage(_ tenure: any RoomTenure) throws -> RoomHeritage {
        var heritage = RoomHeritage()
        for name in RoomHeritage.fileNames {
            guard let bytes = try folder.read(name, limit: RoomHeritage.longestFile) else { continue }
            heritage.files[name] = String(decoding: bytes, as: UTF8.self)
        }
        for lease in leases { heritage.leases[lease.controller] = lease }
        heritage.talents = talents.filter { heritage.leases[$0.key] != nil }
        (heritage.opened, heritage.numbersUpTo) = (tenure.opened, tenure.lastEvent)
        return heritage
    }
}
