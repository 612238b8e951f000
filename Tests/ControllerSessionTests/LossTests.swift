import ControllerSession
import LinkEmulation
import Testing
import WireProtocol

@Suite("No sample is lost while the link lives")
struct LossTests {
    @Test(
        "With 20 % of the datagrams lost none is missing, and 99 % are at most 3 sending intervals late",
        arguments: UInt64(1)...6)
    func randomLoss(seed: UInt64) throws {
        var simulation = try Simulation("loss=20%,delay=5ms", seed: seed)
        try simulation.run(until: 60_000)
        try simulation.run(until: 62_000, sampling: false)
        let delays = simulation.delays.compactMap { $0 }.map { $0 - 5 }
        #expect(simulation.missing == 0, "seed \(seed)")
        #expect(delays.percentile(0.99) <= 30, "seed \(seed)")
        #expect(delays.max()! < 250, "seed \(seed): a holdback of 250 ms sees no gap")
        #expect(simulation.controller.link.report.streams[0].unacknowledged == 0, "seed \(seed)")
    }

    @Test(
        "A burst of 200 ms delays samples by the burst and 3 intervals at most, whenever it comes",
        arguments: stride(from: 0.0, to: 200, by: 7).map { $0 }, [true, false])
    func burst(phase: Double, isBothWays: Bool) throws {
        var simulation = try Simulation("delay=2ms", seed: 1)
        try simulation.run(until: 5_000 + phase)
        simulation.up.isUp = false
        simulation.down.isUp = !isBothWays
        try simulation.run(until: 5_200 + phase)
        simulation.isUp = true
        try simulation.run(until: 8_000)
        try simulation.run(until: 9_000, sampling: false)
        #expect(simulation.missing == 0)
        #expect(simulation.delays.compactMap { $0 }.max()! <= 2 + 200 + 30)
    }

    @Test("An outage of 9 s loses nothing, with the link opened again in its middle or not", arguments: [true, false])
    func outage(isReopened: Bool) throws {
        var simulation = try Simulation("delay=10ms", seed: 2)
        try simulation.run(until: 3_000)
        simulation.isUp = false
        try simulation.run(until: 12_000)
        #expect(simulation.controller.link.needsRejoin)
        if isReopened {
            simulation.controller.open(2, continues: true, at: 12_000)
            simulation.host.open(simulation.controller.epoch, remembers: true)
        }
        simulation.isUp = true
        try simulation.run(until: 12_500)
        #expect(simulation.missing <= 2)
        try simulation.run(until: 15_000)
        try simulation.run(until: 16_000, sampling: false)
        #expect(simulation.missing == 0)
        #expect(simulation.controller.link.report.streams[0].abandoned == 0)
    }

    @Test("An outage of 30 s abandons exactly what fell below the floor, and both sides agree on it")
    func longOutage() throws {
        var simulation = try Simulation("delay=10ms", seed: 3)
        try simulation.run(until: 3_000)
        simulation.isUp = false
        try simulation.run(until: 33_000)
        simulation.isUp = true
        try simulation.run(until: 36_000)
        try simulation.run(until: 37_000, sampling: false)
        let stream = simulation.controller.link.report.streams[0]
        #expect(stream.isBalanced)
        #expect((1_990...2_010).contains(simulation.missing))
        #expect(simulation.host.streams[0]?.abandoned == simulation.missing)
        // What arrived right before the cable was cut may have fallen off without the host's word for it.
        #expect((simulation.missing...simulation.missing + 25).contains(stream.abandoned))
    }

    @Test("Samples at 800 Hz arrive without a gap, one by one or in batches of a second", arguments: [1, 800])
    func highRate(batch: Int) throws {
        var simulation = try Simulation("loss=5%,delay=5ms", seed: 4, interval: .microseconds(1_250), batch: batch)
        try simulation.run(until: 20_000)
        try simulation.run(until: 22_000, sampling: false)
        #expect(simulation.missing == 0)
        #expect(simulation.delays.compactMap { $0 }.percentile(0.99) <= 100)
        #expect(simulation.up.counters.sent < 22 * 126)
    }

    @Test("On any network the books of both sides and of the network agree", arguments: UInt64(1)...30)
    func anyNetwork(seed: UInt64) throws {
        var chooser = SeededGenerator(seed: seed)
        var network = "loss=\(chooser.next() % 30)%,delay=\(20 + chooser.next() % 60)±\(chooser.next() % 20)ms"
        network += ",reorder=\(chooser.next() % 30)%,dup=\(chooser.next() % 20)%,corrupt=\(chooser.next() % 5)%"
        var configuration = ControllerLink.Configuration()
        configuration.recordsRuns = true
        var simulation = try Simulation(
            network, seed: seed, interval: .milliseconds(Int64(3 + chooser.next() % 40)), configuration: configuration)
        var time = 0.0
        for epoch in UInt16(2)...5 {
            time += 1_000 + Double(chooser.next() % 4_000)
            try simulation.run(until: time)
            if chooser.chance(0.5) {
                simulation.isUp = false
                time += Double(chooser.next() % 3_000)
                try simulation.run(until: time)
                simulation.isUp = true
            }
            simulation.controller.open(epoch, continues: true, at: time)
            simulation.host.open(simulation.controller.epoch, remembers: true)
        }
        try simulation.run(until: time + 3_000)
        try simulation.run(until: time + 8_000, sampling: false)
        let report = simulation.controller.link.report
        #expect(simulation.missing == 0, "seed \(seed), \(network)")
        #expect(report.streams[0].isBalanced && report.streams[0].unacknowledged == 0, "seed \(seed), \(network)")
        #expect(report.feedback.isBalanced && simulation.up.counters.isBalanced, "seed \(seed), \(network)")
        #expect(report.sentDatagrams == simulation.up.counters.sent, "seed \(seed), \(network)")
        #expect(report.feedback.arrivals == simulation.down.counters.delivered, "seed \(seed), \(network)")
        let refused = report.feedback.badAuth + report.feedback.unknown + report.feedback.malformed
        #expect(refused >= simulation.down.counters.corrupted, "seed \(seed), \(network)")
    }

    @Test(
        "On a good network the bytes stay under three times what the samples alone would take",
        arguments: [
            (10, "delay=1ms"), (10, "delay=20±10ms"), (10, "delay=100ms"), (33, "delay=5ms"), (100, "delay=5ms"),
            (8, "delay=5ms"),
        ])
    func bytes(interval: Int64, network: String) throws {
        var simulation = try Simulation(network, seed: 5, interval: .milliseconds(interval))
        try simulation.run(until: 30_000)
        let alone = simulation.appendedAt.count * 71
        #expect(Double(simulation.sentBytes) / Double(alone) < 3)
        #expect(simulation.missing <= 20)
    }

    @Test("A host killed and started again gets every sample that it had not confirmed")
    func forgetfulHost() throws {
        var simulation = try Simulation("loss=10%,delay=5ms", seed: 6)
        try simulation.run(until: 3_000)
        simulation.controller.open(2, continues: false, at: 3_000)
        simulation.host.open(simulation.controller.epoch, remembers: false)
        let before = simulation.controller.link.report.streams[0]
        try simulation.run(until: 5_000)
        try simulation.run(until: 6_000, sampling: false)
        let stream = try #require(simulation.host.streams[0])
        #expect((stream.epoch, stream.abandoned) == (1, 0))
        #expect(stream.arrivals.count == before.unacknowledged + 200)
        #expect(simulation.controller.link.report.streams[0].unacknowledged == 0)
    }
}
