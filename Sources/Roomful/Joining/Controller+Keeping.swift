import ControllerSession
import Synchronization
import WireProtocol

/// Keeping the seat for as long as the host gives it.
extension Controller {
    /// How often the host hears the last number sent.
    private static let statusInterval = Duration.seconds(2)

    /// What happens next to a seat.
    private enum Turn: Sendable {
        /// The host is not heard, for this reason.
        case lost(String)
        /// It was heard again, on the old link.
        case recovered
        /// It gave the seat again.
        case returned(Applicant.Seating)
        case over(Ending)
    }

    /// Runs until the stay in the room is over, or the task is cancelled.
    func keepSeat() async {
        while !Task.isCancelled {
            guard case let turn? = await untilTrouble() else { return }
            guard case .lost(let reason) = turn else { return end(turn) }
            desk.tell(.reconnecting(reason: reason))
            switch await comeBack() {
            case .recovered: desk.tell(.recovered)
            case .returned(let seating):
                // On a full disk the player plays on; only a restarted program will not find its seat.
                try? applicant.keep(seating.admission.secret, for: host.roomID)
                await take(seating)
            case .over(let ending): return end(.over(ending))
            case .lost, nil: return
            }
        }
    }

    private func end(_ turn: Turn) {
        guard case .over(let ending) = turn else { return }
        keeping.withLock { $0.isOver = true }
        if ending.code == .kicked { applicant.forget(host.roomID) }
        desk.tell(.ended(ending))
        desk.finish()
    }

    /// Waits for the link to fall silent or the host to say goodbye; tells it meanwhile what was sent.
    private func untilTrouble() async -> Turn? {
        let connection = keeping.withLock { $0.connection }
        return await firstTurn { race in
            race.addTask { await self.linkTrouble() }
            race.addTask { await self.farewell(on: connection) }
            race.addTask {
                while (try? await Task.sleep(for: Self.statusInterval)) != nil {
                    guard let lastSent = self.link.standing.value.lastSent else { continue }
                    connection.send(.status(LinkStatus(lastSent: lastSent)))
                }
                return nil
            }
        }
    }

    /// Asks for the seat again, while the link goes on sending: the old one may be heard again before.
    private func comeBack() async -> Turn? {
        let connection = keeping.withLock { $0.connection }
        return await firstTurn { race in
            race.addTask { await self.askUntilSeated() }
            race.addTask { await self.linkRecovery() }
            race.addTask { await self.farewell(on: connection, exceptReplaced: true) }
        }
    }

    private func askUntilSeated() async -> Turn? {
        let began = ContinuousClock.now
        var plan = ReturnPlan(patience: keeping.withLock { $0.patience })
        while true {
            let ways = keeping.withLock { $0.ways }
            let failure: JoinError
            do {
                return .returned(try await applicant.comeBack(to: host, by: ways, name: searchName))
            } catch let error as JoinError {
                failure = error
            } catch {
                return nil
            }
            if let refusal = failure.refusal {
                desk.tell(.refused(refusal))
                guard refusal.retryAfter != nil else { return .over(Ending(.refused, refusal.message)) }
            }
            let retryAfter = failure.refusal?.retryAfter.map { Duration.milliseconds($0) }
            switch plan.afterFailure(elapsed: ContinuousClock.now - began, retryAfter: retryAfter) {
            case .giveUp: return .over(Ending(giving: failure))
            case .wait(let duration): if (try? await Task.sleep(for: duration)) == nil { return nil }
            }
        }
    }

    private func linkTrouble() async -> Turn? {
        switch await link.standing.first(where: { $0.state.isTrouble })?.state {
        case .quiet: .lost("the host has not been heard for a second")
        case .exhausted: .lost("the link's numbers are used up")
        case .ended(let reason): .over(Ending(reason))
        case .closed, .live, .leaving, nil: nil
        }
    }

    private func linkRecovery() async -> Turn? {
        switch await link.standing.first(where: { $0.state.isEndOfSilence })?.state {
        case .live: .recovered
        case .ended(let reason): .over(Ending(reason))
        case .closed, .quiet, .exhausted, .leaving, nil: nil
        }
    }

    /// - Parameter exceptReplaced: a goodbye to the old connection, said because of our own return, ends nothing.
    private func farewell(on connection: ControlConnection, exceptReplaced: Bool = false) async -> Turn? {
        let heard = await connection.conversation.first { $0.farewell != nil || $0.isClosed }
        guard let farewell = heard?.farewell else { return nil }
        let reason = GoodbyeReason(word: farewell.reason)
        if exceptReplaced, reason == .replaced { return nil }
        return .over(Ending(reason, message: farewell.message))
    }

    /// The first turn that any of the tasks brings; the others are cancelled. A seat that came meanwhile counts most.
    private func firstTurn(_ addTasks: (inout TaskGroup<Turn?>) -> Void) async -> Turn? {
        await withTaskGroup(of: Turn?.self) { race in
            addTasks(&race)
            var result: Turn?
            for await turn in race {
                guard let turn else { continue }
                race.cancelAll()
                if case .returned = turn { result = turn }
                result = result ?? turn
            }
            return result
        }
    }
}

extension LinkState {
    /// The host is not heard any more, or has said goodbye.
    fileprivate var isTrouble: Bool {
        if case .ended = self { true } else { needsRejoin }
    }

    /// The host is heard again, or ended it for another reason than our own return.
    fileprivate var isEndOfSilence: Bool {
        switch self {
        case .live: true
        case .ended(let reason): reason != .replaced
        case .closed, .quiet, .exhausted, .leaving: false
        }
    }
}

extension Ending {
    /// The last answer, or its absence, after the host would have given the seat away.
    fileprivate init(giving error: JoinError) {
        let code: Code =
            switch error.code {
            case .refused: .refused
            case .untrusted, .pinChanged, .nameBelongsToAnother: .untrusted
            default: .unreachable
            }
        self.init(code, error.message)
    }
}
