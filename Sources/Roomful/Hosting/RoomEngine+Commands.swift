import InputMerge
import SessionCoordinator
import WireProtocol

extension RoomEngine {
    /// Carries out what an operator or a game asks.
    mutating func carryOut(
        _ command: RoomCommand, now: HostTime, kernelDrops: Int?
    ) -> Result<RoomAnswer, RoomError> {
        switch command {
        case .alive: return .success(.done)
        case .status(let minute):
            return .success(.status(loopStatus(now: now, kernelDrops: kernelDrops, minute: minute)))
        case .teaching(let command): return carryOut(teaching: command, now: now)
        case .deliver(let delivery, let who, let stream, let batches):
            return find(who).flatMap { peer in
                let problem = deliver(delivery, of: StreamKey(peer: peer, stream: stream), to: batches)
                return problem.map { .failure($0) } ?? .success(.done)
            }
        case .hello: return .success(.players(players(now: now)))
        case .motion(let player):
            return .success(.motion(sink.merge.state(of: player, at: now).map { event($0, of: player) }))
        case .departed: return .success(.peers(departed))
        case .peers(nil, let minute): return .success(.peers(peers(now: now, minute: minute)))
        case .peers(let who?, _):
            return onPeer(who) { engine, peer in
                .peers(engine.coordinator.report(of: peer, now: now).map { [engine.detailed($0, now: now)] } ?? [])
            }
        case .frames(let who): return latency(who, now: now)
        case .offer(let terms): return offer(terms, now: now)
        case .endOffer(let id, let refusal):
            coordinator.endOffer(id, refusal)
            perform(coordinator.takeActions(), now: now)
            return .success(.done)
        case .accept(let who): return settle(coordinator.accept(who, now: now), who, now: now)
        case .decline(let who, let message): return settle(coordinator.decline(who, message: message), who, now: now)
        case .kick(let who, let message):
            return onPeer(who) { engine, peer in
                engine.perform(engine.coordinator.kick(peer, message: message, now: now), now: now)
                return .done
            }
        case .lock:
            perform(coordinator.lock(now: now), now: now)
            return .success(.done)
        case .unlock:
            perform(coordinator.unlock(now: now), now: now)
            return .success(.done)
        case .identify(let who): return onPeer(who) { engine, peer in engine.coordinator.identify(peer) ? .done : nil }
        case .rezero(let who):
            return onPeer(who) { engine, peer in
                guard let report = engine.coordinator.report(of: peer, now: now) else { return nil }
                engine.sink.merge.rezero(player: report.player)
                return .done
            }
        case .move(let who, let seat):
            return find(who).flatMap { settle(coordinator.move($0, to: seat, now: now), who, now: now) }
        case .swap(let who, let other):
            return find(who).flatMap { peer in
                find(other).flatMap { other in
                    guard let seat = coordinator.report(of: other, now: now)?.seat else { return .success(.done) }
                    return settle(coordinator.move(peer, to: seat, now: now), who, now: now)
                }
            }
        case .rename(let who, let name):
            return find(who).flatMap { settle(coordinator.rename($0, to: name, now: now), who, now: now) }
        case .play(let who, let intensity, let sharpness, let duration, let gesture):
            return onPeer(who) { engine, peer in
                engine.play(
                    intensity: intensity, sharpness: sharpness, duration: duration, on: peer,
                    answering: gesture.flatMap { GestureID($0) }, now: now) ? .done : nil
            }
        case .send(let bytes, let who):
            return onPeer(who) { engine, peer in engine.coordinator.send(.application(bytes), to: peer) ? .done : nil }
        case .sendNewest(let bytes, let channel, let who):
            return onPeer(who) { engine, peer in
                engine.coordinator.sendNewest(bytes, channel: channel, to: peer) ? .done : nil
            }
        }
    }

    /// The frames of one peer, or of all; from now on they are kept in a large room too.
    private mutating func latency(_ who: String?, now: HostTime) -> Result<RoomAnswer, RoomError> {
        sink.logsFrames = true
        func latency(_ report: PeerReport) -> PeerLatency {
            let delays = sink.delays.indices.contains(report.peer) ? sink.delays[report.peer] : nil
            return PeerLatency(status(report), frames: delays?.frames.frames ?? [])
        }
        guard let who else { return .success(.latency(coordinator.reports(now: now).map(latency))) }
        return find(who).map { peer in .latency(coordinator.report(of: peer, now: now).map { [latency($0)] } ?? []) }
    }

    /// With everything that is told only of one peer at a time.
    private func detailed(_ report: PeerReport, now: HostTime) -> PeerStatus {
        var status = status(report)
        status.detail = coordinator.detail(of: report.peer, now: now).map {
            PeerStatus.Detail(
                $0, report: report, sensors: sink.merge.sensors(of: report.peer),
                sensitivity: sink.merge.sensitivity(of: report.player), openedAt: openedAt)
        }
        return status
    }

    private func peers(now: HostTime, minute: Bool) -> [PeerStatus] {
        coordinator.reports(now: now).map { report in
            var status = status(report)
            guard minute, let glance = coordinator.glance(at: report.peer, now: now) else { return status }
            status.recent = PeerStatus.Recent(glance, of: status, report)
            return status
        }
    }

    private mutating func offer(_ terms: OfferTerms, now: HostTime) -> Result<RoomAnswer, RoomError> {
        let offer = Offer(
            id: terms.id, controller: terms.controller, seat: terms.seat, ticketHash: terms.ticketHash,
            expiresAt: now + terms.timeout)
        let answer = coordinator.offer(offer, now: now)
        perform(coordinator.takeActions(), now: now)
        return answer.map { .offer($0) }.mapError { RoomError($0, who: nil) }
    }

