import InputMerge
import RoomEngine
import SessionCoordinator
import Testing
import WireProtocol

@testable import RoomSimulation

@Suite("How deep a device is is told as it is, whatever the network does")
struct SubmersionTests {
    /// A diver for a minute: what was told, and what the law has against it.
    private func dive(_ network: String) throws -> (events: [SubmersionEvent], problems: [String]) {
        var stage = try Stage(rates: [50], networks: [network], dives: [Dive()])
        stage.run(for: .seconds(60))
        var law = DiveLaw()
        let events = stage.events.compactMap { event -> SubmersionEvent? in
            guard case .submersion(let event, let player, let controller) = event else { return nil }
            #expect(player == 1 && controller == stage.controllers[0].id)
            law.told(event, of: controller, Dive())
            return event
        }
        #expect(law.judged > 40, "\(law.judged)")
        let request = RequestID(rawValue: 7)
        stage.host.handle(.command(.peers("P1", minute: false), request), at: stage.now)
        stage.run(for: .milliseconds(5))
        guard case .success(.peers(let peers)) = stage.host.answers[request] else {
            Issue.record("nobody is there")
            return (events, [])
        }
        #expect(peers.first?.submersion?.state == events.last?.state)
        return (events, law.takeProblems())
    }

    @Test(
        "Each state and depth is so, at its time, within what is told with it",
        arguments: ["delay=5ms", "delay=40±20ms,reorder=5%", "loss=20%,burst=2,delay=30±20ms"])
    func story(network: String) throws {
        let (events, problems) = try dive(network)
        #expect(problems == [])
        // Down and up two and a half times; past 6 m it turns at 8 m.
        let turns = events.filter { $0.from != nil }.map(\.state)
        #expect(Set(turns) == [.notSubmerged, .submergedShallow, .submergedDeep, .approachingMaxDepth, .pastMaxDepth])
        #expect(turns.count { $0 == .pastMaxDepth } >= 2)
        let depths = events.compactMap { event in event.reading.depth.map { ($0, event.reading.depthUncertainty ?? 0) }
        }
        #expect((depths.max { $0.0 < $1.0 }?.1 ?? 0) > (depths.min { $0.0 < $1.0 }?.1 ?? 1))
    }

    @Test("A law that is told a metre too much finds it")
    func broken() throws {
        var law = DiveLaw()
        let dive = Dive(period: .seconds(24), range: -1...8)
        let at = HostTime(nanoseconds: 24_000_000_000 + 7_000_000_000)
        var event = SubmersionEvent(
            sensor: StreamKey(peer: 0, stream: 1), state: .submergedDeep, from: nil, reading: dive.reading(at: at),
            occurredAt: at, uncertaintyNanoseconds: 10_000_000)
        law.told(event, of: ControllerID(high: 0, low: 1), dive)
        #expect(law.takeProblems() == [])
        event.reading.depth = event.reading.depth.map { $0 + 1 }
        law.told(event, of: ControllerID(high: 0, low: 1), dive)
        #expect(!law.takeProblems().isEmpty)
    }
}
