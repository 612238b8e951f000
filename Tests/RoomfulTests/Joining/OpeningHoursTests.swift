import Foundation
import PrivateFiles
import Synchronization
import Testing
import WireProtocol

@testable import RoomServer
@testable import Roomful

@Suite("Opening hours")
struct OpeningHoursTests {
    private static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

    private func minute(_ day: String, _ hour: Int, _ minute: Int = 0) throws -> Int {
        try #require(Self.days.firstIndex(of: day)) * 1_440 + hour * 60 + minute
    }

    @Test(
        "People are let in from the first minute of a span to before its last one, on its days alone",
        arguments: [
            ("Tue", 9, 59, false), ("Tue", 10, 0, true), ("Fri", 17, 59, true), ("Fri", 18, 0, false),
            ("Mon", 12, 0, false), ("Sat", 23, 59, true), ("Sun", 1, 59, true), ("Sun", 2, 0, false),
            ("Sun", 23, 30, true), ("Mon", 0, 59, true), ("Mon", 1, 0, false),
        ])
    func spans(day: String, hour: Int, past: Int, isOpen: Bool) throws {
        let hours = try OpeningHours(["Tue-Fri 10:00-18:00", "sat 11:00-02:00", "Sun 23:00-1:00"])
        #expect(hours.isOpen(at: try minute(day, hour, past)) == isOpen)
    }

    @Test("It says what time it is here, and how far from UTC: a mistyped time zone shows there")
    func localTime() throws {
        let early = try minute("Sat", 6, 51)
        #expect(OpeningHours.localTime(early, secondsEast: 0) == "Sat 06:51, UTC")
        #expect(OpeningHours.localTime(early, secondsEast: 7_200) == "Sat 06:51, UTC+02:00")
        #expect(OpeningHours.localTime(early, secondsEast: -12_600) == "Sat 06:51, UTC-03:30")
    }

    @Test("It says when it opens next, also on next week's first day, and never where it is always open")
    func next() throws {
        let hours = try OpeningHours(["Tue-Fri 10:00-18:00", "Sun 23:00-1:00"])
        #expect(hours.nextOpening(after: try minute("Tue", 9, 59)) == "Tue 10:00")
        #expect(hours.nextOpening(after: try minute("Tue", 10)) == "Wed 10:00")
        #expect(hours.nextOpening(after: try minute("Fri", 20)) == "Sun 23:00")
        #expect(hours.nextOpening(after: try minute("Sun", 23, 30)) == "Tue 10:00")
        #expect(hours.nextOpening(after: try minute("Mon", 0, 30)) == "Tue 10:00")
        #expect(try OpeningHours(["daily 0:00-24:00"]).nextOpening(after: 77) == nil)
        #expect(try OpeningHours(["Fri-Mon 8:00-9:00"]).nextOpening(after: try minute("Wed", 0)) == "Fri 08:00")
    }

    @Test("It knows for how long it stays open or closed, over the week's end too")
    func strikes() throws {
        let hours = try OpeningHours(["Tue-Fri 10:00-18:00", "Sun 23:00-1:00"])
        #expect(hours.minutesToStrike(after: try minute("Tue", 9, 59)) == 1)
        #expect(hours.minutesToStrike(after: try minute("Tue", 10)) == 480)
        #expect(hours.minutesToStrike(after: try minute("Sun", 23, 30)) == 90)
        #expect(hours.minutesToStrike(after: try minute("Mon", 1)) == 33 * 60)
        #expect(try OpeningHours(["daily 0:00-24:00"]).minutesToStrike(after: 77) == nil)
    }

    @Test(
        "A door is read as it is written, and what no host writes is none",
        arguments: [
            ("locked\n", true, nil), ("unlocked until 1795420800\n", false, 1_795_420_800),
            ("locked until 0\n", true, 0),
        ] as [(String, Bool, Int?)])
    func door(text: String, isLocked: Bool, until: Int?) {
        #expect(KeptDoor(text) == KeptDoor(isLocked: isLocked, until: until))
        #expect(KeptDoor(text)?.text == text)
        for wrong in [
            "", "ajar", "locked until", "locked until never", "locked until -1", "locked by 7", "locked until 7 8",
        ] {
            #expect(KeptDoor(wrong) == nil, "\(wrong)")
        }
    }

