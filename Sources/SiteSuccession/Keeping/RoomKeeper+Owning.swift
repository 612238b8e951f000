import Datagrams
import Foundation
import Logging
import RoomOwnership
import RoomRecords
import WireProtocol

/// The times that a room is this host's.
extension RoomKeeper {
    // MARK: What a successor needs

    func offerCopy() {
        (copiedAt, mustCopy) = (participant.lastSequence, false)
        guard let live = tenure.flatMap({ mailbox.heritage(in: $0.epoch) }) else { return }
        for item in [.begin] + live.items + [.end] { offer(item) }
    }

    func offer(_ item: HeritageItem) {
        let sealed = HeritageCopy.sealed(
            item, plan.key, room: plan.room, by: me, in: tenure?.epoch ?? 0, number: offered + 1)
        guard let sealed else {
            return Self.logger.error(
                "\"\(plan.name)\": something is too long for the room's log, and no successor will have it")
        }
        offered += 1
        if case .numbers(let last) = item { numbers[offered] = last }
        perform(participant.handle(.offered(sealed), now: LeaseClock.now()))
    }

    // MARK: Tenures

    func end(_ words: String, isDeposed: Bool) {
        guard let tenure else { return }
        self.tenure = nil
        numbers = [:]
        if isDeposed {
            tenure.end(words)
            Self.logger.warning("\"\(plan.name)\": deposed: \(words); nothing it did since counts")
        } else {
            tenure.depart()
        }
    }

    func hostName(_ owner: OwnerID?) -> String {
        guard let owner else { return "a host of another version" }
        if owner.host == me.host { return "this host" }
        let machine = copy.machine(of: owner.host) ?? names[owner.host]
        return "host \(machine ?? String(owner.host, radix: 16))"
    }

    func settle() {
        let now = LeaseClock.now()
        let standing = participant.standing(now)
        switch standing {
        case .acting(let epoch) where tenure == nil: beginTenure(epoch)
        case .reading, .standingBy, .waiting:
            // It was handed over.
            if tenure != nil { end("handed over", isDeposed: false) }
        case .acting, .suspended, .claiming, .closed: break
        }
        tell(standing, now)
        tenure?.act(until: participant.actsUntil(now))
        tenure?.note(told, successor: successor(now))
    }

    func successor(_ now: HostTime) -> (host: UInt64, name: String)? {
        let gone = participant.configuration.timing.gone
        let ready = participant.standbys.rows.last {
            $0.presence.isReady && $0.presence.host != me.host && now - $0.heardAt < gone
        }
        return ready.map { ($0.presence.host, names[$0.presence.host] ?? "") }
    }

    func beginTenure(_ epoch: OwnershipEpoch) {
        let (before, wasClosed) = copy.predecessor
        let isOwn = copy.isNewest(at: me.host)
        guard isOwn || copy.isWhole else {
            // It was whole when the room was claimed. Nobody can go on with less than a room: who told of it last can.
            Self.logger.error(
                "\"\(plan.name)\": this host owns the room, but has no whole copy of it: it gives the room back")
            let last = wasClosed ? nil : copy.teller ?? before
            let command = last.map { OwnershipCommand.handOver(to: $0.host) } ?? .release
            return perform(participant.handle(.command(command), now: LeaseClock.now()))
        }
        let goesOn = before != nil && !wasClosed && copy.isWhole
        let opened = goesOn ? copy.heritage.opened : nil
        let cause =
            before == nil || wasClosed
            ? "opened" : before?.host == me.host ? "back after its end" : "after \(hostName(before))"
        let tenure = KeptTenure(
            epoch: epoch, opened: opened ?? Self.wallClock(),
            lastEvent: opened == nil ? 0 : copy.heritage.numbersUpTo + 1, adopted: isOwn ? nil : copy.heritage,
            cause: cause, after: wasClosed || before?.host == me.host ? nil : before?.host, mailbox)
        self.tenure = tenure
        tenure.act(until: participant.actsUntil(LeaseClock.now()))
        owning.yield(tenure)
    }

    private static func wallClock() -> String {
        Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
