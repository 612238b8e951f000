import Foundation
import RoomEngine
import Synchronization
import Testing
import WireProtocol

@testable import InputMerge
@testable import RoomRecords
@testable import RoomServer
@testable import Roomful

/// What a liar's flood and a reader that stops cost a room's events.
struct EventBacklogTests {
    private func event(about player: PlayerNumber) -> RoomEvent {
        .omitted(
            Omission(peer: 0, count: 1, occurredAt: HostTime(nanoseconds: 0)), player: player,
            controller: ControllerID(high: 0, low: 0))
    }

    private func opening(_ after: Int) -> RoomEvents.Opening {
        let opened = HostTime(nanoseconds: 0)
        return RoomEvents.Opening(
            after: after, at: opened, room: "Room", openedAt: opened, openedOn: Date(timeIntervalSince1970: 0),
            seats: 1,
            players: [])
    }

    @Test("A liar's flood pushes its own events out of the replay, and nobody else's")
    func fairReplay() async {
        let journal = EventJournal()
        for step in 0..<100_000 {
            journal.publish(event(about: 9))
            if step % 250 == 0 { journal.publish(event(about: 1 + step / 250 % 4)) }
        }
        let replay = journal.listen(after: 0, motion: false, opening: opening)
        journal.close()
        var (honest, liars, numbers) = (0, 0, [Int]())
        var iterator = replay.makeAsyncIterator()
        while let next = await iterator.nextNumbered() {
            guard case .omitted(_, let player, _) = next.event else { continue }
            if player == 9 { liars += 1 } else { honest += 1 }
            numbers.append(next.number ?? 0)
        }
        #expect(honest == 400)
        #expect(replay.opening.missing == 100_400 - numbers.count, "what is gone is told, once and for all")
        #expect((3_072 - 400...4_096).contains(liars))
        #expect(numbers == numbers.sorted())
    }

    @Test("Whatever is said of whom, a backlog keeps its bound, its order, and of each the newest")
    func bound() {
        var random = SystemRandomNumberGenerator()
        let seed = random.next()
        var state = seed
        func next(_ bound: UInt64) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % bound)
        }
        var backlog = EventBacklog(capacity: 64)
        var (given, taken, offered) = (0, 0, 0)
        for number in 1...20_000 {
            given += backlog.append(
                NumberedEvent(event(about: next(next(2) == 0 ? 1 : 40)), number: number))
            offered += 1
            if next(8) == 0, backlog.popFirst() != nil { taken += 1 }
            #expect(backlog.count <= 64, "seed \(seed)")
            #expect(offered == given + taken + backlog.count, "seed \(seed)")
            let numbers = backlog.waiting.compactMap(\.number)
            #expect(numbers == numbers.sorted() && numbers.last ?? number == number, "seed \(seed)")
        }
    }

    @Test("A reader that takes nothing for 30 s is let go, and a slow one that takes something is not")
    func letGo() async {
        let clock = Mutex(HostTime(nanoseconds: 0))
        let journal = EventJournal(now: { clock.withLock { $0 } })
        let stopped = journal.listen(after: nil, motion: true, opening: opening)
        let slow = journal.listen(after: nil, motion: false, opening: opening)
        var reader = slow.makeAsyncIterator()
        for second in 1...120 {
            clock.withLock { $0 = HostTime(nanoseconds: Int64(second) * 1_000_000_000) }
            journal.publish(event(about: 1))
            // The first event waits from the first second on.
            #expect(stopped.wasLetGo == (second >= 31))
            if second % 29 == 0 { _ = await reader.next() }
        }
        #expect(!slow.wasLetGo && !journal.isMotionWanted)
        var left = 0
        for await _ in stopped { left += 1 }
        #expect(left == 0)
        journal.close()
    }
}
