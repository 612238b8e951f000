import Connections
import ControllerSession
import Synchronization
import WireProtocol

/// Getting a control connection again that is gone while the link lives: cut by whoever it led through, or forgotten there.
extension Controller {
    /// So long after the control connection is gone the link lives only where the host does.
    private static let cutOffPatience = Duration.seconds(5)
    /// A control connection that something cuts again and again is asked for no more often.
    private static let reconnectInterval = Duration.seconds(30)
    /// Of a host that has replaced the link the answer is on its way: what takes longer is lost, or as good as that.
    private static let answerPatience = Duration.seconds(1)

    /// Waits until the control connection is gone without a goodbye, and then whether the link lives on.
    func cutOff(from connection: ControlConnection) async -> Turn? {
        let heard = await connection.conversation.first { $0.farewell != nil || $0.isClosed }
        guard let heard, heard.farewell == nil else { return nil }
        let askedAt = keeping.withLock { $0.reconnectedAt }
        let calm = askedAt.map { $0 + Self.reconnectInterval - ContinuousClock.now } ?? .zero
        guard (try? await Task.sleep(for: max(Self.cutOffPatience, calm))) != nil,
            case .live = link.standing.value.state
        else { return nil }
        return .cutOff
    }

    /// Asks for the seat once: with it comes a control connection, on which the host can tell of another room or name.
    /// Where that fails, the link goes on as it was; where the link is in trouble meanwhile, nobody waits for it here.
    func reconnect() async {
        keeping.withLock { $0.reconnectedAt = ContinuousClock.now }
        let turn = await firstTurn { race in
            race.addTask {
                guard let seating = try? await self.askAgain() else { return .recovered }
                return .returned(seating)
            }
            race.addTask { await self.troubleWhileAsked() }
        }
        if case .returned(let seating)? = turn { await resume(in: seating) }
        // One that took long is followed by none at once.
        keeping.withLock { $0.reconnectedAt = ContinuousClock.now }
    }

    /// What befalls the link while the host is asked: its answer may be lost, and the link that it has begun by it unknown.
    private func troubleWhileAsked() async -> Turn? {
        guard let trouble = await linkTrouble() else { return nil }
        if case .over(let ending) = trouble, ending.code == .replaced {
            guard (try? await Task.sleep(for: Self.answerPatience)) != nil else { return nil }
        }
        if hasAsked.value { keeping.withLock { $0.plan.abandoned(at: DeviceClock.now()) } }
        return trouble
    }

    /// Asks the host once for the seat that was had there, and notes whether it has said yes or no.
    func askAgain() async throws -> Applicant.Seating {
        let (stay, address, known, limits) = keeping.withLock { keeping in
            keeping.attempts.begin(at: .now)
            return (keeping.stay, keeping.connection.address, keeping.ways, AnswerLimits(keeping.plan))
        }
        let ways = known + newWays(beside: known, since: address)
        do {
            let seating = try await stay.applicant.comeBack(
                to: stay.host, by: ways, limits: limits, hasAsked: hasAsked)
            keeping.withLock { $0.attempts.conclude() }
            return seating
        } catch {
            if (error as? JoinError)?.refusal != nil { keeping.withLock { $0.attempts.conclude() } }
            throw error
        }
    }

    /// Where the host's datagrams come from, if it has another address by now: whoever is there, TLS finds out.
    private func newWays(beside known: [Endpoint], since old: PeerAddress) -> [Endpoint] {
        guard let new = link.standing.value.heardFrom, new.bare != old.bare else { return [] }
        let way = Endpoint(host: new.host, port: Int(old.port))
        return known.contains(way) ? [] : [way]
    }

    /// Whether the host gave seats for as long as it keeps one, and no datagram of it came in any of them.
    var isHopeless: Bool {
        let wasHeard = link.standing.value.isHeard
        return keeping.withLock { $0.plan.isHopeless(wasHeard: wasHeard, at: DeviceClock.now()) }
    }

    /// Gives such a seat back, by the only way that there is.
    func giveBack() -> Ending {
        let (connection, lastSent) = (keeping.withLock { $0.connection }, link.standing.value.lastSent)
        connection.send(.goodbye(Farewell(reason: .left, lastSent: lastSent)))
        applicant.forget(host.roomID)
        return Ending(.unreachable, Self.unheard)
    }

    /// Plays on in the seat that was given again.
    func resume(in seating: Applicant.Seating) async {
        // On a full disk the player plays on; until there is room again, a restarted program will not find its seat.
        try? applicant.keep(seating.admission.secret, for: host.roomID)
        await take(seating)
    }
}
