import WireProtocol

/// Slows down whoever guesses the room's code, and nobody else: at most ten wrong ones a minute from one address, and a
/// hundred from all of them.
///
/// Past that new codes from there (or from anywhere) are refused, right or wrong, for a time that doubles with each
/// further minute of guessing. Those who hold a seat return by their secret, and who scanned has a longer code: neither
/// comes here.
struct AdmissionGate: Sendable {
    static let attemptsPerMinute = 10
    static let attemptsPerMinuteOfAll = 100
    /// Addresses that are remembered: more than can guess before the whole room closes.
    static let mostSources = 128

    /// Machines, as far as their addresses tell; the one that guessed longest ago first.
    private var sources: [(source: PeerAddress?, meter: GuessMeter)] = []
    private var all = GuessMeter(limit: attemptsPerMinuteOfAll)

    /// Milliseconds until codes from there are looked at again; `nil` when they are now.
    func retryAfter(from address: PeerAddress?, now: HostTime) -> Int? {
        let source = address?.machine
        let own = sources.first { $0.source == source }?.meter.retryAfter(now: now)
        let whole = all.retryAfter(now: now)
        return own == nil && whole == nil ? nil : max(own ?? 0, whole ?? 0)
    }

    mutating func noteFailure(from address: PeerAddress?, now: HostTime) {
        let source = address?.machine
        var meter = GuessMeter(limit: Self.attemptsPerMinute)
        if let place = sources.firstIndex(where: { $0.source == source }) {
            meter = sources.remove(at: place).meter
        } else if sources.count >= Self.mostSources {
            sources.removeFirst()
        }
        meter.noteFailure(now: now)
        sources.append((source, meter))
        all.noteFailure(now: now)
    }
}

/// Counts wrong codes, and says when there were too many: closed for 1 to 16 minutes, and for one minute again after a
/// quiet hour.
struct GuessMeter: Sendable {
    private static let minute: Int64 = 60_000_000_000

    /// So many in a minute close it.
    let limit: Int
    private var failures: [Int64] = []
    private var closedUntil: Int64?
    private var closures = 0

    init(limit: Int) { self.limit = limit }

    func retryAfter(now: HostTime) -> Int? {
        guard let closedUntil, now.nanoseconds < closedUntil else { return nil }
        return Int((closedUntil - now.nanoseconds) / 1_000_000) + 1
    }

    mutating func noteFailure(now: HostTime) {
        failures.removeAll { now.nanoseconds - $0 >= Self.minute }
        failures.append(now.nanoseconds)
        guard failures.count >= limit else { return }
        if let closedUntil, now.nanoseconds - closedUntil > 60 * Self.minute { closures = 0 }
        closedUntil = now.nanoseconds + Self.minute << Int64(min(closures, 4))
        closures += 1
        failures.removeAll()
    }
}
