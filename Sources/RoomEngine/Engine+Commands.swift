import InputMerge
import SessionCoordinator
import WireProtocol

extension Engine {
    /// Carries out what an operator or a game asks.
    mutating func carryOut(_ command: RoomCommand, now: HostTime) -> Result<RoomAnswer, RoomError> {
        if let absence = absence(command) { return .failure(absence) }
        switch command {
        case .alive: return .success(.done)
        case .status(let minute):
            return .success(.status(roomState(now: now, minute: minute)))
        case .teaching(let command): return carryOut(teaching: command, now: now)
        case .detect(let gestures): return detect(gestures)
        case .deliver(let delivery, let who, let stream, let listener):
            return find(who).flatMap { peer in
                let problem = deliver(delivery, of: StreamKey(peer: peer, stream: stream), to: listener)
                return problem.map { .failure($0) } ?? .success(.done)
            }
        case .players: return .success(.players(players(now: now), queue: queue))
        case .motion(let player):
            return .success(.motion(sink.merge.state(of: player, at: now)))
        case .watermarks:
            return .success(
                .watermarks(
                    at: now, sink.merge.watermarks, watched: configuration.merge.gestures.map(\.kind)))
        case .departed: return .success(.peers(departed))
        case .peers(nil, let minute): return .success(.peers(peers(now: now, minute: minute)))
        case .peers(let who?, _):
            return find(who).map { peer in
                .peers(coordinator.report(of: peer, now: now).map { [detailed($0, now: now)] } ?? [])
            }
        case .frames(let who): return frames(who, now: now)
        case .offer(let terms): return offer(terms, now: now)
        case .endOffer(let id, let refusal):
            coordinator.endOffer(id, refusal)
            perform(coordinator.takeActions(), now: now)
            return .success(.done)
        case .accept(let who): return accept(who, now: now)
        case .decline(let who, let message):
            return settle(coordinator.decline(who, message: message, now: now), who, now: now)
        case .kick(let who, let message):
            return find(who).map { peer -> RoomAnswer in
                perform(coordinator.kick(peer, message: message, now: now), now: now)
                return .done
            }
        case .luggage(let who): return find(who).flatMap { luggage(of: $0, now: now) }
        case .depart(let who, let message):
            return find(who).map { peer -> RoomAnswer in
                perform(coordinator.depart(peer, message: message, now: now), now: now)
                return .done
            }
        case .lock:
            perform(coordinator.lock(now: now), now: now)
            return .success(.done)
        case .unlock:
            perform(coordinator.unlock(now: now), now: now)
            return .success(.done)
        case .change(let terms): return adopt(terms, now: now)
        case .identify(let who):
            // A player's lost controller would show itself when it comes back, and nobody looks then.
            return onEach(who) { engine, peer in engine.isLost(peer) || engine.coordinator.identify(peer) }
        case .rezero(let who):
            return coordinator.findAll(who).mapError { RoomError($0, who: who) }.map { peers -> RoomAnswer in
                // Any of a player's controllers stands for the player.
                if let sitter = peers.first.flatMap({ coordinator.sitter(at: $0) }) {
                    sink.tell { $0.rezero(player: sitter.player) }
                }
                return .done
            }
        case .move(let who, let seat):
            return find(who).flatMap { move($0, to: seat, who, now: now) }
        case .swap(let who, let other):
            return find(who).flatMap { peer in
                find(other).flatMap { other in
                    guard peer != other else {
                        return .failure(RoomError(.badOption, "both are the same controller: say two, P1 P2"))
                    }
                    guard let seat = coordinator.sitter(at: other)?.seat else { return .success(.done) }
                    return move(peer, to: seat, who, now: now)
                }
            }
        case .rename(let who, let name):
            return find(who).flatMap { settle(coordinator.rename($0, to: name, now: now), who, now: now) }
        case .play(let who, let intensity, let sharpness, let duration, let gesture):
            return onEach(who) { engine, peer in
                engine.play(
                    intensity: intensity, sharpness: sharpness, duration: duration, on: peer,
                    answering: gesture.flatMap { GestureID($0) }, now: now)
            }
        case .send(let bytes, let who):
            return onEach(who) { engine, peer in engine.coordinator.send(.application(bytes), to: peer) }
        case .sendNewest(let bytes, let channel, let who):
            return onEach(who) { engine, peer in
                engine.coordinator.sendNewest(bytes, channel: channel, to: peer)
            }
        }
    }

    /// The frames of one peer, or of all; from now on they are kept in a large room too.
    private mutating func frames(_ who: String?, now: HostTime) -> Result<RoomAnswer, RoomError> {
        framesAreAsked = true
        decideFrameLog()
        func frames(_ report: PeerReport) -> PeerFrames {
            let log = sink.delays(of: report.peer)?.frames.frames ?? []
            // Where its clock was set meanwhile, older stamps are of another one.
            let began = coordinator.clockBegan(of: report.peer) ?? .distantFuture
            return PeerFrames(state: state(report), frames: log.filter { $0.arrivedAt >= began })
        }
        guard let who else { return .success(.frames(coordinator.reports(now: now).map(frames))) }
        return find(who).map { peer in .frames(coordinator.report(of: peer, now: now).map { [frames($0)] } ?? []) }
    }

