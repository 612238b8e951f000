import Testing
import WireProtocol

@testable import RoomRecords
@testable import RoomServer
@testable import Roomful
@testable import WebFront

@Suite struct EventFilterTests {
    private func motion(_ player: Int, at: Double, stale: Bool = false) -> EventRecord {
        .motion(
            EventRecord.Motion(
                at: at, player: player, attitude: [1, 0, 0, 0], gravity: [0, 0, -1], userAcceleration: [0, 0, 0],
                lowPassedAcceleration: [0, 0, 0], lowPassFactor: 0.1, rotationRate: [0, 0, 0], tilt: [0, 0],
                stale: stale))
    }

    @Test("A listener who wants ten motions a second gets ten of each player, however many come")
    func aListenersRate() {
        var filter = EventFilter(EventSubscription(motion: true, motionRate: 10))
        var admitted = [1: 0, 2: 0]
        for tick in 0..<600 {
            for player in 1...2 where filter.admits(motion(player, at: Double(tick) * 1_000 / 60)) {
                admitted[player]! += 1
            }
        }
        #expect(admitted.values.allSatisfy { (95...115).contains($0) }, "\(admitted)")
    }

    @Test("That a player's motion is no longer fresh is never held back")
    func theLastWord() {
        var filter = EventFilter(EventSubscription(motion: true, motionRate: 1))
        let admitted = [motion(1, at: 0), motion(1, at: 100), motion(1, at: 200, stale: true)].map { filter.admits($0) }
        #expect(admitted == [true, false, true])
    }

    @Test("A rate that is no sensible number holds nothing back", arguments: [nil, 0, -1, .nan, .infinity, 1e9])
    func nonsense(_ rate: Double?) {
        var filter = EventFilter(EventSubscription(motion: true, motionRate: rate))
        let admitted = [motion(1, at: 0), motion(1, at: 0.1)].map { filter.admits($0) }
        #expect(admitted == [true, true])
    }

    @Test("Only the wanted types come, and hello always")
    func types() {
        var filter = EventFilter(EventSubscription(motion: true, types: ["room"]))
        let hello = EventRecord.Hello(
            after: 0, at: 0, room: "R", openedAt: "2026-11-21T09:00:00Z", seats: 1, players: [])
        let admitted = [.room(EventRecord.Room(n: 1, at: 0, state: .locked)), motion(1, at: 0), .hello(hello)]
            .map { filter.admits($0) }
        #expect(admitted == [true, false, true])
    }

    @Test("Who asks for a type that no event has is told so, and not left to wait; a site's rooms may have others")
    func unknownTypes() {
        #expect(EventSubscription(types: ["gesture", "lost"]).problem(at: "here") == nil)
        let problem = EventSubscription(types: ["player", "gestures"], room: "here").problem(at: "here")
        #expect(problem?.message.hasPrefix("no event is of type \"gestures\"; the types are: hello, player, ") == true)
        #expect(EventSubscription(types: ["gestures"], site: true).problem(at: "here") == nil)
        #expect(EventSubscription(types: ["gestures"], room: "there").problem(at: "here") == nil)
    }

    @Test("Who comes back is where its id says: of that opening, and by a number alone of the one that was named")
    func comingBack() {
        var wish = EventSubscription(after: 1, openedAt: "first")
        wish.goOn(after: EventPlace(7))
        #expect(wish.place == EventPlace(7, openedAt: "first"))
        wish.goOn(after: EventPlace(2, openedAt: "second"))
        #expect(wish.place == EventPlace(2, openedAt: "second"))
    }

    @Test("Where a player's motion is of an earlier moment than the last, it is told, and counts from there")
    func earlier() {
        var filter = EventFilter(EventSubscription(motion: true, motionRate: 10))
        let admitted = [1_000.0, 500, 550, 600].map { filter.admits(motion(1, at: $0)) }
        #expect(admitted == [true, true, false, true])
    }
}
