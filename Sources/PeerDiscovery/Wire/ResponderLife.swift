/// Decides when a responder's process is started, asked whether it is still there, given up, and started again.
///
/// Pure: times are durations since some beginning, on a clock that only goes forward.
struct ResponderLife: Sendable {
    enum Action: Sendable, Equatable {
        case start
        case ask
        /// It hangs: what is left of it is to be killed. It counts as ended.
        case kill
    }

    /// How long nothing is done after an end: from the shortest, doubled each time, to the longest.
    static let shortestPause = Duration.seconds(1)
    static let longestPause = Duration.seconds(60)
    /// One that lived for so long had no bad start: the next pause is the shortest again.
    static let longLife = Duration.seconds(60)
    /// So often it is asked, and so long it may take to answer. A machine under load is no hanging process.
    static let askInterval = Duration.seconds(15)
    static let patience = Duration.seconds(20)

    private enum State: Sendable {
        case idle
        case resting(until: Duration)
        case living(since: Duration, asksAt: Duration, answerDue: Duration?)
    }

    private var state = State.idle
    /// Of the next end.
    private var pause = shortestPause

    var nextDeadline: Duration? {
        switch state {
        case .idle: nil
        case .resting(let until): until
        case .living(_, let asksAt, let answerDue): answerDue ?? asksAt
        }
    }

    /// How long it is until the next start; nil while one lives.
    func rest(from now: Duration) -> Duration? {
        if case .resting(let until) = state { max(.zero, until - now) } else { nil }
    }

    mutating func begin(at now: Duration) -> [Action] { start(at: now) }

    /// It said something.
    mutating func heard(at now: Duration) {
        guard case .living(let since, _, _) = state else { return }
        state = .living(since: since, asksAt: now + Self.askInterval, answerDue: nil)
    }

    /// It ended, or could not be started.
    mutating func ended(at now: Duration) {
        guard case .living(let since, _, _) = state else { return }
        if now - since >= Self.longLife { pause = Self.shortestPause }
        state = .resting(until: now + pause)
        pause = min(pause * 2, Self.longestPause)
    }

    mutating func advance(to now: Duration) -> [Action] {
        switch state {
        case .resting(let until) where now >= until: return start(at: now)
        case .living(_, _, let answerDue?) where now >= answerDue:
            ended(at: now)
            return [.kill]
        case .living(let since, let asksAt, nil) where now >= asksAt:
            state = .living(since: since, asksAt: asksAt, answerDue: now + Self.patience)
            return [.ask]
        case .idle, .resting, .living: return []
        }
    }

    private mutating func start(at now: Duration) -> [Action] {
        // Its first word is due like an answer.
        state = .living(since: now, asksAt: now + Self.askInterval, answerDue: now + Self.patience)
        return [.start]
    }
}
