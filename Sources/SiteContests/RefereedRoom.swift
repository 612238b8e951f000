import InputMerge
import SessionCoordinator
import WireProtocol

/// One room as its referee knows it: its clock, its players, and which of its events have come.
struct RefereedRoom: Sendable {
    /// A room that has left a question without an answer for so long is not waited for.
    static let silence: Duration = .seconds(1)
    /// Where a question has no answer after so long, another one is asked.
    private static let patience: Duration = .milliseconds(500)
    /// While a contest is open, every room is asked so often, …
    private static let hurry: Duration = .milliseconds(25)
    /// … but for so many that have no answer yet.
    private static let mostAsked = 4
    /// So many reports wait for events that they rest on.
    private static let mostWaiting = 64
    /// So many moves wait for the room's clock.
    private static let mostUntimed = 256
    /// Rooms tell times in whole microseconds, rounded toward zero: of a move, of how sure it is, and of the report that its
    /// clock was measured by.
    private static let rounding: Int64 = 4_000

    let id: String
    /// When it was opened, as its events say it: another opening is another clock and another numbering.
    let opened: String
    /// Else it has closed, or is heard no more.
    var takesPart = true
    /// Which of the room's owners speaks; `nil` where it ends with its host.
    private(set) var epoch: UInt64?
    private var clock = ClockEstimator()
    private var nextAsk: UInt16
    /// Without an answer, the oldest first.
    private var asked: [(id: UInt16, at: HostTime)] = []
    private var lastAskAt: HostTime?
    /// When the oldest question was sent that nothing has been answered since.
    private var unansweredSince: HostTime?
    /// What the room told before its first answer is of no interest.
    private var told = ToldNumbers()
    /// What is missing first, and since when.
    private var gap: (behind: Int, since: HostTime)?
    /// The newest report whose events have all come.
    private var report: RoomReport?
    /// Those whose events have not, the oldest first.
    private var waiting: [Waiting] = []
    private struct Waiting {
        let report: RoomReport
        let since: HostTime
    }
    /// The place of the newest report's question among all that were asked.
    private var newestPlace = -1
    /// Moves that came before the room's clock was measured.
    private(set) var untimed: [RoomMove] = []
    /// When its moves came that are young enough to wait for a verdict.
    private var moveTimes: [HostTime] = []
    /// How its clock stood when that was asked last.
    private var mapped: (at: HostTime, mapping: ClockMapping?)?

    /// - Parameter lastAsk: an answer to an older question is none to a new one.
    init(_ id: String, opened: String, epoch: UInt64? = nil, lastAsk: UInt16 = 0) {
        self.id = id
        self.opened = opened
        self.epoch = epoch
        nextAsk = lastAsk
    }

    /// The same room, of which nothing is known any more: it was opened anew.
    func reopened(_ opened: String) -> RefereedRoom { RefereedRoom(id, opened: opened, lastAsk: nextAsk) }

    /// Another host, or another run of it, speaks for the room now: by another clock. Its numbers go on.
    mutating func forgetClock() {
        clock = ClockEstimator()
        (asked, unansweredSince, mapped, newestPlace) = ([], nil, nil, -1)
        forgetReports()
    }

    private mutating func forgetReports() { (report, waiting, untimed) = (nil, [], []) }

    /// Goes by this owner from now on.
    ///
    /// - Returns: false where a later one speaks already.
    mutating func follow(_ newEpoch: UInt64?) -> Bool {
        guard let newEpoch, newEpoch != epoch else { return true }
        guard newEpoch > epoch ?? 0 else { return false }
        if epoch != nil { forgetClock() }
        epoch = newEpoch
        return true
    }

    // MARK: Asking

    /// When it is to be asked next.
    func askDue(hurried: Bool) -> HostTime {
        guard let lastAskAt else { return HostTime(nanoseconds: .min) }
        if hurried {
            guard asked.count >= Self.mostAsked, let first = asked.first else { return lastAskAt + Self.hurry }
            return max(first.at + Self.patience, lastAskAt + Self.hurry)
        }
        if let last = asked.last { return last.at + Self.patience }
        return HostTime(nanoseconds: clock.nextProbeDue())
    }

    mutating func ask(now: HostTime) -> UInt16 {
        nextAsk &+= 1
        clock.probe(nextAsk, sentAt: now)
        asked.removeAll { now - $0.at >= Self.patience }
        if asked.count >= Self.mostAsked { asked.removeFirst() }
        asked.append((nextAsk, now))
        lastAskAt = now
        unansweredSince = unansweredSince ?? now
        return nextAsk
    }

