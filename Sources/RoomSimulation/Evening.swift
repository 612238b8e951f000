import ControllerSession
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
    var line = QueueLaw()
    var lessons = LessonLaw()
    var dives = DiveLaw()
    var taps = TapLaw()
    var nonces = NonceLaw()
    /// Lessons are drawn apart, so that all else stays what its seed has always made it.
    var lessonRandom: SeededGenerator
    var nextLessonAt: HostTime
    /// Taps are, too.
    var tapRandom: SeededGenerator
    var nextTapAt: HostTime
    var books: [PeerIndex: LeaseBooks] = [:]
    /// Those of leases that have ended, while their links drain, the oldest first.
    var closing: [(books: LeaseBooks, until: HostTime)] = []
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
    /// When each controller's seat was heard of last, as the network's injector knows; for the laws on silence.
    var timing = TimingLaw()
    /// When each was told to have joined last.
    var joinedAt: [ControllerID: HostTime] = [:]
    /// A source of unsealed frames, in some evenings.
    var legacy: LegacyGuest?
    var lawsDueAt: HostTime
    /// Whether the host is turned at every step, and not only when it asked to be: that must make no difference.
    let isRestless: Bool
    /// When a second recorder begins.
    private var recordsAmidAt: HostTime?
    private var steps = 0

    /// The host was switched on an hour before.
    static let start = HostTime(nanoseconds: 3_600_000_000_000)

    /// Plays one evening from its beginning to its end.
    ///
    /// - Parameter isRestless: whether the host is turned at every step, and not only when it asked to be: it must say the
    ///   same, to the byte.
    public static func play(
        seed: UInt64, size: EveningSize = EveningSize(), isRestless: Bool = false
    ) -> EveningReport {
        var evening = Evening(seed: seed, size: size, isRestless: isRestless)
        evening.run()
        return evening.report
    }

    /// Plays it with a host that is turned only when it asked to be, and with one that is turned at every step: in words,
    /// what is wrong where they say different things or are turned equally often.
    public static func wakingDifference(seed: UInt64, size: EveningSize = .short) -> String? {
        let (woken, restless) = (play(seed: seed, size: size), play(seed: seed, size: size, isRestless: true))
        if woken.digest != restless.digest { return "a host that is turned all the time says something else" }
        guard let turns = woken.counts["turns"], let all = restless.counts["turns"], turns < all else {
            return "a host that waits to be woken is turned as often as one that never rests"
        }
        return nil
    }

    /// Plays it with a recorder in the host: a tape for each life of its process.
    package static func record(
        seed: UInt64, size: EveningSize = EveningSize()
    ) -> (report: EveningReport, tapes: [EveningTape]) {
        var evening = Evening(seed: seed, size: size, isRecorded: true)
        evening.run()
        evening.host.tapes.last?.end()
        return (evening.report, evening.host.tapes)
    }

    /// The same with a second recorder, which is begun in the middle.
    package static func record(
        seed: UInt64, size: EveningSize = EveningSize(), amid: Duration
    ) -> (tapes: [EveningTape], amid: EveningTape?) {
        var evening = Evening(seed: seed, size: size, isRecorded: true)
        evening.recordsAmidAt = start + amid
        evening.run()
        evening.host.tapes.last?.end()
        evening.host.amid?.end()
        return (evening.host.tapes, evening.host.amid)
    }

    init(seed: UInt64, size: EveningSize, isRestless: Bool = false, isRecorded: Bool = false) {
        self.isRestless = isRestless
        now = Self.start
        plan = EveningPlan(seed: seed, size: size, now: now)
        host = SimulatedHost(
            plan.configuration, now: now, isRecorded: isRecorded, tellsMotion: size.tellsMotion)
        controllers = plan.controllers
        random = SeededGenerator(seed: seed ^ 0x5EED_0000)
        report = EveningReport(seed: seed)
        report.controllers = controllers.count
        nextDeedAt = now + .milliseconds(100)
        lessonRandom = SeededGenerator(seed: seed ^ 0x1E55_0115)
        nextLessonAt = plan.configuration.room.mode == .competitive ? now + .seconds(4) : .distantFuture
        tapRandom = SeededGenerator(seed: seed ^ 0x7A95_7A95)
        nextTapAt = plan.hasTaps ? now + .seconds(4) : .distantFuture
        lawsDueAt = now
        pushes.areOwed = plan.configuration.room.mode == .competitive
        if plan.hasLegacy { legacy = LegacyGuest(now: now) }
    }

    mutating func run() {
        for place in controllers.indices {
            controllers[place].stay = .asksAt(now + .milliseconds(Int64(random.next() % 3_000)))
        }
        let end = now + plan.duration
        run(until: end, withDeeds: true)
        // Everyone goes home; whatever had begun ends.
        for place in controllers.indices { goHome(place) }
        legacy?.fallSilent()
        run(until: end + .seconds(45), withDeeds: false)
        close()
        report.duration = now - Self.start
        report.digest = host.digest.value
        report.note("turns", host.turns)
        report.note("pushes owed", pushes.owed)
        report.note("finds judged", taps.judged)
        report.note("depths judged", dives.judged)
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
        if withDeeds { next = min(next, nextDeedAt, nextLessonAt, nextTapAt) }
        if let first = later.first { next = min(next, first.at) }
        if let wakes = hostSleepsUntil {
            next = min(next, wakes)
        } else if let due = host.engine.nextDeadline {
            next = min(next, due)
        }
        for place in controllers.indices {
            guard let time = controllers[place].nextEvent else { continue }
            next = min(next, hostSleepsUntil == nil ? time : max(time, now + .milliseconds(1)))
        }
        if let legacy, hostSleepsUntil == nil { next = min(next, legacy.nextAt) }
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
        if withDeeds, now >= nextLessonAt { teachSomebody() }
        if withDeeds, now >= nextTapAt { tapSomebody() }
        for place in controllers.indices {
            readSensor(place)
            controllers[place].hear(now: now)
            controllers[place].send(now: now)
            controllers[place].joinAgainIfQuiet(now: now)
        }
        if let wakes = hostSleepsUntil {
            guard now >= wakes else { return }
            hostSleepsUntil = nil
            timing.hostWoke(now)
        }
        deliverToHost()
        sendLegacy()
        for place in controllers.indices { if case .asksAt(let at) = controllers[place].stay, at <= now { ask(place) } }
        serve()
        checkLaws()
    }

    private mutating func readSensor(_ place: Int) {
        controllers[place].readSensor(now: now)
        for find in controllers[place].takeFinds() { note(find, of: place) }
        guard let shown = controllers[place].shownPush else { return }
        controllers[place].shownPush = nil
        // Whoever does not hear the host may be speaking to nobody, and notices only after a while (``SilenceLimit``).
        let isHeard = controllers[place].stay == .seated && controllers[place].silence(now) < .seconds(1)
        if !isHeard { pushes.disturb(controllers[place].id, now: now) }
        pushes.pushed(
            controllers[place].id, at: shown, losesMuch: controllers[place].conditions.loss > 0.1,
            isPress: controllers[place].presses)
        report.note(controllers[place].presses ? "presses" : "pushes")
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

    private mutating func sendLegacy() {
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
