import WireProtocol

/// Slows down whoever guesses the room's code, and nobody else: at most ten wrong ones a minute from one address, fifty from
/// one IPv6 network, of which a machine has all addresses that it likes and a classroom shares one, and a hundred from all.
///
/// Past that new codes from there (or from anywhere) are refused, right or wrong, for a time that doubles with each
/// further minute of guessing. Those who hold a seat return by their secret, and who scanned has a longer code: neither
/// comes here.
struct AdmissionGate: Sendable {
    static let attemptsPerMinute = 10
    static let attemptsPerMinuteOfNetwork = 50
    static let attemptsPerMinuteOfAll = 100
    /// Addresses that are remembered: more than can guess before the whole room closes.
    static let mostSources = 128

    private var addresses = GuessMeters(limit: attemptsPerMinute)
    private var networks = GuessMeters(limit: attemptsPerMinuteOfNetwork)
    private var all = GuessMeter(limit: attemptsPerMinuteOfAll)

    /// Milliseconds until codes from there are looked at again; `nil` when they are now.
    func retryAfter(from source: PeerAddress?, now: HostTime) -> Int? {
        let waits = [
            addresses.retryAfter(from: source?.withoutPort, now: now),
            networks.retryAfter(from: source?.machine, now: now), all.retryAfter(now: now),
        ]
        return waits.compactMap(\.self).max()
    }

    mutating func noteFailure(from source: PeerAddress?, now: HostTime) {
        addresses.noteFailure(from: source?.withoutPort, now: now)
        networks.noteFailure(from: source?.machine, now: now)
        all.noteFailure(now: now)
    }
}

/// A meter for each of many; the one that guessed longest ago gives way.
private struct GuessMeters: Sendable {
    let limit: Int
    private var meters: [(source: PeerAddress?, meter: GuessMeter)] = []

    init(limit: Int) { self.limit = limit }

    func retryAfter(from source: PeerAddress?, now: HostTime) -> Int? {
        meters.first { $0.source == source }?.meter.retryAfter(now: now)
    }

    mutating func noteFailure(from source: PeerAddress?, now: HostTime) {
        var meter = GuessMeter(limit: limit)
        if let place = meters.firstIndex(where: { $0.source == source }) {
            meter = meters.remove(at: place).meter
        } else if meters.count >= AdmissionGate.mostSources {
            meters.removeFirst()
        }
        meter.noteFailure(now: now)
        meters.append((source, meter))
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
