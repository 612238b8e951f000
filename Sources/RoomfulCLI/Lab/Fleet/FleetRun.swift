import ControllerSession
import Foundation
import OperatorFront
import Roomful
import WireProtocol

/// One trial of a room by a fleet, from finding the room to the report.
struct FleetRun {
    let plan: FleetReport.Plan
    let target: FleetTarget
    /// Told how it goes.
    let say: @Sendable (String) -> Void

    /// Descriptors that a controller needs: two sockets and a bell.
    private static let descriptorsEach = 3
    private static let descriptorsBeside = 128

    /// - Parameter interruption: ends the samples early.
    func run(stoppingWith interruption: Interruption) async throws -> FleetReport {
        try checkDescriptors()
        let before = try await target.client?.ask(OperatorRequest(.status)).status
        try checkSeats(before)
        let watch = before?.pid.map { ProcessWatch($0) }
        await watch?.look()
        let descriptorsBefore = ownDescriptors
        let relay = try RelayProcess(
            program: ResourceFolder.program ?? "/proc/self/exe", to: target.address, network: plan.network,
            seed: plan.seed)
        let threads = try (0..<(plan.controllers > 300 ? 2 : 1)).map { _ in
            try LinkThread(capacity: plan.controllers)
        }
        let roster = FleetRoster(
            count: plan.controllers, rate: plan.rate, target: target, via: relay, threads: threads)
        let played = try await play(roster, watch, interruption)
        for thread in threads { thread.finish() }
        let (sums, fates) = try await relay.stop()
        var report = FleetReport(
            room: target.ticket.room, plan: plan, hasBooks: target.client != nil,
            joining: .init(roster.joiningTimes), joinedWithinMs: played.joinedWithin.milliseconds, relay: sums)
        report.silences = roster.silences.reasons
        report.plan.seconds = Double(played.pace.samplesEach) / plan.rate
        report.samples.made = played.pace.samplesEach * plan.controllers
        report.delays.lateness = .init(played.pace.lateness)
        say("comparing \(plural(sums.taken, "datagram")) with the host's books")
        let witnesses = played.members.map {
            FleetWitness(
                name: $0.name, controller: $0.id, log: $0.log, fates: fates, unanswered: $0.unansweredReturns)
        }
        note(witnesses, played.schedule, in: &report)
        agree(played.members, fates, in: &report)
        if let client = target.client, let before {
            try await compare(witnesses, client, before: before, in: &report)
        } else {
            compareTold(played.members, witnesses, in: &report)
        }
        await watch?.look()
        report.host = await watch?.figures ?? []
        report.ownDescriptors = [descriptorsBefore, ownDescriptors]
        return report
    }

    /// What a fleet has done.
    private struct Played: Sendable {
        var members: [FleetRoster.Member]
        var schedule: FleetSchedule
        var pace: FleetPace.Outcome
        var joinedWithin: Duration
    }

    /// All join, make their samples, and leave.
    private func play(
        _ roster: FleetRoster, _ watch: ProcessWatch?, _ interruption: Interruption
    ) async throws -> Played {
        let began = ContinuousClock.now
        return try await withThrowingTaskGroup(of: Void.self) { group in
            async let leaving = roster.run()
            group.addTask { await FleetProgress(roster, watch, say: say).follow() }
            defer { group.cancelAll() }
            do {
                let controllers = try await roster.everyone()
                let joinedWithin = ContinuousClock.now - began
                let schedule = FleetSchedule(
                    begin: Controller.deviceTimeNow() + .milliseconds(50), controllers: controllers.count,
                    rate: plan.rate, samplesEach: Int(plan.rate * plan.seconds))
                let pace = FleetPace(schedule, controllers: controllers, seed: plan.seed)
                interruption.onInterrupt { pace.stop() }
                let outcome = await pace.run()
                roster.dismiss()
                return Played(
                    members: await leaving, schedule: schedule, pace: outcome, joinedWithin: joinedWithin)
            } catch {
                roster.dismiss()
                _ = await leaving
                throw error
            }
        }
    }

    private var ownDescriptors: Int { ProcessFigures(of: Int(getpid()), at: 0)?.descriptors ?? 0 }

    // MARK: Before

    private func checkDescriptors() throws {
        let needed = plan.controllers * Self.descriptorsEach + Self.descriptorsBeside
        let limit = DescriptorLimit.raise()
        guard limit < needed else { return }
        throw RoomError(
            .badOption,
            "\(plural(plan.controllers, "controller needs", "controllers need")) \(needed) open descriptors, and the "
                + "limit is \(limit); raise it with: ulimit -n \(needed)")
    }

    private func checkSeats(_ status: RoomStatus?) throws {
        guard let status, status.freeSeats < plan.controllers else { return }
        throw RoomError(
            .full,
            "“\(status.name)” has \(plural(status.freeSeats, "free seat")) of \(status.seats), not \(plan.controllers); host it "
                + "with --seats \(plan.controllers + status.seats - status.freeSeats)")
    }

    // MARK: After

    private func note(_ witnesses: [FleetWitness], _ schedule: FleetSchedule, in report: inout FleetReport) {
        var delays = SampleDelays()
        for (place, witness) in witnesses.enumerated() { delays.note(witness) { schedule.time($0, of: place) } }
        report.delays.age = .init(delays.age)
        report.delays.added = .init(delays.added)
    }

