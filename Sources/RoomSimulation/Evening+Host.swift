import ControllerSession
import InputMerge
import LinkEmulation
import RoomEngine
import SessionCoordinator
import WireProtocol

/// What comes to the host, its turns, and what comes of them.
extension Evening {
    mutating func deliverToHost() {
        var all: [(place: Int, arrival: ImpairedLink<Packet>.Arrival)] = []
        for place in controllers.indices {
            for arrival in controllers[place].up.deliver(until: now.nanoseconds) { all.append((place, arrival)) }
        }
        all.sort { ($0.arrival.at, $0.place) < ($1.arrival.at, $1.place) }
        for (place, arrival) in all {
            var packet = arrival.payload
            let at = HostTime(nanoseconds: arrival.at)
            if controllers[place].transport.isReliable {
                guard let conversation = controllers[place].conversation, conversation == packet.conversation
                else { continue }
                if let record = packet.record { book(record, of: place, from: nil, at: now) }
                arrivals += 1
                host.receive(unsealed: packet.bytes, from: conversation, waitedSince: at, now: now)
            } else {
                if let record = packet.record, !arrival.isCorrupted {
                    book(record, of: place, from: packet.source, at: at)
                }
                arrivals += 1
                host.receive(&packet.bytes, from: packet.source, arrivedAt: at, now: now)
            }
        }
    }

    mutating func sendLegacy() {
        while let next = legacy?.nextAt, next <= now {
            guard let frame = legacy?.frame(&random) else { return }
            arrivals += 1
            host.receiveLegacy(frame, from: legacy?.address ?? PeerAddress(ipv4: 0, port: 0), now: now)
            report.note("unsealed frames")
        }
    }

    /// Only what is sealed for a lease's link that is open, or drains, touches its ledgers.
    private mutating func book(_ record: SentRecord, of place: Int, from source: PeerAddress?, at: HostTime) {
        let isDoubtful = controllers[place].clockWasSet(within: .seconds(10), now)
        var fresh: [LeaseBooks.Fresh] = []
        let booking = books[PeerIndex(record.connection.index)]?.arrived(
            record, from: source, at: at, now: now, isDoubtful: isDoubtful, into: &fresh)
        switch booking ?? .notMine {
        case .heard: return timing.heard(record.connection, now)
        case .booked: return
        case .notMine: break
        }
        for place in closing.indices.reversed() {
            let booking = closing[place].books.arrived(
                record, from: source, at: at, now: now, isDoubtful: isDoubtful, into: &fresh)
            if booking != .notMine { return }
        }
    }

    // MARK: The host's turn

    mutating func serve() {
        if let time = recordsAmidAt, now >= time, hostSleepsUntil == nil {
            recordsAmidAt = nil
            host.recordAmid(now: now)
        }
        if hostSleepsUntil == nil { turnHost() }
        readEvents()
        settleDepartures()
        deliverFromHost()
    }

    /// The room's thread is woken by what comes in and by its own deadline, and by nothing else.
    private mutating func turnHost() {
        if isRestless || host.isAwake(now) {
            host.turn(now)
            if host.restlessTurns > 3 { report.broken("the room is due again and again, and nothing comes of it") }
        } else if steps % 16 == 0, let said = host.saidIfTurned(now) {
            report.broken("nobody was to wake the room, and yet it had to say: \(said)")
        }
    }

    private mutating func deliverFromHost() {
        for (destination, bytes) in host.sent {
            timing.fed(bytes, now)
            let packet = Packet(bytes: bytes, source: PeerAddress(ipv4: 0x0A00_0001, port: 7_777), record: nil)
            switch destination {
            case .address(let address):
                nonces.leaves(bytes)
                if address == guest.address { guest.hear(bytes) }
                guard let place = controllers.firstIndex(where: { $0.address == address }) else { continue }
                _ = controllers[place].down.send(packet, at: now.nanoseconds)
            case .conversation(let conversation):
                guard let place = controllers.firstIndex(where: { $0.conversation == conversation }) else { continue }
                _ = controllers[place].down.send(packet, at: now.nanoseconds)
            }
        }
        host.sent.removeAll(keepingCapacity: true)
        let said = host.said
        host.said.removeAll(keepingCapacity: true)
        for (conversation, message) in said { hear(message, on: conversation) }
        let closed = host.closed
        host.closed.removeAll(keepingCapacity: true)
        for conversation in closed { hangUp(conversation) }
    }

