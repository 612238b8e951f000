import Foundation
import PrivateFiles
package import RoomEngine
package import SessionCoordinator
package import WireProtocol

/// What a host needs to go on with a room that another one had: keys, codes, seats, and what players taught.
package struct RoomHeritage: Hashable, Sendable {
    /// Small files of the room's folder, by name.
    package var files: [String: String] = [:]
    package var leases: [ControllerID: Lease] = [:]
    package var talents: [ControllerID: PlayerTalents] = [:]
    /// The name of the machine that has the room; empty before that was said.
    package var machine = ""
    /// When the room was opened, as its events name it; `nil` before that was said.
    package var opened: String?
    /// No owner has told an event of a higher number.
    package var numbersUpTo = 0

    package init() {}

    /// The files that make a room the same one to controllers, phones, games and bookmarks. Its own certificate is none of
    /// them: each machine has one for its own addresses, signed by the authority.
    package static let fileNames = [
        RoomFile.authority, RoomFile.banned, RoomFile.code, RoomFile.door, RoomFile.gameToken, RoomFile.operatorToken,
        RoomFile.port,
    ]
    package static let longestFile = 65_536
    package static let mostLeases = 10_000
    /// As far as numbers go in JSON.
    package static let largestNumber = 1 << 53

    /// Everything, one thing after the other, for somebody who has nothing.
    package var items: [HeritageItem] {
        var items = files.sorted { $0.key < $1.key }.map { HeritageItem.file($0.key, $0.value) }
        for (_, lease) in leases.sorted(by: { $0.key < $1.key }) { items.append(.lease(HeldLease(lease))) }
        for (controller, talents) in talents.sorted(by: { $0.key < $1.key }) {
            items.append(.talents(controller.description, talents))
        }
        if !machine.isEmpty { items.append(.machine(machine)) }
        if let opened { items.append(.opened(opened)) }
        items.append(.numbers(numbersUpTo))
        return items
    }

    /// - Returns: false for what no host writes; nothing has changed then.
    @discardableResult
    package mutating func apply(_ item: HeritageItem) -> Bool {
        switch item {
        case .begin, .end: return false
        case .file(let name, let text):
            guard Self.fileNames.contains(name), text.utf8.count <= Self.longestFile else { return false }
            files[name] = text
        case .lease(let held):
            guard let lease = held.lease else { return false }
            guard leases[lease.controller] != nil || leases.count < Self.mostLeases else { return false }
            // Seats are swapped in two changes: who had this one gets the other with the next.
            leases[lease.controller] = lease
        case .freed(let text):
            guard let controller = ControllerID(text) else { return false }
            leases[controller] = nil
            talents[controller] = nil
        case .talents(let text, let known):
            guard let controller = ControllerID(text), leases[controller] != nil else { return false }
            talents[controller] = known.isEmpty ? nil : known
        case .opened(let text):
            guard text.utf8.count <= 64, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return false }
            (opened, numbersUpTo) = (text, 0)
        case .machine(let name):
            guard name.utf8.count <= 64, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return false }
            machine = name
        case .numbers(let last):
            guard (0...Self.largestNumber).contains(last) else { return false }
            numbersUpTo = max(numbersUpTo, last)
        }
        return true
    }
}

/// One change of a ``RoomHeritage``, as it is sealed and written into the room's log.
package enum HeritageItem: Hashable, Sendable, Codable {
    /// From here to `end` everything is told anew.
    case begin
    case end
    case file(String, String)
    case lease(HeldLease)
    /// The controller's seat is free, and what it taught forgotten.
    case freed(String)
    case talents(String, PlayerTalents)
    /// Which machine has the room from here on, by its name.
    case machine(String)
    /// The room was opened, and events are numbered from 0.
    case opened(String)
    /// Events are told up to this number, and no further before the log has another.
    case numbers(Int)
}

/// A lease as it is written down: nothing is believed of it before ``lease``.
package struct HeldLease: Hashable, Sendable, Codable {
    var controller: String
    var seat: Int
    var player: Int
    var name: String
    var color: UInt32
    var secret: [UInt8]
    var previous: [UInt8]?

    package init(_ lease: Lease) {
        controller = lease.controller.description
        (seat, player, name, color) = (lease.seat, lease.player, lease.name, lease.color)
        (secret, previous) = (lease.secretHash, lease.previousSecretHash)
    }

    private static let hashSize = 32
    private static let longestName = 256

    /// `nil` for what no host writes.
    package var lease: Lease? {
        guard let controller = ControllerID(controller), (1...RoomHeritage.mostLeases).contains(seat),
            (1...1_000_000).contains(player), name.utf8.count <= Self.longestName, color <= 0xFF_FFFF,
            secret.count == Self.hashSize, previous.map({ $0.count == Self.hashSize }) ?? true
        else { return nil }
        return Lease(
            controller: controller, seat: seat, player: player, name: name, color: color, secretHash: secret,
            previousSecretHash: previous)
    }
}
