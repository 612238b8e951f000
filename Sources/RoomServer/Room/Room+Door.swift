import Foundation
import Logging
import PrivateFiles
import RoomRecords
import Synchronization
import WireProtocol

/// Whether newcomers are let in: by the room's hours, and by its operator in between.
extension Room {
    /// Before anybody can come: the door is as it was left when the host ended without closing the room, here or on another
    /// machine; else as the hours say.
    package func openDoor() async {
        // Hours that came or went since then decide anew.
        let now = Date()
        guard let door = keptDoor, door.stands(at: now),
            (door.until == nil) == (options.hours?.minutesToStrike(after: 0) == nil)
        else { return await mindDoor() }
        doorWatch.withLock {
            $0.begin(
                options.hours, at: Int(now.timeIntervalSince1970), minute: OpeningHours.localMinute(now),
                until: door.until)
            if door.isLocked { $0.restored = door }
        }
        guard door.isLocked else { return }
        await lock()
        logger.notice("\"\(name)\" is locked, as its operator left it: roomful unlock")
    }

    private var keptDoor: KeptDoor? {
        do {
            guard let bytes = try foundation.folder.read(RoomFile.door, limit: 64, isSecret: false) else { return nil }
            if let door = KeptDoor(String(decoding: bytes, as: UTF8.self)) { return door }
            let path = foundation.folder.path(of: RoomFile.door)
            logger.warning("whether \"\(name)\" was locked is not known: no host writes what \(path) holds; remove it")
        } catch {
            logger.warning("whether \"\(name)\" was locked is not known: \(error)")
        }
        return nil
    }

    /// Writes down what the operator decided, until the hours decide again; what they decide themselves, they will say anew.
    func keepDoor(isLocked: Bool) {
        // What was restored is kept already. Its end is not reckoned anew: the clock may be that of a boot.
        let restored = doorWatch.withLock { watch -> KeptDoor? in
            defer { watch.restored = nil }
            return watch.restored
        }
        if restored?.isLocked == isLocked { return }
        let now = Date()
        let minute = OpeningHours.localMinute(now)
        if let hours = options.hours, hours.isOpen(at: minute) != isLocked { return forgetDoor() }
        let strike = options.hours?.minutesToStrike(after: minute)
        let until = strike.map { (Int(now.timeIntervalSince1970) / 60 + $0) * 60 }
        doorWatch.withLock { $0.until = until }
        keep(KeptDoor(isLocked: isLocked, until: until).text, as: .door)
    }

    /// The host ends. Who closes the room, and does not mean to be back, opens its door for the next time, to everybody.
    func leaveDoor() {
        guard !comesBack.load(ordering: .relaxed), options.tenure?.isOver != true else { return }
        forgetDoor()
        keepBans([])
    }

    /// Whom the operator had removed when a host ended without closing the room, here or on another machine.
    var keptBans: [ControllerID] {
        do {
            let bytes = try foundation.folder.read(RoomFile.banned, limit: KeptBans.longest, isSecret: false)
            return KeptBans.controllers(in: String(decoding: bytes ?? [], as: UTF8.self))
        } catch {
            logger.warning("who was removed from \"\(name)\" is not known: \(error)")
            return []
        }
    }

    /// Writes down whom the operator keeps out.
    func keepBans(_ controllers: [ControllerID]) {
        let isNews = doorWatch.withLock { watch in
            defer { watch.banned = controllers }
            return watch.banned != controllers
        }
        guard isNews else { return }
        keep(KeptBans.text(controllers), as: .banned)
    }

    /// Here, and at who may have the room next.
    private func keep(_ text: String, as file: KeptFile) {
        options.tenure?.keep(text, asFile: file.name)
        debts.keep(text, as: file)
    }

    private func forgetDoor() {
        doorWatch.withLock { $0.until = nil }
        options.tenure?.keep(KeptDoor(isLocked: false, until: 0).text, asFile: RoomFile.door)
        debts.keep("", as: .door)
    }

    /// Locks and unlocks the room as its hours say, once a second until it closes.
    ///
    /// Only when an hour strikes, or has while the machine slept: what the operator does in between stands until the
    /// next. Who has a seat keeps it.
    package func keepHours() async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                while (try? await Task.sleep(for: .seconds(1))) != nil { await self.mindDoor() }
            }
            await untilClosed()
            group.cancelAll()
        }
    }

    /// Looks at the clock: nobody may slip in before a room that opens in its closed hours is locked.
    package func mindDoor() async {
        let (hours, now) = (options.hours, Date())
        let minute = OpeningHours.localMinute(now)
        let decision = doorWatch.withLock { $0.look(hours, at: Int(now.timeIntervalSince1970), minute: minute) }
        guard let isOpen = decision else { return }
        // A time zone that is mistyped counts as UTC, and nothing else says so.
        let here = OpeningHours.localTime(now)
        if isOpen {
            await unlock()
            logger.notice("\"\(name)\" is open, by its hours: here it is \(here)")
        } else {
            await lock()
            let next = hours?.nextOpening(after: minute).map { "; it opens on \($0)" } ?? ""
            logger.notice(
                "\"\(name)\" is closed to newcomers, by its hours\(next): here it is \(here). In between: roomful unlock"
            )
        }
    }
}
