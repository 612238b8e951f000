import WireProtocol

/// Slows down whoever guesses the room's code: at most ten wrong ones a minute in the whole room.
///
/// Past that every new code is refused, right or wrong, for a time that doubles with each further minute of guessing
/// (1 to 16 minutes), and shrinks to one minute again after a quiet hour. Those who hold a seat return by their secret and notice nothing.
struct AdmissionGate: Sendable {
    static let attemptsPerMinute = 10
    private static let minute: Int64 = 60_000_000_000

    private var failures: [Int64] = []
    private var closedUntil: Int64?
    private var closures = 0

    /// Milliseconds until codes are looked at again; `nil` when they are now.
    func retryAfter(now: HostTime) -> Int? {
        guard let closedUntil, now.nanoseconds < closedUntil else { return nil }
        return Int((closedUntil - now.nanoseconds) / 1_000_000) + 1
    }

    mutating func noteFailure(now: HostTime) {
        failures.removeAll { now.nanoseconds - $0 >= Self.minute }
        failures.append(now.nanoseconds)
        guard failures.count >= Self.attemptsPerMinute else { return }
        if let closedUntil, now.nanoseconds - closedUntil > 60 * Self.minute { closures = 0 }
        closedUntil = now.nanoseconds + Self.minute << Int64(min(closures, 4))
        closures += 1
        failures.removeAll()
    }
}
