import InputMerge
import WireProtocol

@testable import SiteContests

/// Rooms on hosts with clocks of their own, a broker between them and a referee, seeded, time by hand.
///
/// The truth is a time line that nobody here sees: hosts and referee only see it through clocks that stand hours apart and
/// drift, and controllers' moves only with an error.
struct House {
    struct Player {
        /// How much the room's idea of the player's times is wrong, in ns, and how much it says that it may be.
        var error: Int64
        var uncertainty: Int64
        /// Who is not here is in no report.
        var isHere = true
        /// The room knows what the player did until so long ago, ns.
        var lag: Int64
        var isLive = true
        /// How long after it moved a sample shows so, ns.
        var onset: Int64 = 0
    }

    struct Room {
        var clock: Clock
        var players: [Player]
        /// One way, ns.
        var delay: ClosedRange<Int64>
        var told = 0
        /// Nothing comes or goes, on the true time line.
        var cuts: [ClosedRange<Int64>] = []
        /// Its events take so much longer, ns.
        var stall: Int64 = 0
        /// Which of its owners speaks.
        var epoch: UInt64?
        /// Between other events, ms.
        var chatter = 20.0...400.0
    }

    struct Clock {
        var offset: Int64
        var rate: Double
        func reads(_ truth: Int64) -> Int64 { offset + truth + Int64((Double(truth) * rate).rounded()) }
    }

    struct Move: Hashable {
        var who: SiteContender
        var at: Int64
    }

    struct Faults {
        var loss = 0.0
        var doubles = 0.0
        /// Events that the broker is slow with, by up to 700 ms.
        var stalls = 0.0
        /// Rooms say of no report which events it rests on.
        var isHasty = false
        static let none = Faults()
    }

    private enum Event {
        case answer(room: Int, RoomReport, ask: UInt16)
        case lands(room: Int, ask: UInt16)
        case tells(room: Int, player: Int, occurred: Int64, onset: Int64, serial: Int)
        case told(room: Int, number: Int, epoch: UInt64?, RoomMove?)
        case chatter(room: Int)
    }

    var rooms: [Room]
    let referee: Clock
    let faults: Faults
    var dice: SplitMix64
    private var queue: [(at: Int64, order: Int, event: Event)] = []
    private var order = 0
    private var serials: [SiteContender: Int] = [:]
    private(set) var moves: [Move] = []
    private(set) var verdicts: [SiteVerdict] = []
    private(set) var unjudged: [Referee.Unjudged] = []
    private(set) var truth: Int64 = 0
    private(set) var asks = 0
    /// Whose moves the broker lost.
    private(set) var lost: Set<SiteContender> = []
    var judge: Referee

    /// - Parameter heard: so many rooms are known to the referee from the beginning.
    init(
        seed: UInt64, rooms: Int, players: Int, rules: ContestRules, gesture: GestureKind = .shake,
        faults: Faults = .none, heard: Int = .max
    ) {
        var dice = SplitMix64(seed: seed)
        self.rooms = (0..<rooms).map { _ in
            let fastest = dice.ms(0.1, 8)
            return Room(
                clock: Clock(offset: dice.ms(-36_000_000, 36_000_000), rate: dice.unit(-90e-6, 90e-6)),
                players: (0..<players).map { _ in
                    let uncertainty = dice.ms(0.5, 12)
                    return Player(
                        error: Int64(dice.unit(-1, 1) * Double(uncertainty)), uncertainty: uncertainty,
                        lag: dice.ms(5, 90))
                },
                delay: fastest...fastest + dice.ms(0.1, 30))
        }
        referee = Clock(offset: dice.ms(-1_000_000, 1_000_000), rate: dice.unit(-90e-6, 90e-6))
        self.faults = faults
        self.dice = dice
        judge = Referee(gesture, rules: rules)
        patience = rules.cap + GestureDefinition.all.longestOnset(of: gesture)
        for room in 0..<min(rooms, heard) { judge.hear(Self.name(room), opened: "then") }
        for room in 0..<rooms { push(.chatter(room: room), at: self.dice.ms(0, 100)) }
    }

    /// How long after the first move a verdict falls at the latest.
    let patience: Duration

    static func name(_ room: Int) -> String { "room\(room)" }

    private mutating func push(_ event: Event, at time: Int64) {
        order += 1
        let place = queue.firstIndex { ($0.at, $0.order) > (time, order) } ?? queue.endIndex
        queue.insert((time, order, event), at: place)
    }

    private func isCut(_ room: Int, at time: Int64) -> Bool { rooms[room].cuts.contains { $0.contains(time) } }
    private mutating func delay(_ room: Int) -> Int64 {
        dice.whole(rooms[room].delay.lowerBound, rooms[room].delay.upperBound)
    }

    /// Something happens in the room that the broker loses.
    mutating func lose(_ room: Int) { rooms[room].told += 1 }

    /// Somebody joins, or leaves: the room tells it.
    mutating func set(_ room: Int, _ player: Int, isHere: Bool) {
        rooms[room].players[player].isHere = isHere
        rooms[room].told += 1
        publish(room, rooms[room].told, nil)
    }

    /// Another host goes on with the room: its clock has just begun, and its numbers go on.
    mutating func takeOver(_ room: Int) {
        rooms[room].epoch = (rooms[room].epoch ?? 1) + 1
        rooms[room].clock = Clock(offset: 5_000_000_000 - truth, rate: dice.unit(-90e-6, 90e-6))
        rooms[room].told += 1
        publish(room, rooms[room].told, nil)
    }

