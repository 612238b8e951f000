import RoomEngine
import RoomRecords
import SessionCoordinator
import Testing
import WireProtocol

@testable import SiteSuccession

@Suite("What a room puts down for the log while the broker takes nothing")
struct KeeperMailboxTests {
    private func lease(_ number: UInt8, seat: Int) -> Lease {
        Lease(
            controller: ControllerID(high: 0, low: UInt64(number)), seat: seat, player: seat,
            name: "P\(number)", color: 0, secretHash: Array(repeating: number, count: 32), previousSecretHash: nil)
    }

    @Test("However much changes, letters end, and a copy of everything is due that is right to the last change")
    func overflow() {
        let mailbox = KeeperMailbox()
        mailbox.post(.begin(RoomHeritage(), 1))
        var truth = RoomHeritage()
        for turn in 0..<20_000 {
            let lease = lease(UInt8(turn % 40), seat: turn % 40 + 1)
            let item: HeritageItem =
                turn % 3 == 2 ? .freed(lease.controller.description) : .lease(HeldLease(lease))
            mailbox.post(.change(item, 1))
            truth.apply(item)
        }
        mailbox.post(.change(.numbers(77), 1))
        truth.apply(.numbers(77))
        // Of another tenure.
        mailbox.post(.change(.file("code", "OLD"), 0))
        mailbox.post(.depart(1, to: nil))
        let mail = mailbox.take()
        #expect(mail.letters.count == KeeperMailbox.mostLetters + 1)
        let last = mail.letters.last.map { if case .depart = $0 { true } else { false } }
        #expect(last == true, "the last word is never left out")
        #expect(mail.isCopyDue)
        #expect(mailbox.heritage(in: 1) == truth)
        #expect(mailbox.heritage(in: 0) == nil && mailbox.heritage(in: 2) == nil)
        let next = mailbox.take()
        #expect(next.letters.isEmpty && !next.isCopyDue)
    }

    @Test("A room that cannot be open here is for a standby that is ready, or else for whoever had it; never closed")
    func givenUp() {
        func tenure(after predecessor: UInt64?) -> KeptTenure {
            KeptTenure(
                epoch: 2, opened: "2026-11-22T20:42:03.291Z", lastEvent: 0, adopted: nil, cause: "opened",
                after: predecessor, KeeperMailbox())
        }
        let (alone, second, backed) = (tenure(after: nil), tenure(after: 7), tenure(after: 7))
        backed.note("", successor: (9, "arcade-9"))
        #expect(!alone.giveUp() && !alone.isHandover)
        #expect(second.giveUp() && second.handsOverTo == 7)
        #expect(backed.giveUp() && backed.handsOverTo == 9)
    }

    @Test("A copy that is ahead of letters which wait comes to the same with them")
    func replayed() throws {
        let mailbox = KeeperMailbox()
        mailbox.post(.begin(RoomHeritage(), 1))
        let (blue, red) = (lease(1, seat: 1), lease(2, seat: 2))
        let items: [HeritageItem] = [
            .lease(HeldLease(blue)), .lease(HeldLease(red)), .freed(blue.controller.description),
            .file("door", "locked\n"), .file("door", "unlocked\n"), .numbers(9),
        ]
        for item in items { mailbox.post(.change(item, 1)) }
        var copy = try #require(mailbox.heritage(in: 1))
        for case .change(let item, _) in mailbox.take().letters { copy.apply(item) }
        #expect(copy == mailbox.heritage(in: 1))
        #expect(copy.leases.keys.map { $0 } == [red.controller])
    }
}
