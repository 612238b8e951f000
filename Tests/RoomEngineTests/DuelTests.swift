import InputMerge
import LinkEmulation
import RoomEngine
import SessionCoordinator
import Testing
import WireProtocol

@testable import RoomSimulation

/// Two phones, links of known length, and the room that judges their pushes. Over sockets: `ContestTests`.
@Suite("Who was first, whatever the links")
struct DuelTests {
    /// - Parameters:
    ///   - ways: the ways of both, once their clocks are known.
    ///   - pushes: when each pushes, in ms.
    private func duel(
        _ rules: ContestRules, rates: [Double] = [100, 100], ways: [String] = ["delay=2500us", "delay=2500us"],
        pushes: [[Int64]]
    ) throws -> [Verdict] {
        var rules = rules
        rules.gestures = [.keepCalmJump]
        let merge = MergeConfiguration(gestures: [.keepCalmJump], contests: rules)
        var stage = try Stage(merge, rates: rates, networks: ["delay=2500us", "delay=2500us"])
        stage.run(for: .seconds(3))
        #expect(stage.host.engine.coordinator.reports(now: stage.now).map { $0.clock?.state } == [.locked, .locked])
        for place in ways.indices { stage.controllers[place].conditions = try NetworkConditions(parsing: ways[place]) }
        stage.run(for: .seconds(3), pushes: pushes)
        return stage.verdicts
    }

    @Test("Who moved first by more than both uncertainties wins on a 150 ms link over who moved second on a 5 ms link")
    func slowLinkWins() throws {
        let verdicts = try duel(
            ContestRules(cap: .milliseconds(600)), ways: ["delay=150ms", "delay=2500us"], pushes: [[500], [560]])
        let verdict = try #require(verdicts.first)
        #expect(verdicts.count == 1 && verdict.order == [[1], [2]] && verdict.winners == [1] && verdict.missed == [])
        let (first, second) = (try #require(verdict.contenders.first), try #require(verdict.contenders.last))
        let (own, other) = (
            try #require(first.uncertaintyNanoseconds), try #require(second.uncertaintyNanoseconds)
        )
        let gap = (try #require(second.occurredAt) - (try #require(first.occurredAt))).wholeNanoseconds
        // Sampled every 10 ms, the truth lies inside; and the slow way is in no uncertainty.
        #expect((gap - 60_000_000).magnitude <= UInt64(own + other) && gap > own + other)
        #expect((5_000_000...12_000_000).contains(own))
    }

    @Test("Closer than that it is a tie, which is played again, though the fast link brought the later move first")
    func tie() throws {
        let verdicts = try duel(
            ContestRules(ties: .replay, cap: .milliseconds(600)), ways: ["delay=150ms", "delay=2500us"],
            pushes: [[500], [510]])
        let verdict = try #require(verdicts.first)
        #expect(verdict.order == [[1, 2]] && verdict.winners == [] && verdict.isToBeReplayed)
    }

    @Test("A phone at 30 Hz is not judged more precisely than its sampling allows")
    func slowSampling() throws {
        let rules = ContestRules(ties: .draw, cap: .milliseconds(600), pause: .milliseconds(500), seed: 7)
        let verdicts = try duel(rules, rates: [30, 100], pushes: [[500, 1_500], [480, 1_600]])
        #expect(verdicts.map(\.order) == [[[1, 2]], [[1], [2]]])
        let drawn = try #require(verdicts.first)
        #expect(drawn.winners.count == 1 && drawn.ties == .draw)
        #expect(try #require(drawn.contenders.first?.uncertaintyNanoseconds) >= 16_600_000)
    }

    @Test("Whose samples do not come by the cap is named; who is on time is ranked")
    func cap() throws {
        let verdicts = try duel(
            ContestRules(cap: .milliseconds(100)), ways: ["delay=400ms", "delay=2500us"], pushes: [[], [500]])
        let verdict = try #require(verdicts.first)
        #expect(verdict.order == [[2]] && verdict.missed == [1] && verdict.decidedBy == .cap)
        #expect(verdict.contenders.map(\.reason) == [.missed, .placed])
    }
}