    /// A player moves at this moment of the truth.
    mutating func move(_ room: Int, _ player: Int, at time: Int64) {
        let who = SiteContender(room: Self.name(room), player: player + 1)
        moves.append(Move(who: who, at: time))
        serials[who, default: 0] += 1
        let known = rooms[room].players[player]
        let occurred = rooms[room].clock.reads(time + known.onset) + known.error
        push(
            .tells(
                room: room, player: player, occurred: occurred, onset: known.onset, serial: serials[who] ?? 0),
            at: time + known.onset + known.lag)
    }

    private func now(_ time: Int64) -> HostTime { HostTime(nanoseconds: referee.reads(time)) }

    /// The moment of the truth at which the referee's clock shows this.
    private func truth(of time: HostTime) -> Int64 {
        // What is due at once has the earliest time that there is.
        let since = max(time.nanoseconds, -1 << 60) - referee.offset
        return Int64((Double(since) / (1 + referee.rate)).rounded())
    }

    /// Lets time pass until this moment of the truth.
    mutating func run(until end: Int64) {
        while true {
            let due = judge.nextDeadline.map { max(truth(of: $0), truth + 10_000) } ?? .max
            let next = min(queue.first?.at ?? .max, due)
            guard next <= end else { break }
            truth = next
            if let first = queue.first, first.at <= next {
                queue.removeFirst()
                happen(first.event)
            }
            let now = now(truth)
            for ask in judge.asks(now: now) { send(ask) }
            verdicts += judge.decide(now: now)
            unjudged += judge.takeUnjudged()
        }
        truth = max(truth, end)
    }

    private mutating func send(_ ask: Referee.Ask) {
        asks += 1
        guard let room = rooms.indices.first(where: { Self.name($0) == ask.room }) else { return }
        guard !isCut(room, at: truth), !dice.chance(faults.loss) else { return }
        push(.lands(room: room, ask: ask.id), at: truth + delay(room))
    }

    private mutating func happen(_ event: Event) {
        switch event {
        case .lands(let room, let ask):
            guard !isCut(room, at: truth), !dice.chance(faults.loss) else { return }
            push(.answer(room: room, report(of: room), ask: ask), at: truth + delay(room))
        case .answer(let room, let report, let ask):
            guard !isCut(room, at: truth) else { return }
            judge.take(report, to: ask, of: Self.name(room), now: now(truth))
        case .tells(let room, let player, let occurred, let onset, let serial):
            rooms[room].told += 1
            publish(
                room, rooms[room].told,
                RoomMove(
                    player: player + 1, gesture: "g\(player + 1)-\(serial)", at: occurred,
                    uncertainty: rooms[room].players[player].uncertainty,
                    measures: GestureMeasures(flightTime: Double(onset) / 1e9)))
        case .chatter(let room):
            rooms[room].told += 1
            publish(room, rooms[room].told, nil)
            let chatter = rooms[room].chatter
            push(.chatter(room: room), at: truth + dice.ms(chatter.lowerBound, chatter.upperBound))
        case .told(let room, let number, let epoch, let move):
            judge.told(
                number...number, of: Self.name(room), opened: "then", epoch: epoch, move: move, now: now(truth))
        }
    }

    /// What cannot be told now waits in the host; what the broker drops is gone.
    private mutating func publish(_ room: Int, _ number: Int, _ move: RoomMove?) {
        let sent = rooms[room].cuts.first { $0.contains(truth) }?.upperBound ?? truth
        if dice.chance(faults.loss) {
            if let move { lost.insert(SiteContender(room: Self.name(room), player: move.player)) }
            return
        }
        let stall = rooms[room].stall + (dice.chance(faults.stalls) ? dice.ms(100, 700) : 0)
        push(.told(room: room, number: number, epoch: rooms[room].epoch, move), at: sent + stall + delay(room))
        if dice.chance(faults.doubles) {
            push(.told(room: room, number: number, epoch: rooms[room].epoch, move), at: sent + delay(room))
        }
    }

    private func report(of room: Int) -> RoomReport {
        let here = rooms[room]
        return RoomReport(
            at: here.clock.reads(truth), after: faults.isHasty ? 0 : here.told, epoch: here.epoch,
            players: here.players.enumerated().filter(\.element.isHere).map { place, player in
                RoomReport.Player(
                    player: place + 1, isLive: player.isLive,
                    watermark: here.clock.reads(truth - player.lag) + player.error,
                    uncertainty: player.uncertainty, clock: .locked)
            })
    }

    /// The moment of the truth that a time of a verdict means.
    func trueTime(_ time: HostTime) -> Int64 { truth(of: time) }
}

extension SplitMix64 {
    mutating func unit(_ low: Double, _ high: Double) -> Double { low + Double(next() >> 11) * 0x1p-53 * (high - low) }
    mutating func chance(_ share: Double) -> Bool { unit(0, 1) < share }
    mutating func whole(_ low: Int64, _ high: Int64) -> Int64 {
        low + Int64(next().multipliedFullWidth(by: UInt64(high - low + 1)).high)
    }
    mutating func ms(_ low: Double, _ high: Double) -> Int64 { Int64(unit(low, high) * 1e6) }
}
