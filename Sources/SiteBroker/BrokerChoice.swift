package import SiteRecords
import Synchronization

extension BrokerConnection {
    /// Connects to a site's broker, or to whichever of its cluster's answers first.
    ///
    /// They are asked in turn, beginning with the one that was taken last; the next one as soon as the last refuses, or has
    /// said nothing for a quarter of a second, so that a machine that is gone costs no more than that. One that was taken
    /// and given up within half a minute did not do what was asked of it, cut off from the rest of its cluster perhaps: it
    /// is asked last.
    ///
    /// - Parameters:
    ///   - name: what the broker's operator sees of us.
    ///   - closed: called once, when the connection ends by itself.
    /// - Throws: ``BrokerError``, without anything secret in it; of several brokers what the most telling one said.
    package static func open(
        _ options: SiteOptions, name: String, closed: @escaping @Sendable () -> Void = {}
    ) async throws(BrokerError) -> BrokerConnection {
        var places: [BrokerPlace] = []
        for address in options.addresses {
            places.append(
                try BrokerPlace(address, credentials: options.credentials, authorities: options.authorities))
        }
        guard !places.isEmpty else { throw BrokerError(.unreachable, options.problem ?? "no broker is named") }
        guard places.count > 1 else { return try await open(places[0], name: name, closed: closed) }
        let key = "\(name) \(options.broker)"
        let first = BrokerTurn.first(of: places.count, for: key)
        let (connection, number) = try await BrokerChoice(closed: closed)
            .open(Array(places[first...] + places[..<first]), name: name)
        BrokerTurn.note((first + number) % places.count, for: key)
        return connection
    }
}

/// With which broker of a cluster this process begins, for each purpose.
private enum BrokerTurn {
    private static let brief: Duration = .seconds(30)
    private static let last = Mutex<[String: (number: Int, at: ContinuousClock.Instant)]>([:])

    static func first(of count: Int, for key: String) -> Int {
        guard let last = last.withLock({ $0[key] }) else { return 0 }
        return (last.number + (ContinuousClock.now - last.at < brief ? 1 : 0)) % count
    }

    static func note(_ number: Int, for key: String) { last.withLock { $0[key] = (number, .now) } }
}

/// One connection out of several that are tried; whichever comes after the first is closed again.
private final class BrokerChoice: Sendable {
    private enum Outcome: Sendable {
        case opened(BrokerConnection, Int)
        case failed(BrokerError)
        /// The last one that was asked has been silent for long enough.
        case isSlow(Int)
    }
    private static let patience: Duration = .milliseconds(250)

    private let taken = Mutex<Int?>(nil)
    private let closed: @Sendable () -> Void

    init(closed: @escaping @Sendable () -> Void) { self.closed = closed }

    func open(_ places: [BrokerPlace], name: String) async throws(BrokerError) -> (
        BrokerConnection, Int
    ) {
        let (outcomes, tell) = AsyncStream.makeStream(of: Outcome.self)
        defer { tell.finish() }
        var asked = 0
        var failures: [BrokerError] = []
        func askNext() {
            guard asked < places.count else { return }
            let number = asked
            asked += 1
            Task { tell.yield(await self.ask(places[number], name, number)) }
            Task {
                try? await Task.sleep(for: Self.patience)
                tell.yield(.isSlow(number))
            }
        }
        askNext()
        for await outcome in outcomes {
            switch outcome {
            case .opened(let connection, let number): return (connection, number)
            case .isSlow(let number): if number == asked - 1 { askNext() }
            case .failed(let error):
                failures.append(error)
                if failures.count == places.count { throw Self.telling(failures, places) }
                askNext()
            }
        }
        throw BrokerError(.closed, "the connecting was given up")
    }

    private func ask(_ place: BrokerPlace, _ name: String, _ number: Int) async -> Outcome {
        do throws(BrokerError) {
            let connection = try await BrokerConnection.open(place, name: name) { [self] in
                if taken.withLock({ $0 == number }) { closed() }
            }
            let isFirst = taken.withLock { taken in
                if taken == nil { taken = number }
                return taken == number
            }
            // What ended before it was taken has told nobody.
            guard isFirst, !connection.hasEnded else {
                taken.withLock { if $0 == number { $0 = nil } }
                connection.close()
                return .failed(BrokerError(.closed, "the connection to \(place.address) has ended"))
            }
            return .opened(connection, number)
        } catch {
            return .failed(error)
        }
    }

    /// One that answers and refuses says more than one that is not there.
    private static func telling(_ failures: [BrokerError], _ places: [BrokerPlace]) -> BrokerError {
        if let refusal = failures.first(where: { $0.code != .unreachable && $0.code != .closed }) { return refusal }
        let all = places.map(\.address.description).joined(separator: ", ")
        return BrokerError(.unreachable, "no broker answers at any of \(all): does nats-server run there?")
    }
}
