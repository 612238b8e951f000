/// When a controller that does not hear its host any more asks for its seat again, and when it gives up.
///
/// It waits 0.25 s, then twice as long each time, up to 5 s. When the host would have given the seat away, it asks once
/// more: the answer to that, or that there is none, is the end.
struct ReturnPlan: Hashable, Sendable {
    enum Step: Hashable, Sendable {
        /// Ask again after this.
        case wait(Duration)
        case giveUp
    }

    /// How long the host keeps the seat.
    let patience: Duration
    private var backoff = Duration.milliseconds(250)
    static let longestBackoff = Duration.seconds(5)
    /// However long a host asks to be left alone, it is not longer than this.
    static let longestWait = Duration.seconds(60)

    init(patience: Duration) { self.patience = patience }

    /// What follows an attempt that brought no seat.
    ///
    /// - Parameters:
    ///   - elapsed: since the return began.
    ///   - retryAfter: how long the host asked to be left alone, if it answered.
    mutating func afterFailure(elapsed: Duration, retryAfter: Duration? = nil) -> Step {
        guard elapsed < patience else { return .giveUp }
        let wait = min(backoff, patience - elapsed)
        backoff = min(backoff * 2, Self.longestBackoff)
        return .wait(max(wait, min(retryAfter ?? .zero, Self.longestWait)))
    }
}
