import Connections
import ControllerSession
import Synchronization
import WireProtocol

/// Keeping the seat for as long as the host gives it.
extension Controller {
    /// How often the host hears the last number sent: seldom, as a word on the control connection costs it far more than a
    /// datagram does.
    private static let statusInterval = Duration.seconds(2)
    /// How long the words of a goodbye may come after the goodbye itself. Nothing is waited for where the control
    /// connection is known to be gone; a lost segment is sent again after a second or more (RFC 6298).
    private static let wordsLimit = Duration.seconds(3)

    /// What happens next to a seat.
    enum Turn: Sendable {
        /// The host is not heard, for this reason.
        case lost(String)
        /// The control connection is gone, and the link lives.
        case cutOff
        /// It was heard again, on the old link.
        case recovered
        /// It gave the seat again.
        case returned(Applicant.Seating)
        /// Another room keeps a seat.
        case called(RoomOffer)
        case over(Ending)
    }

    /// Runs until the stay in the room is over, or the task is cancelled.
    func keepSeat() async {
        while !Task.isCancelled {
            guard case let turn? = recognised(await untilTrouble()) else { return }
            if case .called(let offer) = turn {
                await follow(offer)
                continue
            }
            if case .cutOff = turn {
                await reconnect()
                continue
            }
            guard case .lost(let reason) = turn else { return end(turn) }
            if isHopeless { return end(.over(giveBack())) }
            desk.tell(.reconnecting(reason: reason))
            switch await comeBack() {
            case .recovered: desk.tell(.recovered)
            case .returned(let seating):
                let continues = seating.admission.continues || !link.standing.value.isHeard
                keeping.withLock { $0.plan.concluded(at: DeviceClock.now(), continues: continues) }
                await resume(in: seating)
            case .over(let ending): return end(.over(ending))
            case .lost, .cutOff, .called, nil: return
            }
        }
    }

    /// What the controller's own earlier attempt has done is no reason to end.
    private func recognised(_ turn: Turn?) -> Turn? {
        guard case .over(let ending)? = turn, ending.code == .replaced,
            keeping.withLock({ $0.attempts.explainReplacement(at: .now) })
        else { return turn }
        return .lost("an earlier attempt of this controller to come back has only now reached the host")
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
        let turn = await firstTurn { race in
            race.addTask {
                let trouble = await self.linkTrouble()
                // What a dead link lost shows by this alone, while there is another way.
                if case .lost = trouble { self.tellLastSent(on: connection) }
                return trouble
            }
            race.addTask { await self.farewell(on: connection) }
            race.addTask { await self.offer(on: connection) }
            race.addTask { await self.cutOff(from: connection) }
            race.addTask {
                await self.takeNews(from: connection)
                return nil
            }
            race.addTask {
                var before: UInt32?
                while (try? await Task.sleep(for: Self.statusInterval)) != nil {
                    self.applicant.keepOwed()
                    let standing = self.link.standing.value
                    defer { before = standing.lastSent }
                    // A host that hears the datagrams knows from their numbers what is missing.
                    if let before, let heard = standing.lastHeard, heard >= before { continue }
                    self.tellLastSent(on: connection)
                }
                return nil
            }
        }
        return await inWords(turn, on: connection)
    }

    /// Takes in what the host calls the controller, and whether it records the room, whenever that changes.
    private func takeNews(from connection: ControlConnection) async {
        var (name, isRecorded): (String?, Bool?) = (nil, nil)
        while true {
            let heard = await connection.conversation.first { [name, isRecorded] in
                $0.newName != name || $0.isRecorded != isRecorded
            }
            guard let heard else { return }
            (name, isRecorded) = (heard.newName, heard.isRecorded)
            if let name { desk.rename(to: name) }
            if let isRecorded { desk.note(isRecorded: isRecorded) }
        }
    }

    private func tellLastSent(on connection: ControlConnection) {
        guard let lastSent = link.standing.value.lastSent else { return }
        connection.send(.status(LinkStatus(lastSent: lastSent)))
    }

    /// Asks for the seat again, while the link goes on sending: the old one may be heard again before. An invitation that
    /// is on its way is waited for all the same, as the host will answer it with another link.
    private func comeBack() async -> Turn? {
        let connection = keeping.withLock { $0.connection }
        let turn = await firstTurn { race in
            race.addTask { await self.askUntilSeated() }
            race.addTask { await self.linkRecovery() }
            race.addTask { await self.farewell(on: connection, exceptReplaced: true) }
        }
        return await inWords(turn, on: connection)
    }