    private mutating func readEvents() {
        for event in host.events {
            report.note("events")
            events.read(event, now: now)
            if case .gesture(let gesture, let ids) = event {
                for id in ids where ids.count == 1 && isHonest(id) {
                    pushes.told(gesture, of: id)
                    lessons.told(gesture, of: id, pushes)
                }
            }
            if case .teaching(let progress, _) = event { follow(progress) }
            if case .player(let change) = event { judge(change) }
            if case .haptic(let haptic) = event { judge(haptic) }
            if case .local(let verdict) = event { judge(verdict) }
            if case .submersion(let event, _, let id) = event { judge(event, of: id) }
            if case .verdict(let verdict) = event, plan.configuration.room.mode == .competitive {
                for problem in pushes.problems(of: verdict, { player in seatedOn(player) }) { report.broken(problem) }
            }
            if case .verdict = event { report.note("verdicts") }
            if case .haptic = event { report.note("haptics") }
        }
        host.events.removeAll(keepingCapacity: true)
        host.changes.removeAll(keepingCapacity: true)
        for (request, _) in host.answers {
            if waitingRequests.remove(request) == nil {
                report.broken("request \(request.rawValue) was answered twice")
            }
        }
        host.answers.removeAll(keepingCapacity: true)
        host.eventsBefore.removeAll(keepingCapacity: true)
        for id in host.offersEnded {
            if !offersEnded.insert(id).inserted { report.broken("offer \(id.rawValue) ended twice") }
        }
        host.offersEnded.removeAll(keepingCapacity: true)
    }

    /// Those who left: their last reports against what was sent until then.
    private mutating func settleDepartures() {
        let departed = host.engine.departed
        guard departed.count > departedSeen else { return }
        for state in departed[departedSeen...] {
            if var lease = books.removeValue(forKey: state.report.peer) {
                lease.close(now: now)
                note(lease)
                closing.append((lease, now + LeaseBooks.drainTime))
            } else if isHonest(state.report.controller), state.report.datagrams.authenticated > 0 {
                report.broken("\(state.report.name) has no books in the truth")
            }
            if state.report.controller == guest.id { guest.unseated() }
            report.note("departures")
        }
        departedSeen = departed.count
    }

    /// How much of the samples' lateness was known without the merge.
    private mutating func note(_ lease: LeaseBooks) {
        report.note("samples surely on time or late", Int(lease.sampleCount - lease.unknown))
        report.note("samples perhaps late", Int(lease.unknown))
        report.note("samples surely late", Int(lease.late))
    }

    // MARK: The host's process

    /// The host's process dies and starts anew.
    mutating func restartHost() {
        for conversation in finals.keys where finals[conversation] == 0 { finals[conversation] = nil }
        host.restart(now: now)
        timing.hostStarted(now)
        events.hostRestarted(host.disk)
        pushes.hostRestarted()
        taps.hostRestarted()
        line.isMeddledWith()
        books = [:]
        closing = []
        arrivals = 0
        departedSeen = 0
        waitingRequests = []
        // Its offers died with it.
        offersOut = []
        offersEnded = []
        guest.unseated()
        for place in controllers.indices {
            // Until it has noticed, and is back.
            let unnoticed = controllers[place].link.silenceLimit
            pushes.disturb(controllers[place].id, now: now, until: now + unnoticed + .seconds(1))
            if controllers[place].conversation != nil { loseControl(place) }
        }
        report.note("host restarts")
    }
}
