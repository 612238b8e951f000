import InputMerge
import SessionCoordinator
import WireProtocol

/// What the coordinator wants done.
extension Engine {
    mutating func perform(_ actions: [Action], now: HostTime) {
        for action in actions {
            switch action {
            case .answer(let conversation, let message): outputs.append(.say(conversation, message))
            case .close(let conversation): outputs.append(.close(conversation))
            case .commit(let changes, let conversation, let message):
                outputs.append(.commit(changes, thenSay: conversation, message))
            case .assign(let peer, let controller, let players): assign(peer, of: controller, to: players, now: now)
            case .unassign(let peer):
                sink.unassign(peer, now: now)
                tellPending(now: now)
            case .restart(let peer): sink.restart(peer)
            case .opened(let peer):
                buttonsDue.append(peer)
                tellDetection(to: peer)
            // Mostly they are taken before what the host sees is told.
            case .found(let peer, let find, let at): claim(find, of: peer, at: at, now: now)
            case .felt(let peer, let id, let at): noteFelt(id, on: peer, at: at)
            case .forget(let peer, let controller): forget(controller, at: peer, now: now)
            case .occurred(let occurrence, let time): tell(occurrence, at: time)
            // It says how it is held itself; how the others of its player are, it does not know.
            case .rezero(let peer): sink.tell { $0.rezero(peer: peer) }
            case .mark(let peer, let text, let time):
                outputs.append(.mark(text, at: time, by: controller(peer), of: player(of: peer)))
            case .marksDropped(let peer, let count): outputs.append(.marksDropped(count, by: controller(peer)))
            case .message(let peer, let bytes): outputs.append(.received(controller(peer), bytes, channel: nil))
            case .data(let peer, let channel, let bytes):
                outputs.append(.received(controller(peer), bytes, channel: channel))
            case .offerEnded(let id, let outcome):
                settle(id, outcome)
                outputs.append(.offerEnded(id, outcome))
            }
        }
    }

    private mutating func assign(
        _ peer: PeerIndex, of controller: ControllerID, to players: [PlayerNumber], now: HostTime
    ) {
        keepDeparted()
        // Who listens to its motion hears the last of it, too.
        if players.isEmpty, listeners.contains(where: { $0.sensor.peer == peer }) {
            for batch in sink.lastBatches(of: peer) { tell(batch) }
        }
        sink.assign(peer, to: players, now: now)
        if let player = players.first {
            remember(controller, of: peer)
            driven[peer] = player
        } else {
            settleClaims(of: peer)
            endDelivery { $0.peer == peer }
            buttonsTold[peer] = nil
            if batteries.indices.contains(peer) { batteries[peer] = BatteryWatch() }
            // What it had begun ends under its own name: its place may be another's before the merge has its next turn.
            tellPending(now: now)
            // What is on disk goes with the lease.
            forgetTalents(of: controller)
        }
        refreshTalents()
    }

    /// Tells what the merge knows already. Nothing is given up by it: something may wait that is to be read first.
    mutating func tellPending(now: HostTime) {
        for event in sink.advance(to: now, heardUntil: HostTime(nanoseconds: .min)) { tell(event, now: now) }
    }
}
