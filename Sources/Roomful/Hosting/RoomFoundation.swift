import Foundation
import NIOSSL
import PeerDiscovery
import SessionCoordinator
import WireProtocol

/// Everything that a room stands on before anyone can join: its name, its folder, its keys, its leases and its port.
struct RoomFoundation: Sendable {
    let name: RoomName
    let game: GameLabel?
    let folder: PrivateFolder
    /// Held for as long as the room is open: no second host runs the same room.
    let lock: RoomLock
    let authority: RoomAuthority
    /// What the room's port shows: the room's own certificate, or the operator's.
    let tls: TLSSource
    let store: LeaseStore
    let leases: [Lease]
    let talents: [ControllerID: PlayerTalents]
    let code: AdmissionCode?
    /// What games show by HTTP; the same after a restart.
    let gameToken: AccessToken
    /// What the operator's page shows; the same after a restart, so that its bookmark stays good.
    let operatorToken: AccessToken

    /// - Throws: ``RoomError``, or the storage's and identity's own errors: each one line that says what to do.
    init(_ options: RoomOptions) throws {
        if let problem = options.problem { throw RoomError(.badOption, problem) }
        do throws(RoomNameError) {
            name = try RoomName(options.name)
        } catch {
            throw RoomError(.badOption, error.description)
        }
        game = try options.game.map { label in
            guard let game = GameLabel(label) else {
                throw RoomError(.badOption, "\"\(printable(label))\" is no game label: use 2 to 62 of a-z, 0-9 and -")
            }
            return game
        }
        let state = try options.state ?? StateFolder()
        folder = try state.room(named: options.name)
        lock = try RoomLock(in: folder)
        authority = try RoomAuthority(folder: folder, names: ServerNames.current())
        tls = try TLSSource(authority: authority, files: options.certificate)
        store = try LeaseStore(folder: folder)
        leases = try store.load().map(Lease.init)
        talents = try store.loadTalents()
        code = options.policy == .code ? try options.code ?? Self.keptCode(in: folder) : nil
        gameToken = try AccessToken.kept(as: "game-token", in: folder)
        operatorToken = try AccessToken.kept(as: "operator-token", in: folder)
    }

    /// The room's code is kept, so that a poster on the wall stays true.
    private static func keptCode(in folder: PrivateFolder) throws -> AdmissionCode {
        if let kept = try folder.read("code", limit: 64),
            let code = AdmissionCode(
                String(decoding: kept, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
        {
            return code
        }
        let code = AdmissionCode.random()
        try folder.replace("code", with: Array((code.text + "\n").utf8))
        return code
    }

    /// The port that the room had last: where it is free still, controllers and bookmarks find the room at once.
    var keptPort: UInt16? {
        guard let kept = try? folder.read("port", limit: 16, isSecret: false) else { return nil }
        return UInt16(String(decoding: kept, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    }

    func keep(port: UInt16) throws { try folder.replace("port", with: Array("\(port)\n".utf8)) }

    /// What is said of the room before anyone joins.
    func record(freeSeats: Int, options: RoomOptions) -> RoomRecord {
        guard let id = RoomRecord.ID(bytes: authority.roomID.bytes) else {
            preconditionFailure("a room's id has 16 bytes, wherever it is written down")
        }
        return RoomRecord(
            id: id, protocolVersion: UInt16(WireFormat.version), game: game,
            freeSeats: UInt16(clamping: freeSeats), totalSeats: UInt16(clamping: options.seats),
            policy: RoomRecord.Policy(rawValue: options.policy.rawValue),
            pin: RoomRecord.Pin(bytes: authority.pin.bytes))
    }
}

extension Lease {
    init(_ stored: StoredLease) {
        self.init(
            controller: stored.controller, seat: stored.seat, player: stored.player, name: stored.name,
            color: UInt32(stored.color.dropFirst(), radix: 16) ?? 0x7F7F7F, secretHash: stored.secretHash,
            previousSecretHash: stored.previousSecretHash)
    }
}

extension LeaseChange {
    /// The coordinator's change as the store keeps it.
    init(_ change: SessionCoordinator.LeaseChange, at date: Date) {
        switch change {
        case .remove(let controller): self = .remove(controller)
        case .keep(let lease):
            self = .upsert(
                StoredLease(
                    controller: lease.controller, seat: lease.seat, player: lease.player, name: lease.name,
                    color: colorText(lease.color), secretHash: lease.secretHash,
                    previousSecretHash: lease.previousSecretHash, updatedAt: date))
        }
    }
}