    @Test("Whom the operator keeps out is read as it is written, and what no host writes is passed over")
    func bans() {
        let ids = [ControllerID(high: 1, low: 2), ControllerID(high: .max, low: 0)]
        #expect(KeptBans.controllers(in: KeptBans.text(ids)) == ids)
        #expect(KeptBans.text([]).isEmpty)
        #expect(KeptBans.controllers(in: "x\n\(ids[1])\n\(ids[0])0\n") == [ids[1]])
    }

    /// Hours from 10:00 to 18:00, and a week that begins with the epoch: 1970-01-01 is its Monday.
    private struct Looks {
        let hours: OpeningHours
        var watch = DoorWatch()

        init() throws { hours = try OpeningHours(["daily 10:00-18:00"]) }

        mutating func look(day: Int, _ hour: Int, _ minute: Int = 0) -> Bool? {
            let now = day * 1_440 + hour * 60 + minute
            return watch.look(hours, at: now * 60, minute: now % 10_080)
        }
    }

    @Test("Hours decide when they strike, and at the beginning where they are closed")
    func watching() throws {
        var door = try Looks()
        #expect(door.look(day: 9, 9) == false)
        #expect(door.look(day: 9, 9, 59) == nil)
        #expect(door.look(day: 9, 10) == true)
        // The machine slept, and nobody had decided anything.
        #expect(door.look(day: 10, 10) == nil)
        #expect(door.look(day: 10, 18) == false)
        var always = DoorWatch()
        #expect(always.look(nil, at: 0, minute: 0) == nil)
        always.until = 60
        #expect(always.look(nil, at: 600, minute: 10) == nil)
    }

    @Test("What the operator decided ends at the strike that it was to end at, also where nobody was awake for it")
    func slept() throws {
        let strike = (9 * 24 + 18) * 3_600
        var door = try Looks()
        #expect(door.look(day: 9, 15) == nil)
        door.watch.until = strike
        #expect(door.look(day: 9, 15, 5) == nil)
        // An hour's sleep, and the clock set back.
        #expect(door.look(day: 9, 16, 30) == nil)
        #expect(door.look(day: 8, 16) == nil)
        #expect(door.look(day: 9, 17) == nil)
        #expect(door.look(day: 10, 10, 30) == true)
        #expect(door.watch.until == nil)
        #expect(door.look(day: 11, 10, 30) == nil)
    }

    @Test("A clock that is set after a boot ends what the operator decided where its time is over, and only there")
    func boot() throws {
        let strike = (900 * 24 + 18) * 3_600
        for (day, decision) in [(900, nil), (901, true)] as [(Int, Bool?)] {
            var door = try Looks()
            // In 1970, at noon.
            door.watch.begin(door.hours, at: 43_200, minute: 720, until: strike)
            #expect(door.look(day: 0, 12, 1) == nil)
            #expect(door.look(day: day, 15) == decision)
        }
    }

    @Test("After a boot with an old clock the hours of another day end nothing, and it ends when it was to end")
    func bootInOtherHours() throws {
        let strike = (901 * 24 + 18) * 3_600
        var door = try Looks()
        // Locked on the next day; it was the evening before by the clock of the boot.
        let evening = 900 * 1_440 + 1_110
        door.watch.begin(door.hours, at: evening * 60, minute: evening % 10_080, until: strike)
        #expect(door.look(day: 901, 11, 1) == nil)
        #expect(door.watch.until == strike)
        #expect(door.look(day: 901, 17, 59) == nil)
        #expect(door.watch.until == strike)
        #expect(door.look(day: 901, 18) == false)
        #expect(door.watch.until == nil)
    }