    /// - Returns: false for an answer that nobody waits for, or whose times cannot be true.
    mutating func take(_ answer: RoomReport, to ask: UInt16, now: HostTime) -> Bool {
        asked.removeAll { $0.id == ask }
        guard follow(answer.epoch) else { return false }
        let timesSet = clock.timesSet
        guard
            let place = clock.answer(
                id: ask, receivedAt: DeviceTime(nanoseconds: answer.at), sentAt: answer.at, arrivedAt: now)
        else { return false }
        // What was reported by a clock that was set since means other moments.
        if clock.timesSet != timesSet { forgetReports() }
        mapped = nil
        unansweredSince = asked.first?.at
        told.begin(after: answer.after)
        // An answer that was overtaken by a later one says nothing new.
        guard place > newestPlace else { return true }
        newestPlace = place
        if waiting.count >= Self.mostWaiting { waiting.remove(at: Self.mostWaiting / 2) }
        waiting.append(Waiting(report: answer, since: now))
        settle(now: now)
        return true
    }

    /// The question had no answer, and will have none.
    mutating func giveUp(_ ask: UInt16) { asked.removeAll { $0.id == ask } }

    // MARK: Events

    /// - Returns: whether one of them is new.
    mutating func note(_ numbers: ClosedRange<Int>, now: HostTime) -> Bool {
        guard told.note(numbers) else { return false }
        settle(now: now)
        return true
    }

    /// What is missing for so long will not come any more.
    mutating func skipGaps(olderThan age: Duration, now: HostTime) {
        guard let gap, now - gap.since >= age else { return }
        // What is missing behind a report has been for as long as that waits, at least.
        told.skip(through: waiting.last { now - $0.since >= age }?.report.after)
        settle(now: now)
    }

    private mutating func settle(now: HostTime) {
        guard let whole = told.whole else { return }
        if let last = waiting.lastIndex(where: { $0.report.after <= whole }) {
            report = waiting[last].report
            waiting.removeFirst(last + 1)
        }
        let isMissing = told.hasGap || !waiting.isEmpty
        if !isMissing { gap = nil } else if gap?.behind != whole { gap = (whole, now) }
    }

    /// Whether one more move of the room's is judged, of so many within so long.
    mutating func admitsMove(atMost most: Int, within time: Duration, now: HostTime) -> Bool {
        moveTimes.removeAll { now - $0 >= time }
        guard moveTimes.count < most else { return false }
        moveTimes.append(now)
        return true
    }

    /// Keeps a move until the room's clock is measured.
    mutating func keep(_ move: RoomMove) { if untimed.count < Self.mostUntimed { untimed.append(move) } }
    mutating func takeUntimed() -> [RoomMove] {
        defer { untimed = [] }
        return untimed
    }

    // MARK: What is known

    /// Whether it answers, as far as can be known by now; not before its first answer.
    func isHeard(at now: HostTime) -> Bool { told.whole != nil && !isSilent(at: now) }

    /// Whether its first answer may still come.
    func isAwaited(at now: HostTime) -> Bool { report == nil && !isSilent(at: now) }

    private func isSilent(at now: HostTime) -> Bool { unansweredSince.map { now - $0 >= Self.silence } ?? false }

    /// Those who could have moved, ascending: who is gone counts until everything has come that was before.
    var players: [Int] {
        let settled = report?.players.map(\.player) ?? []
        guard let newest = waiting.last?.report.players.map(\.player), newest != settled else { return settled }
        var all: [Int] = []
        for player in (settled + newest).sorted() where all.last != player { all.append(player) }
        return all
    }

    /// How its clock stands now; worked out once for each moment.
    mutating func measure(now: HostTime) {
        guard mapped?.at != now else { return }
        mapped = (now, clock.mapping(now: now))
    }

    /// How its clock stood when that was last worked out.
    var mapping: ClockMapping? { mapped?.mapping }

    /// A moment of the room's on the referee's clock, as it was measured last, and how far it may be wrong either way, in ns.
    ///
    /// - Returns: `nil` while the room's clock was not measured.
    func time(_ nanoseconds: Int64, _ uncertainty: Int64?) -> (at: HostTime, uncertainty: Int64?, clock: ClockState)? {
        guard let mapping, mapping.state != .none else { return nil }
        let at = mapping.hostTime(of: DeviceTime(nanoseconds: nanoseconds))
        guard let own = uncertainty, let map = mapping.uncertaintyNanoseconds(at: at) else {
            return (at, nil, mapping.state)
        }
        return (at, own.saturatingAdd(map).saturatingAdd(Self.rounding), mapping.state)
    }

    func knowledge(of player: Int, now: HostTime) -> PlayerKnowledge {
        let (newest, known) = (waiting.last?.report.known(player), report?.known(player))
        guard isHeard(at: now), newest?.isLive == true || known?.isLive == true else { return .gone }
        guard let watermark = known?.watermark, let time = time(watermark, known?.uncertainty) else {
            return PlayerKnowledge(isLive: true, watermark: nil, uncertaintyNanoseconds: nil)
        }
        return PlayerKnowledge(isLive: true, watermark: time.at, uncertaintyNanoseconds: time.uncertainty)
    }

    /// Whether the room knows that the player's own clock has not answered for long.
    func isStale(_ player: Int) -> Bool {
        ((waiting.last?.report ?? report)?.known(player) ?? report?.known(player))?.clock == .stale
    }
}
