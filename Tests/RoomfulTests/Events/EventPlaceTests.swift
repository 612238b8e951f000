import Testing

@testable import RoomRecords

struct EventPlaceTests {
    private static let opened = "2026-11-21T09:00:00.000Z"

    @Test("A place is read as it is written, with whose number it is and without")
    func text() throws {
        let place = EventPlace(17, openedAt: Self.opened)
        #expect(place.description == "17@2026-11-21T09:00:00.000Z")
        #expect(EventPlace(place.description) == place)
        #expect(EventPlace("17") == EventPlace(17))
        #expect(EventPlace(17).description == "17")
    }

    @Test("What is no place is none", arguments: ["", "@", "17@", "@2026", "1 7", "seventeen", "99999999999999999999"])
    func nonsense(_ text: String) { #expect(EventPlace(text) == nil) }

    @Test("It goes on with what is told: the greeting says whose numbers come, and motion has none")
    func passing() {
        var place = EventPlace(4, openedAt: "another")
        let hello = EventRecord.Hello(after: 2, at: 0, room: "R", openedAt: Self.opened, seats: 1, players: [])
        let events: [EventRecord] = [.hello(hello), .room(EventRecord.Room(n: 3, at: 0, state: .locked))]
        let passed = events.map { place.pass($0) }
        #expect(passed == [true, true] && place == EventPlace(3, openedAt: Self.opened))
        let motion = EventRecord.Motion(
            at: 0, player: 1, attitude: [1, 0, 0, 0], gravity: [0, 0, -1], userAcceleration: [0, 0, 0],
            lowPassedAcceleration: [0, 0, 0], lowPassFactor: 0.1, rotationRate: [0, 0, 0], tilt: [0, 0], stale: false)
        let isPlace = place.pass(.motion(motion))
        #expect(!isPlace && place.number == 3)
    }
}