    /// With everything that is told only of one peer at a time.
    private func detailed(_ report: PeerReport, now: HostTime) -> PeerState {
        var state = state(report)
        state.detail = coordinator.detail(of: report.peer, now: now).map {
            PeerState.Detail(
                detail: $0, sensors: sink.merge.sensors(of: report.peer),
                sensitivity: sink.merge.sensitivity(of: report.player))
        }
        return state
    }

    private func peers(now: HostTime, minute: Bool) -> [PeerState] {
        coordinator.reports(now: now).map { report in
            var state = state(report)
            if minute { state.glance = coordinator.glance(at: report.peer, now: now) }
            return state
        }
    }

    private mutating func offer(_ terms: OfferTerms, now: HostTime) -> Result<RoomAnswer, RoomError> {
        let offer = Offer(
            id: terms.id, controller: terms.controller, seat: terms.seat, ticketHash: terms.ticketHash,
            expiresAt: now + terms.timeout, player: terms.player)
        let answer = coordinator.offer(offer, now: now)
        if case .success(terms.id) = answer, var brought = terms.talents {
            // Another host wrote them. What could not be called so here stays behind, and who brings it is welcome.
            brought.gestures.removeAll { nameProblem($0.kind.rawValue) != nil }
            travellers.append(Traveller(offer: terms.id, controller: terms.controller, talents: brought))
        }
        perform(coordinator.takeActions(), now: now)
        return answer.map { .offer($0) }.mapError { RoomError($0, who: nil) }
    }

    private func luggage(of peer: PeerIndex, now: HostTime) -> Result<RoomAnswer, RoomError> {
        guard let report = coordinator.report(of: peer, now: now) else {
            return .failure(RoomError(.notFound, "it has just left"))
        }
        return .success(
            .luggage(
                Luggage(
                    controller: report.controller, number: report.player,
                    player: MovingPlayer(name: report.name, color: report.color),
                    talents: talents[report.controller] ?? PlayerTalents(), transport: report.transport,
                    conversation: coordinator.conversation(of: peer))))
    }

    /// An invitation has ended. Whoever came by it has what it brought.
    mutating func settle(_ id: OfferID, _ outcome: OfferOutcome) {
        guard let place = travellers.firstIndex(where: { $0.offer == id }) else { return }
        let traveller = travellers.remove(at: place)
        guard case .accepted = outcome else { return }
        talents[traveller.controller] = traveller.talents.isEmpty ? nil : traveller.talents
        outputs.append(.keep(traveller.controller, traveller.talents))
        refreshTalents()
    }

    private func find(_ who: String) -> Result<PeerIndex, RoomError> {
        coordinator.find(who).mapError { RoomError($0, who: who) }
    }

    /// Tells a player something: each of its controllers. One that cannot be told keeps no other from it.
    private mutating func onEach(
        _ who: String, _ tell: (inout Engine, PeerIndex) -> Bool
    ) -> Result<RoomAnswer, RoomError> {
        switch coordinator.findAll(who) {
        case .failure(let error): return .failure(RoomError(error, who: who))
        case .success(let peers):
            var areTold = true
            for peer in peers {
                let isTold = tell(&self, peer)
                areTold = areTold && isTold
            }
            return areTold ? .success(.done) : .failure(Self.cannotBeTold(who))
        }
    }

    private static func cannotBeTold(_ who: String) -> RoomError {
        RoomError(.full, "\"\(who)\" cannot be told: too long, too much waits, or it cannot do that.")
    }

    mutating func settle(
        _ result: Result<[Action], OperatorError>, _ who: String?, now: HostTime
    ) -> Result<RoomAnswer, RoomError> {
        switch result {
        case .failure(let error): return .failure(RoomError(error, who: who))
        case .success(let actions):
            perform(actions, now: now)
            return .success(.done)
        }
    }

    private mutating func move(
        _ peer: PeerIndex, to seat: Int, _ who: String, now: HostTime
    ) -> Result<RoomAnswer, RoomError> {
        // What somebody has shown already is kept for who has shown it.
        tellPending(now: now)
        return settle(coordinator.move(peer, to: seat, now: now), who, now: now)
    }

    private func players(now: HostTime) -> [RoomEvent.Player] {
        coordinator.reports(now: now).map { report in
            RoomEvent.Player(
                at: now, player: report.player, state: report.seatState == .lost ? .lost : .joined, name: report.name,
                color: report.color, controllers: [report.controller])
        }
    }

    private var queue: [Occurrence.QueueChange] {
        coordinator.newcomers.compactMap { newcomer in
            newcomer.place.map {
                .init(state: .queued, controller: newcomer.controller, name: newcomer.name, place: $0)
            }
        }
    }

    private func roomState(now: HostTime, minute: Bool) -> RoomState {
        RoomState(
            freeSeats: coordinator.freeSeats, isLocked: coordinator.isLocked, peers: peers(now: now, minute: minute),
            newcomers: coordinator.newcomers, strangers: coordinator.strangers, classified: classified(now: now))
    }

    func state(_ report: PeerReport) -> PeerState {
        let delays = sink.delays(of: report.peer)
        return PeerState(
            report: report, oneWay: delays.flatMap { DelaySummary($0.oneWay) },
            oneWayUncertainty: delays?.oneWayUncertainty,
            queueing: delays.flatMap { DelaySummary($0.queueing) },
            submersion: sink.merge.submersion(of: report.peer))
    }
}
