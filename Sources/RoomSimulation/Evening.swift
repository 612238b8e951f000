import InputMerge
import LinkEmulation
import RoomEngine
import SessionCoordinator
import WireProtocol

/// A whole room for an evening: its engine, the controllers that come and go, the networks between them, an operator who
/// meddles and, in some, a guest who wants to break it. Time is moved by hand; everything follows from the seed.
///
/// ```swift
/// let report = Evening.play(seed: 7)
/// precondition(report.violations.isEmpty, "seed 7: \(report.violations)")
/// ```
///
/// At every step the laws are checked: ledgers equal what was really sent and let through, one owner a seat, one end an
/// invitation, one answer a question, events in an order that makes sense, pushes told at their time, nothing kept
/// without an end.
public struct Evening: Sendable {
    var host: SimulatedHost
    var controllers: [SimulatedController]
    var now: HostTime
    var random: SeededGenerator
    var report: EveningReport
    var events = EventLaws()
    var pushes = PushLaw()
    var books: [PeerIndex: LeaseBooks] = [:]
    var guest = HostileGuest()
    var guestConversation: ConversationID?
    let plan: EveningPlan
    /// Datagrams that reached the host's socket in its present life.
    var arrivals: UInt64 = 0
    /// While the host stands still, its socket collects what arrives.
    var hostSleepsUntil: HostTime?
    /// What is to be done later, in the order of its time.
    var later: [(at: HostTime, deed: Deed)] = []
    var nextDeedAt: HostTime
    var conversations: UInt64 = 0
    var secrets: UInt64 = 0
    var requests: UInt64 = 0
    /// Final answers to each invitation.
    var finals: [ConversationID: Int] = [:]
    var waitingRequests: Set<RequestID> = []
    var offersOut: Set<OfferID> = []
    var offersEnded: Set<OfferID> = []
    /// When each hand pushed last: no two pushes run into one.
    var lastPush: [ControllerID: HostTime] = [:]
    var departedSeen = 0
    var lawsDueAt: HostTime
    private var steps = 0

    /// The host was switched on an hour before.
    static let start = HostTime(nanoseconds: 3_600_000_000_000)

    /// Plays one evening from its beginning to its end.
    public static func play(seed: UInt64, size: EveningSize = EveningSize()) -> EveningReport {
        var evening = Evening(seed: seed, size: size)
        evening.run()
        return evening.report
    }

    init(seed: UInt64, size: EveningSize) {
        now = Self.start
        plan = EveningPlan(seed: seed, size: size, now: now)
        host = SimulatedHost(plan.configuration, now: now)
        controllers = plan.controllers
        random = SeededGenerator(seed: seed ^ 0x5EED_0000)
        report = EveningReport(seed: seed)
        report.controllers = controllers.count
        nextDeedAt = now + .milliseconds(100)
        lawsDueAt = now
    }

    mutating func run() {
        for place in controllers.indices {
            controllers[place].stay = .asksAt(now + .milliseconds(Int64(random.next() % 3_000)))
        }
        let end = now + plan.duration
        run(until: end, withDeeds: true)
        // Everyone goes home; whatever had begun ends.
        for place in controllers.indices { goHome(place) }
        run(until: end + .seconds(45), withDeeds: false)
        close()
        report.duration = now - Self.start
        report.digest = host.digest.value
        report.note("turns", host.turns)
        report.note("pushes owed", pushes.owed)
    }

    // MARK: Time

    mutating func run(until end: HostTime, withDeeds: Bool) {
        while report.violations.count < 20 {
            let next = nextEvent(withDeeds: withDeeds)
            guard next <= end else { break }
            // No two moments are closer than a microsecond: whatever is due always comes to its turn.
            now = max(next, now + .microseconds(1))
            step(withDeeds: withDeeds)
            steps += 1
            let seconds = (now - Self.start).wholeNanoseconds / 1_000_000_000 + 1
            guard steps < Int(seconds) * 4_000 * (controllers.count + 1) else {
                return report.broken("\(steps) steps in \(seconds) s: somebody is due all the time")
            }
        }
        now = max(now, end)
        step(withDeeds: withDeeds)
    }

