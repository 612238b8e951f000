import InputMerge
import Testing
import WireProtocol

@testable import SiteContests

@Suite("Who comes, goes, floods and lies in a contest across rooms")
struct ComingAndGoingTests {
    private static let rules = ContestRules(
        window: .milliseconds(100), cap: .milliseconds(1_000), pause: .milliseconds(300))
    private static let second: Int64 = 1_000_000_000
    private static let ms: Int64 = 1_000_000

    /// Two rooms of two players, on ways of 1 and 40 ms.
    private static func house(seed: UInt64 = 1, heard: Int = 2) -> House {
        var house = House(seed: seed, rooms: 2, players: 2, rules: rules, heard: heard)
        house.rooms[0].delay = ms / 2...ms
        house.rooms[1].delay = 20 * ms...21 * ms
        for room in 0..<2 {
            for player in 0..<2 {
                house.rooms[room].players[player] = House.Player(error: 0, uncertainty: 2 * ms, lag: 10 * ms)
            }
        }
        return house
    }

    private static func order(_ verdict: SiteVerdict?) -> [[String]] {
        verdict?.order.map { $0.map { "\($0.room) P\($0.player)" }.sorted() } ?? []
    }

    @Test("Whenever a contest begins, nobody is passed over because its room was not asked for a while")
    func phases() {
        for phase in 0..<40 as Range<Int64> {
            var house = Self.house(seed: UInt64(phase))
            let at = 4 * Self.second + phase * 25 * Self.ms
            // The far one was first: the near one's watermark is there long before it.
            house.move(1, 0, at: at)
            house.move(0, 0, at: at + 60 * Self.ms)
            house.run(until: at + 2 * Self.second)
            #expect(Self.order(house.verdicts.first) == [["room1 P1"], ["room0 P1"]], "phase \(phase)")
            #expect(house.verdicts.first?.decidedBy == .watermark, "phase \(phase)")
        }
    }

    @Test("Who has just joined has a claim, though no report has named it yet")
    func joiner() {
        var house = Self.house()
        house.rooms[1].players[1].isHere = false
        house.run(until: 4_050 * Self.ms)
        house.set(1, 1, isHere: true)
        house.move(1, 1, at: 4_300 * Self.ms)
        house.move(0, 0, at: 4_360 * Self.ms)
        house.run(until: 6 * Self.second)
        #expect(Self.order(house.verdicts.first) == [["room1 P2"], ["room0 P1"]])
    }

    @Test("Who moved and left was there, however slow the broker was to say so", arguments: [0, 300] as [Int64])
    func leaver(stall: Int64) {
        var house = Self.house()
        house.run(until: 4 * Self.second)
        house.rooms[1].stall = stall * Self.ms
        house.move(1, 1, at: 4_000 * Self.ms)
        house.move(0, 0, at: 4_060 * Self.ms)
        house.run(until: 4_020 * Self.ms)
        house.set(1, 1, isHere: false)
        house.run(until: 6 * Self.second)
        #expect(Self.order(house.verdicts.first) == [["room1 P2"], ["room0 P1"]])
    }

    @Test("A room whose first answer is late is waited for, and its moves until then count")
    func lateAnswer() {
        var house = Self.house()
        house.rooms[1].delay = 200 * Self.ms...201 * Self.ms
        house.move(1, 0, at: 30 * Self.ms)
        house.move(0, 0, at: 90 * Self.ms)
        house.run(until: 3 * Self.second)
        // Its clock is known to 200 ms: nobody can say who was first.
        #expect(house.verdicts.count == 1)
        #expect(Self.order(house.verdicts.first) == [["room0 P1", "room1 P1"]])
    }

