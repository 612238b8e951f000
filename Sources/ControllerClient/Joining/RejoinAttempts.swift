/// Which of a controller's own attempts to come back may still reach the host, after nobody waits for their answer.
///
/// A host that is slow, or an answer that is lost, lets such an attempt take the seat over: the host then tells the
/// controller's present link that it was replaced. That was no other program.
struct RejoinAttempts: Hashable, Sendable {
    /// What was not answered in so long is not on its way any more.
    static let longestOnTheWay = Duration.seconds(60)

    /// Those whose answer nobody heard: the host may have begun a link for each.
    private(set) var open = 0
    private var lastAt: ContinuousClock.Instant?

    mutating func begin(at time: ContinuousClock.Instant) {
        open = min(open + 1, 1_000)
        lastAt = time
    }

    /// The host said yes or no to the last one, and that was heard.
    mutating func conclude() { open = max(0, open - 1) }

    /// Whether "replaced" may be the work of one of them.
    func explainReplacement(at time: ContinuousClock.Instant) -> Bool {
        guard open > 0, let lastAt else { return false }
        return time - lastAt < Self.longestOnTheWay
    }
}