    private func nextEvent(withDeeds: Bool) -> HostTime {
        var next = HostTime.distantFuture
        if withDeeds { next = min(next, nextDeedAt) }
        if let first = later.first { next = min(next, first.at) }
        if let wakes = hostSleepsUntil {
            next = min(next, wakes)
        } else if let due = host.engine.nextDeadline {
            next = min(next, due)
        }
        for controller in controllers {
            guard let time = controller.nextEvent else { continue }
            next = min(next, hostSleepsUntil == nil ? time : max(time, now + .milliseconds(1)))
        }
        return next
    }

    private mutating func step(withDeeds: Bool) {
        while let first = later.first, first.at <= now {
            later.removeFirst()
            carryOut(first.deed)
        }
        if withDeeds, now >= nextDeedAt {
            carryOut(drawDeed())
            nextDeedAt = now + .milliseconds(Int64(20 + random.next() % 600))
        }
        for place in controllers.indices {
            readSensor(place)
            controllers[place].hear(now: now)
            controllers[place].send(now: now)
            controllers[place].joinAgainIfQuiet(now: now)
        }
        if let wakes = hostSleepsUntil {
            guard now >= wakes else { return }
            hostSleepsUntil = nil
        }
        deliverToHost()
        for place in controllers.indices { if case .asksAt(let at) = controllers[place].stay, at <= now { ask(place) } }
        serve()
        checkLaws()
    }

    private mutating func readSensor(_ place: Int) {
        controllers[place].readSensor(now: now)
        guard let shown = controllers[place].shownPush else { return }
        controllers[place].shownPush = nil
        if controllers[place].stay != .seated { pushes.disturb(controllers[place].id, now: now) }
        pushes.pushed(controllers[place].id, at: shown)
        report.note("pushes")
    }

    private mutating func deliverToHost() {
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
                if let record = packet.record { book(record) }
                arrivals += 1
                host.receive(unsealed: packet.bytes, from: conversation, now: now)
            } else {
                if let record = packet.record, !arrival.isCorrupted { book(record) }
                arrivals += 1
                host.receive(&packet.bytes, from: packet.source, arrivedAt: at, now: now)
            }
        }
    }

    /// Only what is sealed for the link that is open touches a lease's ledgers.
    private mutating func book(_ record: SentRecord) {
        let peer = PeerIndex(record.connection.index)
        guard books[peer]?.connection == record.connection, books[peer]?.key == record.key else { return }
        books[peer]?.arrived(record)
    }

    // MARK: The host's turn

    mutating func serve() {
        host.turn(now)
        readEvents()
        settleDepartures()
        deliverFromHost()
    }

    private mutating func deliverFromHost() {
        for (destination, bytes) in host.sent {
            let packet = Packet(bytes: bytes, source: PeerAddress(ipv4: 0x0A00_0001, port: 7_777), record: nil)
            switch destination {
            case .address(let address):
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
                for id in ids where ids.count == 1 && id != guest.id { pushes.told(gesture, of: id) }
            }
            if case .verdict = event { report.note("verdicts") }
            if case .haptic = event { report.note("haptics") }
        }
        host.events.removeAll(keepingCapacity: true)
        for (request, _) in host.answers {
            if waitingRequests.remove(request) == nil {
                report.broken("request \(request.rawValue) was answered twice")
            }
        }
        host.answers.removeAll(keepingCapacity: true)
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
            judge(state.report)
            books[state.report.peer] = nil
            if state.report.controller == guest.id { guest.unseated() }
            report.note("departures")
        }
        departedSeen = departed.count
    }

    // MARK: The host's process

    /// The host's process dies and starts anew.
    mutating func restartHost() {
        for conversation in finals.keys where finals[conversation] == 0 { finals[conversation] = nil }
        host.restart(now: now)
        events.hostRestarted(host.disk)
        pushes.hostRestarted()
        books = [:]
        arrivals = 0
        departedSeen = 0
        waitingRequests = []
        // Its offers died with it.
        offersOut = []
        offersEnded = []
        guest.unseated()
        for place in controllers.indices {
            pushes.disturb(controllers[place].id, now: now, until: now + .seconds(2))
            if controllers[place].conversation != nil { loseControl(place) }
        }
        report.note("host restarts")
    }
}
