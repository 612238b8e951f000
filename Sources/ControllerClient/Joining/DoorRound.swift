import Connections
import WireProtocol

/// Knocks at the addresses of one room, each a little later than the one before, and goes in at the first door behind which
/// there is a seat (Happy Eyeballs, RFC 8305, section 5, with an order of ours).
///
/// It knows of no socket: what a door is, and how one knocks at it, is told.
struct DoorRound<Door: Sendable>: Sendable {
    /// Each further address is tried this much later, while none before has given a seat: a dead one costs as much, and
    /// one that opens and then says nothing costs no more.
    var stagger = Duration.milliseconds(150)
    /// While an address hangs, those where nobody was are tried again so often: of two hosts one may stand still, and the
    /// other be there only once the room is its own.
    var pause = Duration.milliseconds(500)
    /// Is cancelled where nobody waits for the door any more, and should end at once then.
    ///
    /// - Throws: ``JoinError``, or `CancellationError`.
    let knock: @Sendable (Endpoint) async throws -> Door
    /// Lets go of a door that nobody goes through.
    let close: @Sendable (Door) async -> Void

    private enum Heard: Sendable {
        case knock(Knock)
        case further([Endpoint])
        /// The deadline has come, as it was when the wait for it began.
        case late
    }

    /// What came of knocking at one address.
    private struct Knock: Sendable {
        var endpoint: Endpoint
        /// For the first time in this round, not again.
        var isFirst: Bool
        var outcome: Result<Door, JoinError>
    }

    /// What is inside the first door at which `ask` does not throw; all others are closed by then.
    ///
    /// - Parameters:
    ///   - further: tells, once all of the room's addresses should have been heard, which were.
    ///   - deadline: no door is waited for beyond it, and none is asked at.
    ///   - ask: closes the door itself where it throws; keeps to the deadline itself, and may move it.
    /// - Throws: the heaviest of what was said at the doors (``JoinError/weight``), that at this machine's own only where
    ///   nothing was said at another; `timedOut` where nobody said anything; at once what is no matter of one address,
    ///   and `CancellationError`.
    func enter<Inside>(
        _ ways: [Endpoint], further: (@Sendable () async -> [Endpoint])? = nil, by deadline: ContinuousClock.Instant,
        _ ask: (Door, inout ContinuousClock.Instant) async throws -> Inside
    ) async throws -> Inside {
        try await withThrowingTaskGroup(of: Heard.self) { round in
            for (place, endpoint) in ways.enumerated() {
                knock(at: endpoint, after: stagger * place, isFirst: true, &round)
            }
            if let further { round.addTask { .further(await further()) } }
            wait(until: deadline, &round)
            var awaited = ways.count + (further == nil ? 0 : 1)
            var isSearching = further != nil
            var deadline = deadline
            var toTell: JoinError?
            var tellsOfAnother = false
            do {
                while awaited > 0, ContinuousClock.now < deadline, let heard = try await round.next() {
                    switch heard {
                    case .late: wait(until: deadline, &round)
                    case .further(let all):
                        let more = all.filter { !ways.contains($0) }
                        awaited += more.count - 1
                        isSearching = false
                        for (place, endpoint) in more.enumerated() {
                            knock(at: endpoint, after: stagger * place, isFirst: true, &round)
                        }
                    case .knock(let knocked):
                        if knocked.isFirst { awaited -= 1 }
                        do {
                            let inside = try await ask(try knocked.outcome.get(), &deadline)
                            await hangUp(&round)
                            return inside
                        } catch let error as JoinError where error.isOfOneAddress {
                            let isOfAnother = !knocked.endpoint.isLoopback
                            let outweighs =
                                isOfAnother == tellsOfAnother ? error.weight > toTell?.weight ?? -1 : isOfAnother
                            if toTell == nil || outweighs {
                                toTell = error
                                tellsOfAnother = isOfAnother
                            }
                            // A host that is there, and has not got its room at present, has said when it may be asked again.
                            let mayBeAsked = error.code == .unreachable || awaited > (isSearching ? 1 : 0)
                            if error.isAbsence, mayBeAsked {
                                knock(at: knocked.endpoint, after: pause, isFirst: false, &round)
                            }
                        }
                    }
                }
            } catch {
                // A cancelled join too, whose waits end at once, has doors that open a moment later.
                await hangUp(&round)
                throw error
            }
            await hangUp(&round)
            throw toTell ?? JoinError(.timedOut, "there was no answer in time; try again, or wait longer")
        }
    }

    private func knock(
        at endpoint: Endpoint, after pause: Duration, isFirst: Bool,
        _ round: inout ThrowingTaskGroup<Heard, any Error>
    ) {
        round.addTask {
            try await Task.sleep(for: pause)
            do {
                return .knock(Knock(endpoint: endpoint, isFirst: isFirst, outcome: .success(try await knock(endpoint))))
            } catch let error as JoinError {
                return .knock(Knock(endpoint: endpoint, isFirst: isFirst, outcome: .failure(error)))
            }
        }
    }

    private func wait(
        until deadline: ContinuousClock.Instant, _ round: inout ThrowingTaskGroup<Heard, any Error>
    ) {
        round.addTask {
            try await Task.sleep(until: deadline, clock: .continuous)
            return .late
        }
    }

    private func hangUp(_ round: inout ThrowingTaskGroup<Heard, any Error>) async {
        round.cancelAll()
        while let result = await round.nextResult() {
            if case .success(.knock(let knock)) = result, case .success(let door) = knock.outcome { await close(door) }
        }
    }
}

extension Endpoint {
    /// Every ticket has this machine's own address too, where who reads it elsewhere finds nobody, or a room of theirs.
    fileprivate var isLoopback: Bool { host == "localhost" || PeerAddress(host: host, port: 0)?.isLoopback == true }
}
