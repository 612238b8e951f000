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

    /// A move that is not judged.
    package struct Unjudged: Hashable, Sendable {
        package enum Reason: Hashable, Sendable {
            /// It was told when its contest was over.
            case late
            /// Its room tells more moves than people make.
            case tooMany
        }
        package var who: SiteContender
        package var reason: Reason
    }

    /// So many rooms take part.
    package static let mostRooms = 256
    /// A room's players have numbers of up to so many bits.
    private static let playerBits = 16
    /// Beyond the contest's cap, so long a missing event is awaited.
    private static let afterCap: Duration = .seconds(1)
    /// So many moves wait for a verdict; each room has its share, and two for each of its players.
    private static let mostMoves = 16_384

    private var contest: Contest
    /// By place; a room keeps its own while it takes part.
    private var rooms: [RefereedRoom] = []
    private var places: [String: Int] = [:]
    /// Since they were last asked for.
    private var unjudged: [Unjudged] = []

    package init(_ gesture: GestureKind, rules: ContestRules, after serial: UInt64 = 0) {
        contest = Contest(
            gesture, rules: rules, longestOnset: GestureDefinition.all.longestOnset(of: gesture), after: serial)
    }

    package var gesture: GestureKind { contest.gesture }

    // MARK: Rooms

    /// A room is there, or still is.
    ///
    /// - Parameter opened: when it was opened; another time is another clock.
    /// - Returns: false where there is no place for it.
    @discardableResult
    package mutating func hear(_ room: String, opened: String) -> Bool {
        guard let place = places[room] else { return add(RefereedRoom(room, opened: opened)) }
        rooms[place].takesPart = true
        if rooms[place].opened != opened { rooms[place] = rooms[place].reopened(opened) }
        return true
    }

    private mutating func add(_ room: RefereedRoom) -> Bool {
        if rooms.count < Self.mostRooms {
            places[room.id] = rooms.count
            rooms.append(room)
            return true
        }
        // Of a room that left, no move may wait for a verdict any more.
        guard !contest.isOpen, let place = rooms.firstIndex(where: { !$0.takesPart }) else { return false }
        places[rooms[place].id] = nil
        places[room.id] = place
        rooms[place] = room
        return true
    }

    /// A room has closed, or is heard no more.
    package mutating func leave(_ room: String) {
        if let place = places[room] { rooms[place].takesPart = false }
    }

    /// How far the room's clock may be wrong either way, in ns; `nil` while it was not measured, or the room does not answer.
    package mutating func uncertainty(of room: String, now: HostTime) -> Int64? {
        guard let place = places[room], rooms[place].takesPart, rooms[place].isHeard(at: now) else { return nil }
        rooms[place].measure(now: now)
        return rooms[place].mapping?.uncertaintyNanoseconds(at: now)
    }

    // MARK: Questions and answers

    /// Whom to ask now: each is answered with ``take(_:to:of:now:)`` or ``giveUp(_:of:)``, or asked again in half a second.
    package mutating func asks(now: HostTime) -> [Ask] {
        let hurried = contest.isOpen
        return rooms.indices.compactMap { place in
            guard rooms[place].takesPart, rooms[place].askDue(hurried: hurried) <= now else { return nil }
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
        let isTaken = rooms[place].take(report, to: ask, now: now)
        if !rooms[place].untimed.isEmpty {
            for move in rooms[place].takeUntimed() { take(move, place: place, now: now) }
        }
        return isTaken
    }

    package mutating func giveUp(_ ask: UInt16, of room: String) {
        if let place = places[room] { rooms[place].giveUp(ask) }
    }

    /// An event came, or is said to come never.
    ///
    /// - Parameters:
    ///   - epoch: which of the room's owners tells it; `nil` where it ends with its host.
    ///   - move: what the event was, where it is a move of this contest.
    package mutating func told(
        _ numbers: ClosedRange<Int>, of room: String, opened: String, epoch: UInt64? = nil, move: RoomMove? = nil,
        now: HostTime
    ) {
        guard let place = places[room], rooms[place].opened == opened else { return }
        // What a former owner told counts, too; its clock is not known any more.
        let isOwners = rooms[place].follow(epoch)
        guard rooms[place].note(numbers, now: now), let move, isOwners, rooms[place].takesPart else { return }
        take(move, place: place, now: now)
    }

    private mutating func take(_ move: RoomMove, place: Int, now: HostTime) {
        guard Self.isNumber(move.player), let id = GestureID(move.gesture), id.player == move.player else { return }
        rooms[place].measure(now: now)
        guard let time = rooms[place].time(move.at, move.uncertainty) else { return rooms[place].keep(move) }
        let cap = contest.rules.cap
        // Nobody hears of a move before it was made: it would keep a contest open until then.
        guard time.at <= now + min(.nanoseconds(time.uncertainty ?? 0), cap) else { return }
        // Its contest is over by now, whoever else took part: nobody waits for longer.
        let onset = min(move.measures.onset, contest.longestOnset)
        guard now - (time.at - onset) < contest.patience else { return leaveOut(move, place, .late) }
        let share = max(Self.mostMoves / max(4, rooms.count(where: \.takesPart)), 2 * rooms[place].players.count)
        guard rooms[place].admitsMove(atMost: share, within: contest.patience, now: now) else {
            return leaveOut(move, place, .tooMany)
        }
        let player = Self.number(place, move.player)
        contest.take(
            Candidate(
                player: player, id: GestureID(player: player, serial: id.serial), shownAt: time.at,
                uncertaintyNanoseconds: time.uncertainty, unseenNanoseconds: move.unseen,
                onset: onset,
                clock: rooms[place].isStale(move.player) ? .stale : time.clock, rules: contest.rules))
    }

    private mutating func leaveOut(_ move: RoomMove, _ place: Int, _ reason: Unjudged.Reason) {
        if unjudged.count < Self.mostRooms {
            unjudged.append(Unjudged(who: contender(place, move.player), reason: reason))
        }
    }

    // MARK: Verdicts

    /// The verdicts that can be given now.
    package mutating func decide(now: HostTime) -> [SiteVerdict] {
        for place in rooms.indices { rooms[place].skipGaps(olderThan: contest.patience + Self.afterCap, now: now) }
        guard contest.isOpen else { return [] }
        var players: [PlayerNumber] = []
        var isAwaited = false
        for place in rooms.indices where rooms[place].takesPart {
            rooms[place].measure(now: now)
            players += rooms[place].players.map { Self.number(place, $0) }
            isAwaited = isAwaited || rooms[place].isAwaited(at: now)
        }
        var verdicts: [SiteVerdict] = []
        // Who is in a room that has not answered yet, nobody knows.
        while !isAwaited || contest.deadline.map({ $0 <= now }) ?? false,
            let verdict = contest.decide(
                at: now, among: players,
                standing: { rooms[$0 >> Self.playerBits].knowledge(of: $0 & (1 << Self.playerBits - 1), now: now) })
        {
            var told = SiteVerdict(verdict) {
                contender($0 >> Self.playerBits, $0 & (1 << Self.playerBits - 1))
            }
            if isAwaited { told.decidedBy = .cap }
            verdicts.append(told)
        }
        return verdicts
    }

    /// Whose moves are not judged, since the last call.
    package mutating func takeUnjudged() -> [Unjudged] {
        defer { unjudged = [] }
        return unjudged
    }

    /// When to come back at the latest, but for what arrives.
    package var nextDeadline: HostTime? {
        let hurried = contest.isOpen
        var next = contest.deadline
        for place in rooms.indices where rooms[place].takesPart {
            let due = rooms[place].askDue(hurried: hurried)
            next = min(next ?? due, due)
        }
        return next
    }

    // MARK: Numbers

    private static func isNumber(_ player: Int) -> Bool { (1..<1 << playerBits).contains(player) }
    private static func number(_ place: Int, _ player: Int) -> PlayerNumber { place << playerBits | player }

    private func contender(_ place: Int, _ player: Int) -> SiteContender {
        SiteContender(room: rooms[place].id, player: player)
    }
}