    @Test("While a room has not answered yet, no contest is judged before its own cap")
    func twoContests() {
        let rules = ContestRules(window: .milliseconds(50), cap: .milliseconds(300), pause: .zero)
        var house = House(seed: 3, rooms: 2, players: 1, rules: rules)
        house.rooms[0].delay = Self.ms / 2...Self.ms
        house.rooms[1].cuts = [0...100 * Self.second]
        for room in 0..<2 { house.rooms[room].players[0] = House.Player(error: 0, uncertainty: Self.ms, lag: Self.ms) }
        house.move(0, 0, at: 50 * Self.ms)
        house.move(0, 0, at: 250 * Self.ms)
        house.run(until: 2 * Self.second)
        #expect(house.verdicts.count == 2 && house.verdicts.allSatisfy { $0.decidedBy == .cap })
        for verdict in house.verdicts {
            let first = verdict.evidence.compactMap(\.occurredAt).min() ?? .distantFuture
            #expect(verdict.decidedAt - first >= .milliseconds(300))
        }
    }

    @Test("A room that never answers holds a verdict for a second, and none after that")
    func neverAnswers() {
        var house = Self.house()
        house.rooms[1].cuts = [0...100 * Self.second]
        house.move(0, 0, at: 100 * Self.ms)
        house.run(until: 990 * Self.ms)
        #expect(house.verdicts.isEmpty)
        house.run(until: 3 * Self.second)
        #expect(Self.order(house.verdicts.first) == [["room0 P1"]])
        house.move(0, 0, at: 4_000 * Self.ms)
        house.run(until: 4_300 * Self.ms)
        #expect(Self.order(house.verdicts.last) == [["room0 P1"]] && house.verdicts.count == 2)
    }

    @Test("Another host goes on with the room, by a clock that has just begun: nobody is judged by the old one")
    func takeover() {
        var house = Self.house()
        house.rooms[1].epoch = 1
        for round in 0..<6 as Range<Int64> {
            let at = (4 + 3 * round) * Self.second
            if round > 0, round % 2 == 0 {
                house.run(until: at - 700 * Self.ms)
                house.takeOver(1)
            }
            house.move(1, 0, at: at)
            house.move(0, 0, at: at + 60 * Self.ms)
            house.run(until: at + 2 * Self.second)
            let verdict = house.verdicts.last
            #expect(house.verdicts.count == Int(round) + 1)
            #expect(Self.order(verdict) == [["room1 P1"], ["room0 P1"]], "round \(round)")
            #expect(verdict?.decidedBy == .watermark && verdict?.evidence.count == 4)
        }
    }

    @Test("What an outage loses holds up one verdict at most, however many events that were")
    func outage() {
        var house = Self.house()
        for room in 0..<2 { house.rooms[room].chatter = 1e9...2e9 }
        house.run(until: 3_500 * Self.ms)
        house.move(0, 0, at: 4 * Self.second)
        for step in 0..<20 as Range<Int64> {
            house.run(until: 4 * Self.second + step * 30 * Self.ms)
            house.lose(1)
        }
        house.run(until: 6 * Self.second)
        #expect(house.verdicts.last?.decidedBy == .cap)
        house.move(0, 0, at: 8 * Self.second)
        house.run(until: 10 * Self.second)
        #expect(house.verdicts.count == 2 && house.verdicts.last?.decidedBy == .watermark)
    }

    @Test("An event that never comes holds up one verdict at most, also where no later event tells that it is missing")
    func lastEvent() {
        var house = Self.house()
        for room in 0..<2 { house.rooms[room].chatter = 1e9...2e9 }
        house.run(until: 3_500 * Self.ms)
        house.lose(1)
        house.move(0, 0, at: 4 * Self.second)
        house.run(until: 6 * Self.second)
        #expect(house.verdicts.last?.decidedBy == .cap && house.verdicts.last?.missed.count == 2)
        house.move(0, 0, at: 8 * Self.second)
        house.run(until: 10 * Self.second)
        #expect(house.verdicts.count == 2)
        #expect(house.verdicts.last?.decidedBy == .watermark && house.verdicts.last?.missed == [])
    }

