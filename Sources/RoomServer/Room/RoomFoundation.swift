import ControlPort
import Datagrams
import Foundation
package import Identity
package import LeaseStorage
import NIOSSL
package import PeerDiscovery
package import PrivateFiles
import RoomEngine
import RoomRecords
import SessionCoordinator
import WireProtocol

/// Everything that a room stands on before anyone can join: its name, its folder, its keys, its leases and its port.
package struct RoomFoundation: Sendable {
    package let name: RoomName
    package let folder: PrivateFolder
    /// Held for as long as the room is open: no second host runs the same room.
    private let lock: RoomLock
    let authority: RoomAuthority
    /// What the room's port shows: the room's own certificate, or the operator's.
    package let tls: TLSSource
    package let store: LeaseStore
    let leases: [Lease]
    let talents: [ControllerID: PlayerTalents]
    /// What people type, and what QR codes and ticket files hold, while the policy asks for one. There before it does:
    /// it may be changed while the room is open.
    let codes: RoomCodes
    /// What games show by HTTP; the same after a restart.
    package let gameToken: AccessToken
    /// What the operator's page shows; the same after a restart, so that its bookmark stays good.
    package let operatorToken: AccessToken
    /// The usual port of plain HTTP is in another room's bookmarks.
    let usualPortIsTaken: Bool

    /// - Parameter isClockSure: whether a time service keeps this machine's clock right.
    /// - Throws: ``RoomError``, or the storage's and identity's own errors: each one line that says what to do.
    init(_ options: RoomOptions, isClockSure: Bool = WallClock.isSynchronised == true) throws {
        if let problem = options.problem { throw RoomError(.badOption, problem) }
        do throws(RoomNameError) {
            name = try RoomName(options.name)
        } catch {
            throw RoomError(.badOption, error.description)
        }
        if let game = options.game, GameLabel(game) == nil {
            throw RoomError(.badOption, "\"\(printable(game))\" is no game label: use 2 to 62 of a-z, 0-9 and -")
        }
        let state = try options.state ?? StateFolder()
        folder = try state.room(named: options.name)
        lock = try RoomLock(in: folder)
        folder.removeLeftovers(RoomFile.collecting)
        authority = try RoomAuthority(folder: folder, names: ServerNames.current(), isClockSure: isClockSure)
        tls = try TLSSource(authority: authority, files: options.certificate)
        store = try LeaseStore(folder: folder)
        // Of a former evening: nobody returns to a seat of then, and no recording shall begin with its names.
        // A clock that may be ahead, as after a boot, removes nobody: who does not come back loses the seat by the grace.
        if isClockSure, Self.isOfFormerEvening(folder, options) { try store.removeAll() }
        folder.noteOpen()
        leases = try store.load()
        talents = try store.loadTalents()
        codes = try RoomCodes.kept(in: folder, typed: options.code)
        gameToken = try AccessToken.kept(as: RoomFile.gameToken, in: folder)
        operatorToken = try AccessToken.kept(as: RoomFile.operatorToken, in: folder)
        usualPortIsTaken = state.anotherRoom(
            than: folder, keeps: "\(RoomOptions.HTTP.usualPort)", in: RoomFile.httpPort)
    }

    /// Whether the room was open last more than a day ago, as `stop --back-in` may say, and the time for which a seat
    /// is kept. What a clock said that was not set yet, or a program that noted nothing, is no reason to remove anybody.
    private static func isOfFormerEvening(_ folder: PrivateFolder, _ options: RoomOptions) -> Bool {
        guard let last = folder.written(RoomFile.lastOpen), last > firstPlausible else { return false }
        return Int(Date().timeIntervalSince1970) - last > 86_400 + Int(options.grace.components.seconds)
    }

    /// No room of this version was open before 2026, in seconds since 1970.
    private static let firstPlausible = 1_767_225_600

    /// The room is open still. What a collector left that was killed with its host goes when it is a day old.
    func noteAlive() {
        folder.noteOpen()
        folder.removeLeftovers(RoomFile.collecting)
    }

    /// Gives the room's folder back, for the next host.
    package func release() { lock.release() }

    /// The port that the room had last: where it is free still, controllers and bookmarks find the room at once.
    var keptPort: UInt16? { port(in: RoomFile.port) }

    package func keep(port: UInt16) throws { try folder.replace(RoomFile.port, with: "\(port)\n") }

    /// The same of plain HTTP on this machine, where bookmarks of the operator's page, the big screen and games lead. Of
    /// several rooms each has its own: which of them came first to the usual one would be chance at each start.
    var keptLoopbackPort: UInt16? { port(in: RoomFile.httpPort) }

    /// Where one is kept it stays: another program that has it for an evening takes no bookmark away.
    func keep(loopbackPort: UInt16) throws {
        guard keptLoopbackPort == nil else { return }
        try folder.replace(RoomFile.httpPort, with: "\(loopbackPort)\n")
    }

    private func port(in file: String) -> UInt16? {
        (try? folder.word(in: file, limit: 16, isSecret: false)).flatMap { UInt16($0) }
    }

    /// What is said of the room before anyone joins.
    func record(_ word: DoorSign.Word, options: RoomOptions) -> RoomRecord {
        RoomRecord(
            id: authority.roomID, protocolVersion: UInt16(WireFormat.version), game: options.label,
            freeSeats: UInt16(clamping: word.freeSeats), totalSeats: UInt16(clamping: options.seats),
            policy: RoomRecord.Policy(rawValue: options.policy.rawValue),
            pin: authority.pin, isLocked: word.isLocked)
    }
}

extension PrivateFolder {
    /// The room in this folder is open, or was handed over just now: seats wait from here on. A disk that refuses this
    /// keeps no room from opening.
    func noteOpen() { try? touch(RoomFile.lastOpen) }

    /// Removes whatever holds people beside the database itself: databases that were put aside, and the whole room's
    /// motion, of which a collector took its part or did not.
    func removeRemains() throws(StorageError) {
        removeLeftovers(RoomFile.collecting, after: -.infinity)
        try removeSetAside(RoomFile.leases, before: .distantFuture)
    }
}