    private func find(_ who: String) -> Result<PeerIndex, RoomError> {
        coordinator.find(who).mapError { RoomError($0, who: who) }
    }

    private mutating func onPeer(
        _ who: String, _ body: (inout RoomEngine, PeerIndex) -> RoomAnswer?
    ) -> Result<RoomAnswer, RoomError> {
        switch coordinator.find(who) {
        case .failure(let error): return .failure(RoomError(error, who: who))
        case .success(let peer):
            return body(&self, peer).map { .success($0) }
                ?? .failure(
                    RoomError(.full, "\"\(who)\" cannot be told: too long, too much waits, or it cannot do that."))
        }
    }

    private mutating func settle(
        _ result: Result<[Action], OperatorError>, _ who: String?, now: HostTime
    ) -> Result<RoomAnswer, RoomError> {
        switch result {
        case .failure(let error): return .failure(RoomError(error, who: who))
        case .success(let actions):
            perform(actions, now: now)
            return .success(.done)
        }
    }

    private func players(now: HostTime) -> [RoomEvent.Player] {
        coordinator.reports(now: now).map { report in
            RoomEvent.Player(
                at: milliseconds(now), player: report.player, state: report.seatState == "lost" ? .lost : .joined,
                name: report.name, color: colorText(report.color), controllers: [report.controller.description])
        }
    }

    private func loopStatus(now: HostTime, kernelDrops: Int?, minute: Bool) -> LoopStatus {
        LoopStatus(
            freeSeats: coordinator.freeSeats, isLocked: coordinator.isLocked,
            peers: peers(now: now, minute: minute), waiting: coordinator.waiting.map(\.name),
            strangers: RoomStatus.Strangers(
                badAuth: Int(coordinator.strangers.badAuth), unknown: Int(coordinator.strangers.unknown),
                malformed: Int(coordinator.strangers.malformed), kernelDrops: kernelDrops))
    }

    func status(_ report: PeerReport) -> PeerStatus {
        let delays = sink.delays.indices.contains(report.peer) ? sink.delays[report.peer] : nil
        return PeerStatus(
            name: report.name, controller: report.controller.description, seat: report.seat, player: report.player,
            color: colorText(report.color), state: report.seatState, link: report.link.rawValue,
            transport: report.transport.rawValue,
            address: report.address?.description, lastHeardMs: Double(report.silentFor) / 1e6,
            datagrams: PeerStatus.Datagrams(report), samples: PeerStatus.Samples(report),
            jitterMs: Double(report.jitter) / 1e6, roundTripMs: report.roundTrip.map { Double($0) / 1e6 },
            delay: delays.flatMap { .init($0.oneWay) }, queueing: delays.flatMap { .init($0.queueing) },
            quality: report.quality,
            clock: .init(
                state: report.clock?.state.rawValue ?? "none",
                uncertaintyMs: report.clock?.uncertaintyNanoseconds.map { Double($0) / 1e6 }),
            sensor: report.sensor)
    }
}

extension PeerStatus.Datagrams {
    fileprivate init(_ report: PeerReport) {
        let totals = report.datagrams
        let isNumbered = report.transport.countsLosses
        self.init(
            sent: totals.epochs == 1 && report.lastSent != nil ? Int(totals.expected + totals.tailMissing) : nil,
            authenticated: Int(totals.authenticated), expected: isNumbered ? Int(totals.expected) : nil,
            unique: Int(totals.unique), missing: isNumbered ? Int(totals.missing) : nil,
            tailMissing: isNumbered ? Int(totals.tailMissing) : nil, duplicate: Int(totals.duplicate),
            tooOld: Int(totals.tooOld), reordered: Int(totals.reordered), unreadable: Int(totals.unreadable),
            rateLimited: Int(totals.rateLimited),
            bytes: Int(totals.bytes), epochs: Int(totals.epochs))
    }
}

extension PeerStatus.Samples {
    fileprivate init(_ report: PeerReport) {
        let totals = report.samples
        let isNumbered = report.transport.numbersSamples
        self.init(
            expected: isNumbered ? Int(totals.expected) : nil, delivered: Int(totals.delivered), late: Int(totals.late),
            abandoned: Int(totals.abandoned), missing: isNumbered ? Int(totals.missing) : nil,
            redundant: Int(totals.redundant),
            epochs: Int(totals.epochs))
    }
}

extension RoomError {
    init(_ error: OperatorError, who: String?) {
        let called = who.map { "\"\($0)\"" } ?? "that"
        switch error {
        case .notFound(let present):
            self.init(
                .notFound,
                present.isEmpty
                    ? "nobody is here"
                    : "nobody is called \(called); here are: "
                        + present.joined(separator: ", "), candidates: present)
        case .ambiguous(let candidates):
            self.init(
                .ambiguous, "\(called) could be any of: " + candidates.joined(separator: ", "), candidates: candidates)
        case .nobodyAsks: self.init(.nobodyAsks, "nobody waits to be let in")
        case .noSuchSeat(let seat, let seats):
            self.init(.badOption, "there is no seat \(seat): this room has seats 1 to \(seats)")
        case .badName: self.init(.badOption, "a name has 1 to 63 bytes")
        case .full: self.init(.full, "every seat is taken; free one with: roomful kick WHO")
        }
    }
}