    @Test("A room that tells thousands of moves takes no place from another's")
    func flood() {
        var house = Self.house()
        house.run(until: 4 * Self.second)
        for count in 0..<6_000 as Range<Int64> { house.move(1, Int(count % 2), at: 4 * Self.second + count * 20_000) }
        house.move(0, 0, at: 3_990 * Self.ms)
        house.run(until: 6 * Self.second)
        #expect(Self.order(house.verdicts.first).first?.contains("room0 P1") == true)
        #expect(house.unjudged.contains { $0.reason == .tooMany && $0.who.room == "room1" })
        #expect(!house.unjudged.contains { $0.who.room == "room0" })
        #expect(house.verdicts.count < 8)
    }

    @Test("A move of the future, and one that comes when all is over, are not judged")
    func times() {
        var house = Self.house()
        house.rooms[1].players[1].error = 3_600 * Self.second
        house.run(until: 4 * Self.second)
        house.move(1, 1, at: 4 * Self.second)
        house.run(until: 7 * Self.second)
        #expect(house.verdicts.isEmpty)
        house.rooms[1].stall = 2 * Self.second
        house.move(1, 0, at: 8 * Self.second)
        house.run(until: 12 * Self.second)
        #expect(house.verdicts.isEmpty)
        #expect(house.unjudged == [.init(who: SiteContender(room: "room1", player: 1), reason: .late)])
    }

    @Test("Whatever numbers a room tells, nothing traps, and others are judged")
    func hostile() {
        let extremes: [Int64] = [.min, .min + 1, -1, 0, 1, 1 << 40, 1 << 62, .max - 1, .max]
        let numbers: [Int] = [.min, .min + 1, -7, 0, 1, 65_535, 65_536, .max - 1, .max]
        var dice = SplitMix64(seed: 9)
        func pick<Value>(_ list: [Value]) -> Value { list[Int(dice.whole(0, Int64(list.count - 1)))] }
        var referee = Referee(GestureKind(rawValue: "jump"), rules: Self.rules)
        referee.hear("bad", opened: "then")
        var now = HostTime(nanoseconds: 0)
        for _ in 0..<20_000 {
            now = now + .microseconds(dice.whole(0, 30_000))
            for ask in referee.asks(now: now) where dice.chance(0.8) {
                let players = (0..<Int(dice.whole(0, 6))).map { _ in
                    RoomReport.Player(
                        player: pick(numbers), isLive: dice.chance(0.7), watermark: pick(extremes),
                        uncertainty: pick(extremes).magnitude > 1 << 62 ? nil : abs(pick([0, 1, 1 << 40])),
                        clock: pick([.none, .coarse, .locked, .stale]))
                }
                referee.take(
                    RoomReport(
                        at: dice.chance(0.5) ? pick(extremes) : now.nanoseconds, after: pick(numbers),
                        epoch: pick([nil, 0, 1, .max]), players: players), to: ask.id, of: ask.room, now: now)
            }
            let (one, two) = (pick(numbers), pick(numbers))
            let player = pick([1, 2, 65_535, 65_536, .min, .max])
            referee.told(
                min(one, two)...max(one, two), of: "bad", opened: pick(["then", "now"]), epoch: pick([nil, 1, .max]),
                move: RoomMove(
                    player: player, gesture: "g\(player)-\(dice.next())",
                    at: dice.chance(0.5) ? pick(extremes) : now.nanoseconds, uncertainty: pick([nil, 0, 1, .max])),
                now: now)
            if dice.chance(0.01) { referee.hear("bad", opened: pick(["then", "now"])) }
            if dice.chance(0.01) { referee.leave("bad") }
            _ = referee.decide(now: now)
            _ = referee.takeUnjudged()
            _ = referee.nextDeadline
        }
        // Rooms that were made up give their places back.
        for count in 0..<1_000 {
            referee.hear("made up \(count)", opened: "then")
            referee.leave("made up \(count)")
        }
        now = now + .seconds(100)
        _ = referee.decide(now: now)
        let isHeard = referee.hear("good", opened: "then")
        #expect(isHeard)
    }

