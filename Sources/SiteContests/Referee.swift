package import InputMerge
import SessionCoordinator
package import WireProtocol

/// Judges who was first at one gesture, over the players of several rooms on several hosts.
///
/// ```
/// rooms' events ──────────────▶ moves, by number ──┐
///                                                  ├─▶ one contest, on the referee's clock ─▶ verdicts
/// a question ─▶ room ─▶ report: time, watermarks ──┘
/// ```
/// Each question to a room is a probe of its clock, too: clocks of hosts are mapped to the referee's as those of controllers
/// are to a host's (RFC 5905, section 8), and a move has the uncertainty of both. A room's watermarks count once all events
/// have come that they rest on. What is decided then is decided by ``Contest``, as within one room.
package struct Referee: Sendable {
    /// A question for a room.
    package struct Ask: Hashable, Sendable {
        package var room: String
        package var id: UInt16
    }

    /// So many rooms take part.
    package static let mostRooms = 256
    /// A room's players have numbers of up to so many bits.
    private static let playerBits = 16
    /// Beyond the contest's cap, so long a missing event is awaited.
    private static let afterCap: Duration = .seconds(1)
    /// So many moves wait for a verdict; rooms that tell more are no rooms of people.
    private static let mostMoves = 8_192

    private var contest: Contest
    /// By place; a room keeps its own.
    private var rooms: [RefereedRoom] = []
    private var places: [String: Int] = [:]
    private var isTakingPart: [Bool] = []
    /// Since a contest was open last.
    private var movesTaken = 0
    /// Moves that came after their own contest's end, since they were last asked for.
    private var late: [SiteContender] = []

    package init(_ gesture: GestureKind, rules: ContestRules, after serial: UInt64 = 0) {
        contest = Contest(gesture, rules: rules, after: serial)
    }

    // MARK: Rooms

    /// A room is there, or still is.
    ///
    /// - Parameters:
    ///   - opened: when it was opened; another time is another clock.
    ///   - isNewHost: another machine speaks for it.
    /// - Returns: false where there is no place for it.
    @discardableResult
    package mutating func hear(_ room: String, opened: String, isNewHost: Bool = false) -> Bool {
        guard let place = places[room] else {
            guard rooms.count < Self.mostRooms else { return false }
            places[room] = rooms.count
            rooms.append(RefereedRoom(room, opened: opened))
            isTakingPart.append(true)
            return true
        }
        isTakingPart[place] = true
        if rooms[place].opened != opened {
            rooms[place].reopen(opened)
        } else if isNewHost {
            rooms[place].forgetClock()
        }
        return true
    }

    /// A room has closed, or is heard no more.
    package mutating func leave(_ room: String) {
        if let place = places[room] { isTakingPart[place] = false }
    }

    /// How far the room's clock may be wrong either way, in ns; `nil` while it was not measured, or the room is not heard.
    package func uncertainty(of room: String, now: HostTime) -> Int64? {
        guard let place = places[room], isTakingPart[place], rooms[place].isHeard(at: now) else { return nil }
        return rooms[place].clock.mapping(now: now)?.uncertaintyNanoseconds(at: now)
    }

    // MARK: Questions and answers

    /// Whom to ask now: each is answered with ``take(_:to:of:now:)`` or ``giveUp(_:of:)``, or asked again in half a second.
    package mutating func asks(now: HostTime) -> [Ask] {
        let hurried = contest.isOpen
        return rooms.indices.compactMap { place in
            guard isTakingPart[place], rooms[place].askDue(hurried: hurried) <= now else { return nil }
            return Ask(room: rooms[place].id, id: rooms[place].ask(now: now))
        }
    }

    /// - Parameter now: when the answer came.
    /// - Returns: false for an answer to no question, or whose times cannot be true.
    @discardableResult
    package mutating func take(_ report: RoomReport, to ask: UInt16, of room: String, now: HostTime) -> Bool {
        guard let place = places[room] else { return false }
        var (report, last) = (report, 0)
        report.players.sort { $0.player < $1.player }
        report.players.removeAll { known in
            defer { last = known.player }
            return !Self.isNumber(known.player) || known.player == last
        }
        return rooms[place].take(report, to: ask, now: now)
    }

    package mutating func giveUp(_ ask: UInt16, of room: String) {
        if let place = places[room] { rooms[place].giveUp(ask) }
    }

    /// An event came, or is said to come never.
    ///
    /// - Parameter move: what the event was, where it is a move of this contest.
    package mutating func told(
        _ numbers: ClosedRange<Int>, of room: String, opened: String, move: RoomMove? = nil, now: HostTime
    ) {
        guard let place = places[room], isTakingPart[place], rooms[place].opened == opened,
            rooms[place].note(numbers, now: now), let move
        else { return }
        take(move, place: place, now: now)
    }

    private mutating func take(_ move: RoomMove, place: Int, now: HostTime) {
        guard Self.isNumber(move.player), let id = GestureID(move.gesture), id.player == move.player,
            let time = rooms[place].time(move.at, move.uncertainty, now: now)
        else { return }
        // Nobody hears of a move before it was made: it would keep a contest open until then.
        let reach = min(.nanoseconds(time.uncertainty ?? 0), contest.rules.cap)
        guard time.at <= now + reach else { return }
        // Its contest is over by now, whoever else took part: nobody waits for longer.
        guard now - time.at < contest.rules.cap else {
            if late.count < Self.mostRooms { late.append(contender(place, move.player)) }
            return
        }
        movesTaken = contest.isOpen ? movesTaken + 1 : 1
        guard movesTaken <= Self.mostMoves else { return }
        let player = Self.number(place, move.player)
        let known = rooms[place].clockState(of: move.player)
        let clock: ClockState = known == .none || known == .stale ? known : time.clock
        contest.take(
            Candidate(
                player: player, id: GestureID(player: player, serial: id.serial), occurredAt: time.at,
                uncertaintyNanoseconds: time.uncertainty, clock: clock, rules: contest.rules))
    }

    // MARK: Verdicts

    /// The verdicts that can be given now.
    package mutating func decide(now: HostTime) -> [SiteVerdict] {
        for place in rooms.indices { rooms[place].skipGaps(olderThan: contest.rules.cap + Self.afterCap, now: now) }
        guard contest.isOpen else { return [] }
        var players: [PlayerNumber] = []
        for place in rooms.indices where isTakingPart[place] {
            players += rooms[place].players.map { Self.number(place, $0) }
        }
        var verdicts: [SiteVerdict] = []
        while let verdict = contest.decide(
            at: now, among: players,
            standing: { rooms[$0 >> Self.playerBits].standing(of: $0 & (1 << Self.playerBits - 1), now: now) })
        {
            verdicts.append(SiteVerdict(verdict) { contender($0 >> Self.playerBits, $0 & (1 << Self.playerBits - 1)) })
        }
        return verdicts
    }

    /// Whose moves came too late to be judged, since the last call.
    package mutating func takeLate() -> [SiteContender] {
        defer { late = [] }
        return late
    }

    /// When to come back at the latest, but for what arrives.
    package var nextDeadline: HostTime? {
        let hurried = contest.isOpen
        var next = contest.deadline
        for place in rooms.indices where isTakingPart[place] {
            let due = rooms[place].askDue(hurried: hurried)
            next = min(next ?? due, due)
        }
        return next
    }

    package var gesture: GestureKind { contest.gesture }

    /// The number of the last verdict.
    package var serial: UInt64 { contest.serial }

    // MARK: Numbers

    private static func isNumber(_ player: Int) -> Bool { (1..<1 << playerBits).contains(player) }
    private static func number(_ place: Int, _ player: Int) -> PlayerNumber { place << playerBits | player }

    private func contender(_ place: Int, _ player: Int) -> SiteContender {
        SiteContender(room: rooms[place].id, player: player)
    }
}
