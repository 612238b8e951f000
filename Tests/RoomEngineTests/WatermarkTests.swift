import InputMerge
import LinkEmulation
import RoomEngine
import Testing
import WireProtocol

@testable import RoomSimulation

@Suite("Until when everything is known that players did")
struct WatermarkTests {
    @Test("What happened before a watermark was told before the answer that names it")
    func order() throws {
        let merge = MergeConfiguration(gestures: [.keepCalmJump])
        var stage = try Stage(
            merge, rates: [100, 60, 100], networks: ["delay=5ms", "delay=20ms,jitter=15ms", "delay=8ms,loss=5%"])
        stage.run(for: .seconds(1))
        stage.asksWatermarks = true
        stage.run(
            for: .seconds(4),
            pushes: [
                [300, 900, 1_500, 2_100, 2_700], [310, 1_000, 1_490, 2_400, 3_000], [290, 700, 1_520, 2_110, 3_300],
            ])
        let gestures = stage.events.enumerated().compactMap { place, event in
            if case .gesture(let gesture, _) = event, gesture.phase == .began { (place: place, gesture) } else { nil }
        }
        #expect(gestures.count >= 12)
        // For one who only looks at samples: how often a gesture was found in the very turn that names its moment.
        var late = 0
        for report in stage.reports {
            #expect(report.players.map(\.player) == [1, 2, 3])
            for (place, gesture) in gestures {
                let known = report.players[gesture.player - 1]
                guard let watermark = known.watermark, gesture.occurredAt <= watermark else { continue }
                #expect(place < report.behind, "\(gesture.id) is told behind an answer that knows its moment")
                if place == report.behind - 1 { late += 1 }
            }
        }
        #expect(stage.reports.count > 500 && late > 0)
        let last = try #require(stage.reports.last)
        #expect(last.players.allSatisfy { $0.isLive && $0.clock != .none && $0.uncertaintyNanoseconds != nil })
    }

    @Test("A controller that fell silent is not live, and nothing is claimed of it")
    func silent() throws {
        var stage = try Stage(rates: [100, 100], networks: ["delay=5ms", "delay=5ms"])
        stage.asksWatermarks = true
        stage.run(for: .seconds(1))
        stage.controllers[1].conditions = try NetworkConditions(parsing: "loss=100%")
        stage.run(for: .seconds(3))
        let last = try #require(stage.reports.last)
        #expect(last.players.first { $0.player == 1 }?.isLive == true)
        if let other = last.players.first(where: { $0.player == 2 }) {
            #expect(!other.isLive && other.watermark == nil)
        }
    }
}