    @Test("A lock that an earlier host left keeps its end, whatever the clock says at boot", arguments: [true, false])
    func restored(isOpen: Bool) async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let today = OpeningHours.localMinute() / 1_440
        let (before, after) = (Self.days[(today + 6) % 7], Self.days[(today + 1) % 7])
        var options = try house.options()
        options.hours = try OpeningHours(
            [isOpen ? "\(before)-\(after) 0:00-24:00" : "\(Self.days[(today + 3) % 7]) 0:00-1:00"])
        let door = KeptDoor(isLocked: true, until: Int(Date().timeIntervalSince1970) + 30 * 86_400)
        let room = try Room(options)
        let folder = room.foundation.folder
        try folder.replace(RoomFile.door, with: Array(door.text.utf8))
        await room.openDoor()
        let until = room.doorWatch.withLock { $0.until }
        #expect(until == door.until)
        // It comes back, so its door stays as it is.
        room.stop(backIn: .seconds(1))
        await room.close()
        await room.deliver()
        let untilThen = room.doorWatch.withLock { $0.until }
        #expect(untilThen == door.until)
        let left = try folder.read(RoomFile.door, limit: 64, isSecret: false)
        #expect(left.map { String(decoding: $0, as: UTF8.self) } == door.text)
        room.release()
    }

    @Test("On the night on which clocks go back an operator's lock holds until the hour strikes on people's wrists")
    func clocksGoBack() throws {
        // New York, 2026-11-01: at 02:00 EDT it is 01:00 EST. Locked at 01:30 EDT, it was to end half an hour later.
        let hours = try OpeningHours(["daily 18:00-02:00"])
        let (change, two) = (1_793_512_800, try minute("Sun", 2))
        var watch = DoorWatch()
        watch.begin(hours, at: change - 1_800, minute: two - 30, until: change)
        #expect(watch.look(hours, at: change - 1, minute: two - 1) == nil)
        #expect(watch.look(hours, at: change, minute: two - 60) == nil)
        // Nor where the machine slept over the change.
        var slept = DoorWatch()
        slept.begin(hours, at: change - 7_200, minute: two - 120, until: change)
        #expect(slept.look(hours, at: change + 1_800, minute: two - 30) == nil)
        for minute in 1..<60 { #expect(watch.look(hours, at: change + minute * 60, minute: two - 60 + minute) == nil) }
        #expect(watch.until == change)
        #expect(watch.look(hours, at: change + 3_600, minute: two) == false)
        #expect(watch.until == nil)
    }

    @Test("Spans that meet or overlap are one, in whatever order they stand")
    func union() throws {
        let spans = ["Sat 12:00-14:00", "Sat-Sun 13:00-16:00", "Sat 16:00-18:00"]
        #expect(try OpeningHours(spans) == OpeningHours(["Sun 13:00-16:00", "Sat 12:00-18:00"]))
        #expect(try OpeningHours(spans) == OpeningHours(spans.reversed()))
    }

    @Test(
        "What is no span is refused with its own words",
        arguments: [
            "", "10:00-18:00", "Tue", "Tue 10-18", "Tue 10:00", "Tue 10:00-10:00", "Tue 24:00-10:00", "Tue 10:00-24:01",
            "Tue 10:60-11:00", "Tuesday 10:00-18:00", "Tue-Wed-Thu 10:00-18:00", "Tue 10:00-18:00-20:00",
            "Tue +1:00-18:00", "Tue 10:00 - 18:00", "Di 10:00-18:00", "Tue 99999999999999999999:00-1:00", "- 1:00-2:00",
            "Tue 1٠:00-18:00",
        ])
    func wrong(text: String) throws {
        let error = #expect(throws: RoomError.self) { try OpeningHours(["Mon 1:00-2:00", text]) }
        #expect(error?.code == .badOption && error?.description.contains("\"\(text)\"") == true)
    }

    @Test("A time zone that is set while the room is open counts at the next look")
    func zoneIsSet() async {
        // In a process of its own, as the time zone is everyone's.
        await #expect(processExitsWith: .success) {
            let moment = Date(timeIntervalSince1970: 1_790_000_000)
            setenv("TZ", "UTC0", 1)
            let before = OpeningHours.localMinute(moment)
            setenv("TZ", "JST-9", 1)
            guard (OpeningHours.localMinute(moment) + 10_080 - before) % 10_080 == 540 else { exit(2) }
        }
    }

    @Test("The minute is the one that a calendar of this place names", arguments: 0..<200)
    func local(step: Int) {
        // Over a year, odd minutes of all hours.
        let moment = Date(timeIntervalSince1970: 1_790_000_000 + Double(step) * 158_743)
        let parts = Calendar(identifier: .gregorian).dateComponents([.weekday, .hour, .minute], from: moment)
        guard let weekday = parts.weekday, let hour = parts.hour, let minute = parts.minute else {
            Issue.record("a calendar without hours")
            return
        }
        #expect(OpeningHours.localMinute(moment) == (weekday + 5) % 7 * 1_440 + hour * 60 + minute)
    }
}