    private static func at(_ ms: Int64) -> HostTime { HostTime(nanoseconds: 1_000_000_000 + ms * Self.ms) }

    /// A room answers its question at once; its clock shows the referee's time.
    private static func answer(_ referee: inout Referee, _ room: String, epoch: UInt64?, after: Int, at now: HostTime) {
        for ask in referee.asks(now: now) where ask.room == room {
            let player = RoomReport.Player(
                player: 1, isLive: true, watermark: now.nanoseconds, uncertainty: 1_000_000, clock: .locked)
            referee.take(
                RoomReport(at: now.nanoseconds, after: after, epoch: epoch, players: [player]), to: ask.id, of: room,
                now: now)
        }
    }

    private static func move(at time: HostTime) -> RoomMove {
        RoomMove(player: 1, gesture: "g1-1", at: time.nanoseconds, uncertainty: 1_000_000)
    }

    @Test("A move that waits for its room's clock is none by another owner's clock", arguments: [1, 2] as [UInt64])
    func untimed(epoch: UInt64) {
        var referee = Referee(GestureKind(rawValue: "jump"), rules: Self.rules)
        referee.hear("room", opened: "then")
        referee.told(
            1...1, of: "room", opened: "then", epoch: 1, move: Self.move(at: Self.at(0)), now: Self.at(10))
        referee.told(2...2, of: "room", opened: "then", epoch: epoch, now: Self.at(20))
        Self.answer(&referee, "room", epoch: epoch, after: 2, at: Self.at(30))
        let verdicts = referee.decide(now: Self.at(2_000))
        #expect(verdicts.count == (epoch == 1 ? 1 : 0))
    }

    @Test("Of a room that left, no place is given away while its moves may wait for a verdict")
    func placesAmidAContest() {
        var referee = Referee(GestureKind(rawValue: "jump"), rules: Self.rules)
        for number in 0..<Referee.mostRooms { referee.hear(House.name(number), opened: "then") }
        Self.answer(&referee, House.name(0), epoch: nil, after: 0, at: Self.at(0))
        referee.told(1...1, of: House.name(0), opened: "then", move: Self.move(at: Self.at(5)), now: Self.at(10))
        referee.leave(House.name(0))
        #expect(referee.hear("another", opened: "then") == false)
        let verdicts = referee.decide(now: Self.at(2_000))
        #expect(verdicts.map { $0.order.map { $0.map(\.room) } } == [[[House.name(0)]]])
        #expect(referee.hear("another", opened: "then") == true)
    }

    @Test("A room's times are told in microseconds: each is as much less sure")
    func rounding() throws {
        var room = RefereedRoom("room", opened: "then")
        let ask = room.ask(now: Self.at(0))
        let isTaken = room.take(
            RoomReport(at: 7_000_000, after: 0, epoch: nil, players: []), to: ask, now: Self.at(2))
        room.measure(now: Self.at(2))
        let time = try #require(room.time(7_000_000, 500_000))
        let clock = try #require(room.mapping?.uncertaintyNanoseconds(at: time.at))
        #expect(isTaken && clock >= 1_000_000)
        #expect(time.uncertainty == 500_000 + clock + 4_000)
    }

    @Test("A room that answered one question and no later one is silent a second after the first of those was asked")
    func silenceAfterAnAnswer() {
        var room = RefereedRoom("room", opened: "then")
        let first = room.ask(now: Self.at(0))
        _ = room.ask(now: Self.at(25))
        let isTaken = room.take(
            RoomReport(at: 7_000_000, after: 0, epoch: nil, players: []), to: first, now: Self.at(50))
        #expect(isTaken && room.isHeard(at: Self.at(1_024)))
        #expect(!room.isHeard(at: Self.at(1_025)))
    }
}