    private func askUntilSeated() async -> Turn? {
        var wait = keeping.withLock { $0.plan.begin(at: DeviceClock.now()) }
        var told = ""
        while (try? await Task.sleep(for: wait)) != nil {
            let failure: JoinError
            do {
                return .returned(try await askAgain())
            } catch let error as JoinError {
                failure = error
            } catch {
                return nil
            }
            if failure.refusal == nil, failure.message != told {
                told = failure.message
                desk.tell(.reconnecting(reason: told))
            }
            if let refusal = failure.refusal {
                desk.tell(.refused(refusal))
                guard refusal.retryAfter != nil else { return .over(Ending(.refused, refusal.message)) }
            }
            switch keeping.withLock({ $0.plan.failed(at: DeviceClock.now(), ReturnPlan.Failure(failure)) }) {
            case .giveUp: return .over(Ending(giving: failure))
            case .wait(let duration): wait = duration
            }
        }
        return nil
    }

    func linkTrouble() async -> Turn? {
        let standing = await link.standing.first(where: { $0.state.isTrouble })
        let isHeard = standing?.isHeard ?? true
        // Whoever has said that it closes for a while is silent for that.
        let hasPaused = keeping.withLock { $0.hasPaused }
        return switch standing?.state {
        case .quiet where !isHeard && !hasPaused: .lost(Self.unheard)
        case .quiet(let since): .lost("the host has not been heard for \(Self.seconds(since: since))")
        case .exhausted: .lost("the link's numbers are used up")
        case .ended(let reason): .over(Ending(reason))
        case .closed, .live, .leaving, nil: nil
        }
    }

    /// Why a seat without a link is of no use.
    static let unheard = "the host answers by TCP, but no datagram of it has come: does a firewall between stop UDP?"

    /// In words, whole seconds.
    private static func seconds(since time: DeviceTime) -> String {
        let count = max(1, Int((DeviceClock.now() - time).milliseconds / 1_000))
        return count == 1 ? "a second" : "\(count) s"
    }

    private func linkRecovery() async -> Turn? {
        while true {
            switch await link.standing.first(where: { $0.state.isEndOfSilence })?.state {
            case .live:
                guard hasAsked.value else { return .recovered }
                guard await hasAsked.first(where: { !$0 }) != nil else { return nil }
            case .ended(let reason): return .over(Ending(reason))
            case .closed, .quiet, .exhausted, .leaving, nil: return nil
            }
        }
    }

    /// - Parameter exceptReplaced: a goodbye to the old connection, said because of our own return, ends nothing.
    private func farewell(on connection: ControlConnection, exceptReplaced: Bool = false) async -> Turn? {
        let heard = await connection.conversation.first { $0.farewell != nil || $0.isClosed }
        guard let farewell = heard?.farewell else {
            if heard?.isClosed == true { link.controlHungUp() }
            return nil
        }
        let reason = GoodbyeReason(farewell.reason)
        if exceptReplaced, reason == .replaced || farewell.backIn != nil { return nil }
        if reason == .closing, let backIn = farewell.backIn {
            // The seat is asked for at once, and for so much longer. Once: a host that said so and is heard all the same has
            // not gone yet.
            let isNews = keeping.withLock { keeping in
                defer { keeping.hasPaused = true }
                if !keeping.hasPaused { keeping.plan.patience += .milliseconds(backIn) }
                return !keeping.hasPaused
            }
            guard isNews else { return nil }
            link.controlPaused()
            desk.tell(.reconnecting(reason: "the room is closed, and means to be back in \(backIn / 1_000) s"))
            return nil
        }
        return .over(Ending(reason, message: farewell.message))
    }

    /// A goodbye on the link has no room for words, and mostly comes first: they are said on the control connection.
    private func inWords(_ turn: Turn?, on connection: ControlConnection) async -> Turn? {
        guard case .over(let ending)? = turn, case .ended(let reason) = link.standing.value.state,
            ending == Ending(reason)
        else { return turn }
        let heard = await connection.conversation.first(within: Self.wordsLimit) { $0.farewell != nil || $0.isClosed }
        guard let farewell = heard?.farewell, GoodbyeReason(farewell.reason) == reason, farewell.backIn == nil
        else { return turn }
        return .over(Ending(reason, message: farewell.message))
    }

    /// The first turn that any of the tasks brings; the others are cancelled. A seat that came meanwhile counts most.
    func firstTurn(_ addTasks: (inout TaskGroup<Turn?>) -> Void) async -> Turn? {
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

extension ReturnPlan.Failure {
    fileprivate init(_ error: JoinError) {
        if let refusal = error.refusal {
            self = .refused(retryAfter: refusal.retryAfter.map { .milliseconds($0) })
        } else {
            self = error.isLate ? .tooSlow : .unreachable
        }
    }
}