    /// Relay and senders must agree before either can be believed about the host.
    private func agree(_ members: [FleetRoster.Member], _ fates: [UInt32: Fates], in report: inout FleetReport) {
        let relay = report.relay
        if !relay.isBalanced { report.troubles.append("the relay's own sums do not add up") }
        let journal = fates.values.reduce(into: (taken: 0, delivered: 0)) {
            $0.taken += $1.taken.count
            $0.delivered += $1.delivered.count
        }
        if (journal.taken, journal.delivered) != (relay.taken, relay.delivered) {
            report.troubles.append(
                "the relay's journal is not complete; is the disk of \(NSTemporaryDirectory()) full?")
        }
        if relay.unsentUp > 0 {
            report.troubles.append("the kernel did not take \(plural(relay.unsentUp, "datagram")) of the relay")
        }
        if members.count < plan.controllers {
            report.troubles.append("\(plural(plan.controllers - members.count, "controller")) did not stay to the end")
        }
        let unsent = members.reduce(0) { $0 + $1.losses.datagramsUnsent }
        let sent = members.reduce(0) { $0 + $1.log.count }
        let dropped = (relay.kernelDrops ?? 0) + unsent
        if relay.taken > sent || relay.taken + dropped < sent || relay.turnedAway > 0 {
            report.troubles.append(
                "the controllers sent \(plural(sent, "datagram")), and the relay took \(relay.taken)")
        }
        let crowdedOut = members.reduce(0) { $0 + $1.losses.samplesCrowdedOut }
        if crowdedOut > 0 {
            report.troubles.append("\(plural(crowdedOut, "sample")) found the queue of a controller full")
        }
        for stream in members.flatMap(\.report.streams) {
            report.samples.refused += stream.refused
            report.samples.taken += stream.appended
        }
        report.samples.crowdedOut = crowdedOut
        let named = report.samples.refused + report.samples.taken + crowdedOut
        if named != report.samples.made {
            report.troubles.append(
                "\(plural(report.samples.made, "sample was", "samples were")) made, and "
                    + "\(plural(named, "is", "are")) in a controller's account")
        }
        report.samples.unconfirmed = members.reduce(0) { sum, member in
            sum + member.report.streams.reduce(0) { $0 + $1.unacknowledged + $1.abandoned }
        }
    }

    /// The host's books, when everyone has left.
    private func compare(
        _ witnesses: [FleetWitness], _ client: OperatorClient, before: RoomStatus, in report: inout FleetReport
    ) async throws {
        let books = try await departed(witnesses, client)
        var samples = (delivered: 0, late: 0, missing: 0, abandoned: 0)
        for witness in witnesses {
            let status = books[witness.controller]
            report.comparison.compare(status, with: witness)
            guard let status else { continue }
            samples.delivered += status.samples.delivered + status.samples.late
            samples.late += status.samples.late
            samples.missing += status.samples.missing ?? 0
            samples.abandoned += status.samples.abandoned
        }
        (report.samples.delivered, report.samples.late) = (samples.delivered, samples.late)
        (report.samples.missing, report.samples.abandoned) = (samples.missing, samples.abandoned)
        // Those above the highest that the host ever heard of: only their makers know them.
        report.samples.unheard = report.samples.taken - samples.delivered - samples.missing - samples.abandoned
        if report.samples.unheard ?? 0 < 0 {
            let more = plural(-(report.samples.unheard ?? 0), "sample")
            report.troubles.append("the host has \(more) more than were taken")
        }
        let delays = witnesses.compactMap { books[$0.controller]?.delay }
        report.delays.hostMedianMs = delays.map(\.p50Ms).sorted().dropFirst(delays.count / 2).first
        report.delays.hostWorstP99Ms = delays.map(\.p99Ms).max()
        try await compareStrangers(client, before: before, in: &report)
    }

    /// The books of those who left, by controller; waits for the last goodbyes.
    private func departed(_ witnesses: [FleetWitness], _ client: OperatorClient) async throws -> [String: PeerStatus] {
        let ours = Set(witnesses.map(\.controller))
        let end = ContinuousClock.now + .seconds(10)
        while true {
            let all = try await client.ask(OperatorRequest(.departed)).peers ?? []
            let books = Dictionary(all.filter { ours.contains($0.controller) }.map { ($0.controller, $0) }) { $1 }
            if books.count == ours.count || ContinuousClock.now >= end { return books }
            try await Task.sleep(for: .milliseconds(250))
        }
    }

    /// What belongs to nobody's books: late copies of goodbyes, and what was damaged on the way.
    private func compareStrangers(
        _ client: OperatorClient, before: RoomStatus, in report: inout FleetReport
    ) async throws {
        let expected = report.relay.corrupted
        let end = ContinuousClock.now + .seconds(5)
        while let status = try await client.ask(OperatorRequest(.status)).status {
            let (now, then) = (status.strangers, before.strangers)
            let found = now.unknown + now.badAuth + now.malformed - then.unknown - then.badAuth - then.malformed
            let drops = (now.kernelDrops ?? 0) - (then.kernelDrops ?? 0)
            if found - expected + drops >= report.comparison.shortfall || ContinuousClock.now >= end {
                report.comparison.settle(strangers: found, corrupted: expected, drops: drops)
                if let arrivals = status.arrivals {
                    report.comparison.compare("in any account", host: arrivals.classified, truth: arrivals.handedOver)
                }
                return
            }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    private func compareTold(
        _ members: [FleetRoster.Member], _ witnesses: [FleetWitness], in report: inout FleetReport
    ) {
        report.comparison = BookComparison(
            told: zip(members, witnesses).map { ($1.name, ToldAccount($0.report.account, $1)) })
    }
}
