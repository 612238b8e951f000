import SessionCoordinator
public import WireProtocol

/// Those who left: how the last of them stood, and what all of them had been counted for.
struct Departures: Sendable {
    /// The last states of those who left, oldest first.
    private(set) var states: [PeerState] = []
    /// How many have left since the room opened, also of those whose states were let go.
    private(set) var count = 0
    /// Datagrams of those whose states were let go.
    private var forgotten: UInt64 = 0

    /// So many states are kept.
    static let most = 10_000
    /// So many more are kept until the oldest go.
    static let mostAtOnce = 1_000

    /// Datagrams of all who left, each in one class.
    var classified: UInt64 { states.reduce(forgotten) { $0 + $1.report.arrivals } }

    mutating func append(_ state: PeerState) {
        states.append(state)
        count += 1
    }

    /// Lets the oldest states go when there are too many: many at once, as those behind them move up; in place, with
    /// nobody else holding them.
    mutating func letOldestGo() {
        guard states.count > Self.most + Self.mostAtOnce else { return }
        let oldest = states.count - Self.most
        for place in 0..<oldest { forgotten += states[place].report.arrivals }
        states.removeFirst(oldest)
    }

    /// Stragglers of somebody who left belong to it.
    mutating func correct(_ report: PeerReport) {
        let place = states.lastIndex {
            $0.report.connection == report.connection && $0.report.controller == report.controller
        }
        if let place { states[place].report = report }
    }
}

extension PeerReport {
    /// Its datagrams; of frames without numbers, those beyond the budget are in no other class.
    fileprivate var arrivals: UInt64 {
        datagrams.authenticated + (transport == .legacy ? datagrams.rateLimited : 0)
    }
}

extension Engine {
    /// The last states of those who left, oldest first.
    public var departed: [PeerState] { gone.states }

    /// How many have left since the room opened, also of those whose states were let go.
    public var departures: Int { gone.count }

    /// Datagrams by what they were taken for, all together: each that was handed in is in one class.
    ///
    /// Whoever hands them in counts too, and compares.
    public func classified(now: HostTime) -> UInt64 {
        let strangers = coordinator.strangers
        var sum = gone.classified + strangers.badAuth + strangers.unknown + strangers.malformed
        for report in coordinator.reports(now: now) { sum += report.arrivals }
        return sum
    }

    /// Notes how those stood who left, while their delays are still here.
    mutating func keepDeparted() {
        for report in coordinator.takeDeparted() { gone.append(state(report)) }
        gone.letOldestGo()
    }

    /// Hands what came late to those who left.
    mutating func correctDeparted() {
        for report in coordinator.takeCorrections() { gone.correct(report) }
    }
}
