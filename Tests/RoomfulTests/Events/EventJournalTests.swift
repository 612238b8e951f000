import Foundation
import RoomEngine
import SessionCoordinator
import Testing
import WireProtocol

@testable import Datagrams
@testable import InputMerge
@testable import RoomRecords
@testable import RoomServer
@testable import Roomful

struct EventJournalTests {
    private func room(_ state: Occurrence.RoomChange) -> RoomEvent { .room(state, at: HostTime(nanoseconds: 0)) }

    private func motion(of player: PlayerNumber, at time: Int) -> RoomEvent {
        let now = HostTime(nanoseconds: Int64(time))
        let motion = DeviceMotion(
            sampledAt: DeviceTime(nanoseconds: Int64(time)), occurredAt: now,
            attitude: Quaternion(w: 1, x: 0, y: 0, z: 0),
            gravity: [0, 0, -1], userAcceleration: .zero, rotationRate: .zero, source: .sixAxis)
        let sensor = StreamKey(peer: player, stream: 0)
        return .motion(player, PlayerMotion(LiveMotion(motion, of: sensor, at: now), of: player))
    }

    private func opening(_ after: Int) -> RoomEvents.Opening {
        let opened = HostTime(nanoseconds: 0)
        return RoomEvents.Opening(
            after: after, at: opened, room: "Room", openedAt: opened, openedOn: Date(timeIntervalSince1970: 0),
            seats: 1,
            players: [])
    }

    /// What a listener heard, once the journal is closed.
    private func heard(_ events: RoomEvents) async -> [NumberedEvent] {
        var all: [NumberedEvent] = []
        var iterator = events.makeAsyncIterator()
        while let event = await iterator.nextNumbered() { all.append(event) }
        return all
    }

    @Test("Reliable events are numbered from 1 without gaps; motion has no number")
    func numbers() async {
        let journal = EventJournal()
        let events = journal.listen(after: nil, motion: true, opening: opening)
        for state in [Occurrence.RoomChange.locked, .unlocked, .closing] { journal.publish(room(state)) }
        journal.publish(motion(of: 1, at: 1))
        journal.close()
        #expect(await heard(events).map(\.number) == [1, 2, 3, nil])
    }

    @Test("The greeting says when the room opened to the millisecond: a host may be killed and back within a second")
    func greeting() {
        var opening = opening(0)
        opening.openedOn = Date(timeIntervalSince1970: 1.25)
        #expect(EventRecord.Hello(opening).openedAt == "1970-01-01T00:00:01.250Z")
    }

    @Test("Who asks for what comes after an event that is not there yet is told the last one, and hears what follows")
    func afterTheLast() async {
        let journal = EventJournal(after: 3)
        for _ in 0..<2 { journal.publish(room(.locked)) }
        let (late, early) = (
            journal.listen(after: 1_000, motion: false, opening: opening),
            journal.listen(after: 1, motion: false, opening: opening)
        )
        journal.publish(room(.unlocked))
        journal.close()
        #expect(late.opening.after == 5 && early.opening.after == 3)
        #expect(await heard(late).map(\.number) == [6])
        #expect(await heard(early).map(\.number) == [4, 5, 6])
    }

    @Test("Who asks for what came after an event gets exactly that, and is told so")
    func after() async {
        let journal = EventJournal()
        for _ in 0..<10 { journal.publish(room(.locked)) }
        let events = journal.listen(after: 7, motion: false, opening: opening)
        journal.publish(room(.unlocked))
        journal.close()
        let all = await heard(events)
        #expect(events.opening.after == 7 && events.opening.missing == 0)
        #expect(all.map(\.number) == [8, 9, 10, 11])
        #expect(events.lastNumber == 11)
    }

    @Test("Whoever asks for a number that never was begins with the next event", arguments: [-5, 99])
    func nonsense(after: Int) async {
        let journal = EventJournal()
        journal.publish(room(.locked))
        let events = journal.listen(after: after, motion: false, opening: opening)
        journal.close()
        let expected: [Int?] = after < 0 ? [1] : []
        #expect(await heard(events).map(\.number) == expected)
    }

    @Test("A listener that reads nothing loses its oldest events, counted, and everyone else none")
    func slow() async {
        let journal = EventJournal()
        let slow = journal.listen(after: nil, motion: false, opening: opening)
        for _ in 0..<5_000 { journal.publish(room(.locked)) }
        let late = journal.listen(after: 4_999, motion: false, opening: opening)
        journal.close()
        let all = await heard(slow)
        #expect(all.count == 5_000 - slow.lost && (3_072...4_096).contains(all.count))
        #expect(all.map(\.number) == (5_001 - all.count...5_000).map { $0 })
        #expect(await heard(late).map(\.number) == [5_000])
        #expect(late.lost == 0)
    }

    @Test("Of motion a slow listener gets the newest of each player, and who did not ask gets none")
    func newestMotion() async {
        let journal = EventJournal()
        let curious = journal.listen(after: nil, motion: true, opening: opening)
        let indifferent = journal.listen(after: nil, motion: false, opening: opening)
        #expect(journal.isMotionWanted)
        for time in 1...100 {
            journal.publish(motion(of: 1, at: time))
            journal.publish(motion(of: 2, at: time))
        }
        journal.close()
        #expect(await heard(curious).map(\.event) == [motion(of: 1, at: 100), motion(of: 2, at: 100)])
        #expect(await heard(indifferent).isEmpty)
    }

    @Test("Of those who wait at one sequence each gets its own event, and who is cancelled ends nobody else's wait")
    func severalReaders() async throws {
        let journal = EventJournal()
        let events = journal.listen(after: nil, motion: false, opening: opening)
        let readers = (0..<3).map { _ in
            Task { () -> Int? in
                var iterator = events.makeAsyncIterator()
                return await iterator.nextNumbered()?.number
            }
        }
        // Long enough for all to wait; whoever does not yet is no worse off.
        try await Task.sleep(for: .milliseconds(200))
        readers[2].cancel()
        #expect(await readers[2].value == nil)
        for _ in 0..<2 { journal.publish(room(.locked)) }
        let (first, second) = (await readers[0].value, await readers[1].value)
        #expect([first, second] == [1, 2] || [first, second] == [2, 1])
        journal.close()
    }

    @Test("Motion is not wanted any more when the last who asked for it is gone")
    func motionEnds() {
        let journal = EventJournal()
        do { _ = journal.listen(after: nil, motion: true, opening: opening) }
        #expect(!journal.isMotionWanted)
    }
}
