import InputMerge
import SessionCoordinator
import WireProtocol

/// One room as its referee knows it: its clock, its players, and which of its events have come.
struct RefereedRoom: Sendable {
    /// A room that was not heard for so long takes no part.
    static let silence: Duration = .seconds(1)
    /// Where a question has no answer after so long, the next one is asked.
    private static let patience: Duration = .milliseconds(500)
    /// While a contest is open, every room is asked so often.
    private static let hurry: Duration = .milliseconds(25)
    /// So many reports wait for events that they rest on.
    private static let mostWaiting = 64
    /// Rooms tell times in whole microseconds, rounded toward zero: of a move, of how sure it is, and of the report that its
    /// clock was measured by.
    private static let rounding: Int64 = 4_000

    let id: String
    /// When it was opened, as its events say it: another opening is another clock and another numbering.
    private(set) var opened: String
    private(set) var clock = ClockEstimator()
    private var nextAsk: UInt16 = 0
    private var asked: (id: UInt16, at: HostTime)?
    private var lastAskAt: HostTime?
    private var heardAt: HostTime?
    /// What the room told before its first answer is of no interest.
    private var told = ToldNumbers()
    private var gapSince: HostTime?
    /// The newest report whose events have all come.
    private var report: RoomReport?
    /// Those whose events have not, the oldest first.
    private var waiting: [RoomReport] = []

    init(_ id: String, opened: String) {
        self.id = id
        self.opened = opened
    }

    /// It was opened anew: nothing that was known of it counts.
    mutating func reopen(_ opened: String) {
        let next = nextAsk
        self = RefereedRoom(id, opened: opened)
        // An answer to an older question is none to a new one.
        nextAsk = next
    }

    /// Another host speaks for it now: another clock.
    mutating func forgetClock() {
        clock = ClockEstimator()
        asked = nil
        report = nil
        waiting = []
    }

    // MARK: Asking

    /// When it is to be asked next.
    func askDue(hurried: Bool) -> HostTime {
        if let asked { return asked.at + Self.patience }
        let due = HostTime(nanoseconds: clock.nextProbeDue())
        guard hurried, let lastAskAt else { return due }
        return min(due, lastAskAt + Self.hurry)
    }

    mutating func ask(now: HostTime) -> UInt16 {
        nextAsk &+= 1
        clock.probe(nextAsk, sentAt: now)
        asked = (nextAsk, now)
        lastAskAt = now
        return nextAsk
    }

    /// - Returns: false for an answer that nobody waits for, or whose times cannot be true.
    mutating func take(_ answer: RoomReport, to ask: UInt16, now: HostTime) -> Bool {
        let isAwaited = asked?.id == ask
        if isAwaited { asked = nil }
        guard
            clock.answer(
                id: ask, receivedAt: DeviceTime(nanoseconds: answer.at), sentAt: answer.at, arrivedAt: now) != nil
        else { return false }
        heardAt = max(heardAt ?? now, now)
        told.begin(after: answer.after)
        // An answer that was overtaken by a later one says nothing new.
        guard answer.at > waiting.last?.at ?? report?.at ?? .min else { return true }
        if waiting.count >= Self.mostWaiting { waiting.remove(at: Self.mostWaiting / 2) }
        waiting.append(answer)
        settle()
        return true
    }

    /// The question had no answer, and will have none.
    mutating func giveUp(_ ask: UInt16) { if asked?.id == ask { asked = nil } }

    // MARK: Events

    /// - Returns: whether one of them is new.
    mutating func note(_ numbers: ClosedRange<Int>, now: HostTime) -> Bool {
        guard told.note(numbers) else { return false }
        noteGap(now: now)
        settle()
        return true
    }

    private mutating func noteGap(now: HostTime) {
        gapSince = told.hasGap ? gapSince ?? now : nil
    }

    /// What is missing for so long will not come any more.
    mutating func skipGaps(olderThan age: Duration, now: HostTime) {
        guard let since = gapSince, now - since >= age else { return }
        told.skip()
        gapSince = told.hasGap ? now : nil
        settle()
    }

    private mutating func settle() {
        guard let whole = told.whole, let last = waiting.lastIndex(where: { $0.after <= whole }) else { return }
        report = waiting[last]
        waiting.removeFirst(last + 1)
    }

    // MARK: What is known

    func isHeard(at now: HostTime) -> Bool { heardAt.map { now - $0 < Self.silence } ?? false }

    /// Those who could have moved, ascending.
    var players: [Int] { (waiting.last ?? report)?.players.map(\.player) ?? [] }

    /// A moment of the room's on the referee's clock, and how far it may be wrong either way, in ns.
    ///
    /// - Returns: `nil` while the room's clock was not measured.
    func time(
        _ nanoseconds: Int64, _ uncertainty: Int64?, now: HostTime
    ) -> (at: HostTime, uncertainty: Int64?, clock: ClockState)? {
        guard let mapping = clock.mapping(now: now), mapping.state != .none else { return nil }
        let at = mapping.hostTime(of: DeviceTime(nanoseconds: nanoseconds))
        guard let own = uncertainty, let map = mapping.uncertaintyNanoseconds(at: at) else {
            return (at, nil, mapping.state)
        }
        return (at, own.saturatingAdd(map).saturatingAdd(Self.rounding), mapping.state)
    }

    func standing(of player: Int, now: HostTime) -> PlayerKnowledge {
        let newest = (waiting.last ?? report)?.known(player)
        guard let newest, newest.isLive, isHeard(at: now) else { return .gone }
        let known = report?.known(player)
        guard let watermark = known?.watermark, let time = time(watermark, known?.uncertainty, now: now) else {
            return PlayerKnowledge(isLive: true, watermark: nil, uncertaintyNanoseconds: nil)
        }
        return PlayerKnowledge(isLive: true, watermark: time.at, uncertaintyNanoseconds: time.uncertainty)
    }

    /// How well the player's own clock is known to its room.
    func clockState(of player: Int) -> ClockState {
        (waiting.last ?? report)?.known(player)?.clock ?? .none
    }
}
