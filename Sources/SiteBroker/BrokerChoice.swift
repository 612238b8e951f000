package import SiteRecords
import Synchronization

extension BrokerConnection {
    /// Connects to a site's broker, or to whichever of its cluster's answers first.
    ///
    /// They are asked in the order in which they stand; the next one as soon as the last refuses, or has said nothing for a
    /// quarter of a second, so that a machine that is gone costs no more than that. One that failed within the last minute,
    /// or was given up (``giveUp()``), is asked after those that did not.
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
        return try await BrokerChoice(places, closed: closed).open(as: name)
    }

    /// Ends the connection, as its broker does not do what is asked of it: cut off from the rest of its cluster, perhaps.
    package func giveUp() {
        BrokerTrust.lose(place)
        close()
    }
}

/// Which brokers failed this process lately, for whatever purpose: who connects next asks another one first. Of one
/// broker alone ``BrokerConnection/giveUp()`` is `close()`.
///
/// A broker that is cut off from its cluster stays connected. Who finds that out, each by what it misses:
/// - whoever asks JetStream: an answer (`BrokerConnection.api`);
/// - `SiteLink`: a confirmation for 5 s, or, where it tells nothing, the answers to two questions;
/// - `RoomKeeper`: any answer of the room's log for 5 s;
/// - `BrokerDesk`: any room of the site for 7 s, its own included;
/// - `RoomSearch`: any room of the name for 10 s.
enum BrokerTrust {
    private static let memory: Duration = .seconds(60)
    private static let lost = Mutex<[BrokerAddress: ContinuousClock.Instant]>([:])

    static func lose(_ place: BrokerPlace) { lost.withLock { $0[place.address] = .now } }

    /// Whom to ask first: those that stand in the order given, then those that failed, the latest one last.
    static func order(_ places: [BrokerPlace]) -> [BrokerPlace] {
        let lost = lost.withLock { lost in
            let now = ContinuousClock.now
            lost = lost.filter { now - $0.value < memory }
            return lost
        }
        let failed = places.filter { lost[$0.address] != nil }
            .sorted { (lost[$0.address] ?? .now) < (lost[$1.address] ?? .now) }
        return places.filter { lost[$0.address] == nil } + failed
    }
}

/// One connection out of several that are tried; whichever comes after the first is closed again.
private final class BrokerChoice: Sendable {
    private enum Outcome: Sendable {
        case opened(BrokerConnection)
        case failed(BrokerError)
        /// The one of this number has been silent for long enough.
        case isSlow(Int)
    }
    private static let patience: Duration = .milliseconds(250)

    private let given: [BrokerPlace]
    private let places: [BrokerPlace]
    private let taken = Mutex<Int?>(nil)
    private let closed: @Sendable () -> Void

    init(_ places: [BrokerPlace], closed: @escaping @Sendable () -> Void) {
        (given, self.places, self.closed) = (places, BrokerTrust.order(places), closed)
    }

    func open(as name: String) async throws(BrokerError) -> BrokerConnection {
        let (outcomes, tell) = AsyncStream.makeStream(of: Outcome.self)
        defer { tell.finish() }
        var asked = 0
        var failures: [BrokerError] = []
        func askNext() {
            guard asked < places.count else { return }
            let number = asked
            asked += 1
            Task { tell.yield(await self.ask(number, name)) }
            Task {
                try? await Task.sleep(for: Self.patience)
                tell.yield(.isSlow(number))
            }
        }
        askNext()
        for await outcome in outcomes {
            switch outcome {
            case .opened(let connection): return connection
            case .isSlow(let number): if number == asked - 1 { askNext() }
            case .failed(let error):
                failures.append(error)
                if failures.count == places.count { throw telling(failures) }
                askNext()
            }
        }
        throw BrokerError(.closed, "the connecting was given up")
    }

    private func ask(_ number: Int, _ name: String) async -> Outcome {
        let place = places[number]
        do throws(BrokerError) {
            let connection = try await BrokerConnection.open(place, name: name) { [self] in
                guard taken.withLock({ $0 == number }) else { return }
                BrokerTrust.lose(place)
                closed()
            }
            // What has ended before it is taken tells nobody.
            let isTaken = taken.withLock { taken in
                guard taken == nil, !connection.hasEnded else { return false }
                taken = number
                return true
            }
            guard isTaken else {
                BrokerConnection.onThreadOfItsOwn { connection.close() }
                return .failed(BrokerError(.closed, "the connection to \(place.address) has ended"))
            }
            return .opened(connection)
        } catch {
            BrokerTrust.lose(place)
            return .failed(error)
        }
    }

    /// One that answers and refuses says more than one that is not there.
    private func telling(_ failures: [BrokerError]) -> BrokerError {
        if let refusal = failures.first(where: { $0.code != .unreachable && $0.code != .closed }) { return refusal }
        let all = given.map(\.address.description).joined(separator: ", ")
        return BrokerError(.unreachable, "no broker answers at any of \(all): does nats-server run there?")
    }
}
