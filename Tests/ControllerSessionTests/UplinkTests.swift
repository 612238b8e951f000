import ControllerSession
import LinkEmulation
import Testing
import WireProtocol

@Suite("A host that speaks, and does not hear")
struct UplinkTests {
    @Test("Where only the way up is dead, the link is silent within 1.5 s, until the host takes something in again")
    func deafHost() throws {
        var simulation = try Simulation("delay=5ms", seed: 1)
        try simulation.run(until: 3_000)
        simulation.up.isUp = false
        try simulation.run(until: 4_000)
        #expect(simulation.controller.link.state == .live)
        try simulation.run(until: 4_500)
        #expect(simulation.controller.link.needsRejoin)
        let heard = simulation.controller.link.report.feedback.unique
        try simulation.run(until: 8_000)
        #expect(simulation.controller.link.needsRejoin)
        #expect(simulation.controller.link.report.feedback.unique >= heard + 15)
        simulation.up.isUp = true
        try simulation.run(until: 8_500)
        #expect(simulation.controller.link.state == .live)
        try simulation.run(until: 10_000)
        try simulation.run(until: 11_000, sampling: false)
        #expect(simulation.missing == 0)
    }

    @Test(
        "A way up that is slow, loses a fifth, or loses it in bursts is not dead, in play or amid heartbeats alone",
        arguments: [
            ("loss=20%,delay=300±100ms", true), ("loss=20%,burst=5,delay=5ms", true), ("loss=20%,delay=300ms", false),
        ])
    func lossyWay(network: String, isPlaying: Bool) throws {
        var simulation = try Simulation(network, seed: 7)
        simulation.down.conditions = try NetworkConditions(parsing: "delay=300ms")
        try simulation.run(until: 3_000)
        for second in 4...120 {
            try simulation.run(until: Double(second) * 1_000, sampling: isPlaying)
            #expect(simulation.controller.link.state == .live, "after \(second) s")
            #expect(simulation.controller.link.silenceLimit == .seconds(1), "after \(second) s")
        }
    }

    @Test("An account of before a pause says nothing of what was not sent since")
    func pause() throws {
        var controller = Controller()
        _ = try controller.stream(from: 0, count: 20)
        controller.acknowledge(below: 6, account: 5, at: 195)
        _ = try controller.stream(from: 200, count: 20)
        controller.link.goodbye(.paused, now: .ms(400))
        _ = controller.idle(until: 500)
        controller.link.resume(now: .ms(60_000))
        for time in [60_010.0, 60_400, 60_800] {
            _ = controller.idle(until: time)
            controller.acknowledge(below: 6, account: 5, at: time)
        }
        _ = controller.idle(until: 61_300)
        #expect(controller.link.state == .live)
    }

    @Test("A program that stood still reads what the host said meanwhile: that was no silence of the way up")
    func standstill() throws {
        var controller = Controller()
        _ = try controller.stream(from: 0, count: 20)
        controller.acknowledge(below: 6, account: 5, at: 195)
        _ = try controller.stream(from: 200, count: 20)
        // All of them came at 5 s, in the order in which they were sent.
        controller.acknowledge(below: 6, account: 5, at: 5_000)
        #expect(controller.link.needsRejoin)
        controller.acknowledge(below: 40, account: 39, at: 5_000)
        #expect(controller.link.state == .live)
    }
}
