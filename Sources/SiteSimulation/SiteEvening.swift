import HeapModule
import LinkEmulation
import RoomOwnership
import WireProtocol

/// Some hosts that could own one room, the room's log, and everything between them that can go wrong, for a minute. Time is
/// moved by hand; everything follows from the seed.
///
/// ```swift
/// let report = SiteEvening.play(seed: 7)
/// precondition(report.violations.isEmpty, "seed 7: \(report.violations)")
/// ```
///
/// It knows what no host knows: true time, and who acts when. The laws are checked with every turn of a host.
package struct SiteEvening: Sendable {
    var now: Moment = 0
    var random: SeededGenerator
    let plan: SitePlan
    let fault: PlantedFault?
    var hosts: [SimulatedSiteHost]
    var lines: [LineConditions]
    var log: SimulatedSiteLog
    var report: SiteReport
    var logLaw = SiteLogLaw()
    var takeover = TakeoverLaw()
    var isBrokerUp = true
    var brokerBackAt: Moment = .max
    var linesHealAt: Moment = .max
    var linesHealedAt: Moment = -LineConditions.longest - 1
    var isCalm = false
    var nextDeedAt: Moment = 1_000_000_000
    var nextOfferAt: Moment = 0
    var messages = Heap<SiteMessage>()
    var serial: UInt64 = 0
    /// Things that hosts offered: the truth's own names.
    var things: UInt64 = 0
    var nobodyActsSince: Moment = 0
    private var steps = 0

    /// Plays one evening from its beginning to its end.
    package static func play(seed: UInt64, planting fault: PlantedFault? = nil) -> SiteReport {
        var evening = SiteEvening(seed: seed, planting: fault)
        evening.run()
        return evening.report
    }

    /// The first of these evenings that finds what was made wrong; `nil` if none does.
    package static func finding(_ fault: PlantedFault, in seeds: some Sequence<UInt64>) -> SiteReport? {
        seeds.lazy.map { play(seed: $0, planting: fault) }.first { !$0.violations.isEmpty }
    }

    init(seed: UInt64, planting fault: PlantedFault?) {
        plan = SitePlan(seed: seed, planting: fault)
        self.fault = fault
        random = SeededGenerator(seed: seed ^ 0x0A11_50F7)
        report = SiteReport(seed: seed)
        lines = plan.lines
        log = SimulatedSiteLog(hosts: plan.hosts, keeps: plan.keeps, fault: fault)
        hosts = plan.clocks.enumerated().map { number, clock in
            SimulatedSiteHost(number: number, clock: clock, ambition: number == 0 ? .host : .standby)
        }
        report.hosts = hosts.count
    }

    mutating func run() {
        // Of what was planted the first finding is enough.
        while report.violations.count < (fault == nil ? 20 : 1) {
            let next = nextMoment
            guard next <= plan.end else { break }
            now = max(next, now)
            step()
            steps += 1
            guard steps < Int(now / 1_000_000_000 + 1) * 5_000 * hosts.count else {
                return report.broken("\(steps) steps: somebody is due all the time", at: now)
            }
        }
        now = plan.end
        close()
        report.duration = .nanoseconds(now)
        report.note("steps", steps)
    }

    private var nextMoment: Moment {
        var next = min(nextDeedAt, nextOfferAt, brokerBackAt, linesHealAt)
        if let first = messages.min { next = min(next, first.arrivesAt) }
        for host in hosts {
            switch host.power {
            case .running: next = min(next, host.wakeAt, host.leaves?.at ?? .max)
            case .stopped(let until), .off(let until): next = min(next, until)
            }
            next = min(next, host.healsAt)
        }
        return next
    }

    private mutating func step() {
        heal()
        if now >= nextDeedAt { doSomething() }
        for place in hosts.indices { power(place) }
        while let first = messages.min, first.arrivesAt <= now {
            messages.removeMin()
            deliver(first)
        }
        if now >= nextOfferAt { offer() }
        for place in hosts.indices where hosts[place].isRunning && hosts[place].wakeAt <= now { turn(place, nil) }
        checkTime()
    }

    // MARK: Power

    private mutating func power(_ place: Int) {
        switch hosts[place].power {
        case .off(let until) where until <= now: start(place)
        case .stopped(let until) where until <= now: wake(place)
        case .running:
            guard let leaves = hosts[place].leaves, leaves.at <= now else { return }
            takeover.spoil()
            hosts[place].end(until: leaves.until)
        case .stopped, .off: break
        }
    }

    private mutating func start(_ place: Int) {
        var configuration = OwnershipConfiguration(
            me: OwnerID(host: hosts[place].id, life: random.next()), ambition: hosts[place].ambition)
        configuration.whenCut = plan.whenCut
        configuration.buffer = plan.buffer
        if fault == .hastyStandbys { configuration.timing.take = .milliseconds(1_200) }
        if case .rule(let rule) = fault { configuration.plant(rule) }
        hosts[place].start(configuration, now: now)
        report.note("starts")
    }

    private mutating func wake(_ place: Int) {
        hosts[place].power = .running
        // Its thread may have been stopped between asking and acting. Nothing can prevent that; it is one act a stop.
        if hosts[place].isActing, random.chance(0.1) { report.note("acts that a stop held back") }
        let inbox = hosts[place].inbox
        hosts[place].inbox = []
        if random.chance(0.5) { turn(place, nil) }
        for input in inbox { turn(place, input) }
        turn(place, nil)
    }

    // MARK: A host's turn

    /// Gives the host's program an input, or only the time, and does what it says.
    mutating func turn(_ place: Int, _ input: OwnershipInput?) {
        guard hosts[place].isRunning else { return }
        let time = hosts[place].clock.shows(now)
        let outputs =
            if let input { hosts[place].participant?.handle(input, now: time) } else {
                hosts[place].participant?.advance(to: time)
            }
        for output in outputs ?? [] { perform(output, of: place) }
        guard let participant = hosts[place].participant else { return }
        // A busy machine wakes its threads late.
        let late = random.chance(0.01) ? Moment(random.next() % 50_000_000) : Moment(50_000 + random.next() % 500_000)
        let due = participant.nextDeadline.map { hosts[place].clock.moment(of: $0) } ?? .max
        hosts[place].wakeAt = due == .max ? .max : max(due, now) + late
        judge(place, participant, time)
    }

    private mutating func perform(_ output: OwnershipOutput, of place: Int) {
        switch output {
        case .append(let request): toLog(.append(request), from: place)
        case .read(let question): toLog(.question(question), from: place)
        case .announce(let presence):
            for other in hosts.indices where other != place {
                tell(other, .standby(presence), isByFan: true, from: place)
            }
        case .learned(let entry): learned(entry, by: place)
        case .readsAnew: hosts[place].learned = 0
        case .missed(let sequence): hosts[place].learned = sequence
        case .committed(let numbers):
            logLaw.committed(numbers.map { hosts[place].offered[Int($0) - 1] }, now, &report)
        case .lost(let numbers, let cause): report.note("lost, \(cause)", numbers.count)
        case .deposed: report.note("deposed")
        case .standing(let standing): stands(standing, place)
        }
    }
}
