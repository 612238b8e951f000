import RoomEngine
import RoomRecords
import SessionCoordinator
import Synchronization
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

    private func tenure(_ mailbox: KeeperMailbox, after predecessor: UInt64? = nil) -> KeptTenure {
        KeptTenure(
            epoch: 2, opened: "2026-11-22T20:42:03.291Z", lastEvent: 100, adopted: nil, cause: "opened",
            after: predecessor, mailbox)
    }

    @Test("Event numbers are claimed ahead of use, from the number that is used, however far that has leapt")
    func numbersAhead() {
        let mailbox = KeeperMailbox()
        let tenure = tenure(mailbox)
        tenure.begin(with: RoomHeritage())
        func claimed() -> [Int] {
            mailbox.take().letters.compactMap { letter in
                if case .change(.numbers(let last), _) = letter { last } else { nil }
            }
        }
        #expect(claimed() == [] && !tenure.mayTell(101) && claimed() == [])
        tenure.grant(upTo: 1_124)
        #expect(tenure.mayTell(612) && claimed() == [])
        #expect(tenure.mayTell(613) && claimed() == [2_148])
        #expect(!tenure.mayTell(10_000) && claimed() == [11_024])
        tenure.grant(upTo: 11_024)
        #expect(tenure.mayTell(10_001) && claimed() == [])
    }

    @Test("Whoever asked is told when the room may act, and when it may no more; not that it may for longer")
    func fence() {
        let told = Mutex(0)
        let tenure = tenure(KeeperMailbox())
        tenure.onChange { told.withLock { $0 += 1 } }
        let always = HostTime.distantFuture
        for (end, count) in [(always, 1), (always, 1), (nil, 2), (nil, 2), (always, 3)] as [(HostTime?, Int)] {
            tenure.act(until: end)
            #expect(told.withLock { $0 } == count)
        }
        tenure.end("deposed")
        #expect(tenure.isOver && told.withLock { $0 } == 4)
    }

    @Test("A room that cannot be open here is for a standby that is ready, or else for whoever had it; never closed")
    func givenUp() {
        let (alone, second) = (tenure(KeeperMailbox()), tenure(KeeperMailbox(), after: 7))
        let backed = tenure(KeeperMailbox(), after: 7)
        backed.note("", successor: (9, "arcade-9"))
        #expect(!alone.giveUp() && !alone.isHandover)
        #expect(second.giveUp() && second.handsOverTo == 7)
        #expect(backed.giveUp() && backed.handsOverTo == 9)
    }

    @Test("A host that ends leaves its room to a standby that is ready, or to itself, and to no former host")
    func left() {
        let (alone, backed) = (tenure(KeeperMailbox(), after: 7), tenure(KeeperMailbox(), after: 7))
        backed.note("", successor: (9, "arcade-9"))
        #expect(!alone.isLeft && !alone.leave() && alone.isLeft && !alone.isHandover)
        #expect(backed.leave() && backed.handsOverTo == 9)
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
