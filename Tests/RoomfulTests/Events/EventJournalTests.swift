import Testing

@testable import Roomful

struct EventJournalTests {
    private func room(_ state: EventRecord.Room.State) -> EventRecord { .room(.init(at: 0, state: state)) }

    private func motion(of player: Int, at: Double) -> EventRecord {
        .motion(
            .init(
                at: at, player: player, attitude: [1, 0, 0, 0], gravity: [0, 0, -1], userAcceleration: [0, 0, 0],
                rotationRate: [0, 0, 0], tilt: [0, 0], stale: false))
    }

    private func hello(_ after: Int) -> EventRecord {
        .hello(.init(after: after, at: 0, room: "Room", openedAt: "", seats: 1, players: []))
    }

    /// What a listener heard, once the journal is closed.
    private func heard(_ events: RoomEvents) async -> [EventRecord] {
        var all: [EventRecord] = []
        for await event in events { all.append(event) }
        return all
    }

    @Test("Reliable events are numbered from 1 without gaps; hello and motion have no number")
    func numbers() async {
        let journal = EventJournal()
        let events = journal.listen(after: nil, motion: true, hello: hello)
        for state in [EventRecord.Room.State.locked, .unlocked, .closing] { journal.publish(room(state)) }
        journal.publish(motion(of: 1, at: 1))
        journal.close()
        #expect(await heard(events).map(\.number) == [nil, 1, 2, 3, nil])
    }

    @Test("Who asks for what came after an event gets exactly that, after a hello that says so")
    func after() async {
        let journal = EventJournal()
        for _ in 0..<10 { journal.publish(room(.locked)) }
        let events = journal.listen(after: 7, motion: false, hello: hello)
        journal.publish(room(.unlocked))
        journal.close()
        let all = await heard(events)
        #expect(all.first == hello(7))
        #expect(all.dropFirst().map(\.number) == [8, 9, 10, 11])
    }

    @Test("Whoever asks for a number that never was begins with the next event", arguments: [-5, 99])
    func nonsense(after: Int) async {
        let journal = EventJournal()
        journal.publish(room(.locked))
        let events = journal.listen(after: after, motion: false, hello: hello)
        journal.close()
        let expected: [Int?] = after < 0 ? [nil, 1] : [nil]
        #expect(await heard(events).map(\.number) == expected)
    }

    @Test("A listener that reads nothing loses its oldest events, counted, and everyone else none")
    func slow() async {
        let journal = EventJournal()
        let slow = journal.listen(after: nil, motion: false, hello: hello)
        for _ in 0..<5_000 { journal.publish(room(.locked)) }
        #expect(slow.lost == 5_001 - 4_096)
        let late = journal.listen(after: 4_999, motion: false, hello: hello)
        journal.close()
        #expect(await heard(slow).first?.number == 905)
        #expect(await heard(late).map(\.number) == [nil, 5_000])
        #expect(late.lost == 0)
    }

    @Test("Of motion a slow listener gets the newest of each player, and who did not ask gets none")
    func newestMotion() async {
        let journal = EventJournal()
        let curious = journal.listen(after: nil, motion: true, hello: hello)
        let indifferent = journal.listen(after: nil, motion: false, hello: hello)
        #expect(journal.isMotionWanted)
        for time in 1...100 {
            journal.publish(motion(of: 1, at: Double(time)))
            journal.publish(motion(of: 2, at: Double(time)))
        }
        journal.close()
        #expect(await heard(curious) == [hello(0), motion(of: 1, at: 100), motion(of: 2, at: 100)])
        #expect(await heard(indifferent) == [hello(0)])
    }

    @Test("Motion is not wanted any more when the last who asked for it is gone")
    func motionEnds() {
        let journal = EventJournal()
        do { _ = journal.listen(after: nil, motion: true, hello: hello) }
        #expect(!journal.isMotionWanted)
    }
}
