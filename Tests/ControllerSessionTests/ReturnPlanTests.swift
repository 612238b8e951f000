import Testing
import WireProtocol

@testable import ControllerSession

@Suite("When to ask for a seat again")
struct ReturnPlanTests {
    /// Waits in milliseconds after failures at these times, in seconds.
    private func waits(_ plan: inout ReturnPlan, at times: [Double], _ failure: ReturnPlan.Failure) -> [Double] {
        times.map { time in
            if case .wait(let wait) = plan.failed(at: .ms(time * 1_000), failure) { wait.milliseconds } else { -1 }
        }
    }

    @Test(
        "The wait doubles from a quarter of a second to five seconds, and a quarter more or less",
        arguments: [ReturnPlan.Failure.tooSlow, .refused(retryAfter: nil)])
    func doubling(failure: ReturnPlan.Failure) {
        expect([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000], at: Array(repeating: 0, count: 7), failure)
    }

    @Test("Where nobody is, the host is asked each second for a quarter of a minute, then as seldom as any other")
    func fresh() {
        expect(
            [250, 500, 1_000, 1_000, 1_000, 1_000, 5_000, 5_000], at: [0, 0.25, 0.75, 1.75, 2.75, 14.9, 15.1, 20],
            .unreachable)
    }

    private func expect(_ usual: [Int], at times: [Double], _ failure: ReturnPlan.Failure) {
        for seed: UInt64 in 0..<50 {
            var plan = ReturnPlan(patience: .seconds(1_000), seed: seed)
            _ = plan.begin(at: .ms(0))
            for (wait, usual) in zip(waits(&plan, at: times, failure), usual) {
                #expect((Double(usual) * 0.75...Double(usual) * 1.25).contains(wait))
            }
        }
    }

    @Test("When the seat would be given away the host is asked once more, not later and not again")
    func lastAttempt() {
        var plan = ReturnPlan(patience: .seconds(40), seed: 1)
        _ = plan.begin(at: .ms(0))
        _ = waits(&plan, at: Array(repeating: 0, count: 8), .unreachable)
        #expect(plan.failed(at: .ms(38_000), .unreachable) == .wait(.seconds(2)))
        #expect(plan.failed(at: .ms(40_000), .unreachable) == .giveUp)
    }

    @Test("A host that gives seats, and is heard on none, is given up after its patience: no return begins that anew")
    func hopeless() {
        var plan = ReturnPlan(patience: .seconds(40), seed: 1)
        for (time, expected) in [(3.0, false), (5, false), (20, false), (42.9, false), (43, true)] {
            let isHopeless = plan.isHopeless(wasHeard: false, at: .ms(time * 1_000))
            #expect(isHopeless == expected, "\(time) s")
            _ = plan.begin(at: .ms(time * 1_000))
            plan.concluded(at: .ms(time * 1_000))
        }
    }

    @Test("A host that was heard on one of its links has its whole patience again from the next on which it is not")
    func heardBetween() {
        var plan = ReturnPlan(patience: .seconds(40), seed: 1)
        for (time, wasHeard, expected) in [
            (0.0, true, false), (30, false, false), (60, true, false), (80, false, false), (119.9, false, false),
            (120, false, true),
        ] {
            let isHopeless = plan.isHopeless(wasHeard: wasHeard, at: .ms(time * 1_000))
            #expect(isHopeless == expected, "\(time) s")
        }
    }

    @Test("A host that asks to be left alone is left alone, for a minute at most")
    func retryAfter() {
        var plan = ReturnPlan(patience: .seconds(40), seed: 1)
        _ = plan.begin(at: .ms(0))
        #expect(plan.failed(at: .ms(0), .refused(retryAfter: .seconds(30))) == .wait(.seconds(30)))
        #expect(plan.failed(at: .ms(0), .refused(retryAfter: .seconds(86_400))) == .wait(.seconds(60)))
    }

    @Test("A first return is at once; each that follows within a minute waits longer, and those lost together differ")
    func recentReturns() {
        func longest(after returns: Int, pause: Double = 1_000) -> Double {
            var waits: [Double] = []
            for seed: UInt64 in 0..<200 {
                var plan = ReturnPlan(patience: .seconds(40), seed: seed)
                var time = 0.0
                for _ in 0..<returns {
                    _ = plan.begin(at: .ms(time))
                    plan.concluded(at: .ms(time))
                    time += pause
                }
                waits.append(plan.begin(at: .ms(time)).milliseconds)
            }
            #expect(Set(waits).count > 190)
            #expect(waits.min() ?? 0 < (waits.max() ?? 0) / 10)
            return waits.max() ?? 0
        }
        #expect((200...250).contains(longest(after: 0)))
        #expect((400...500).contains(longest(after: 1)))
        #expect((3_200...4_000).contains(longest(after: 4)))
        #expect((12_800...16_000).contains(longest(after: 9)))
        #expect((200...250).contains(longest(after: 9, pause: 61_000)))
    }

    @Test("What was asked while the link lived, and given up for its silence, has cost the host as much as a return")
    func abandoned() {
        let longest = (0..<200 as Range<UInt64>).map { seed in
            var plan = ReturnPlan(patience: .seconds(40), seed: seed)
            plan.abandoned(at: .ms(0))
            #expect(plan.stretched(.seconds(5)) == .seconds(5))
            return plan.begin(at: .ms(100)).milliseconds
        }.max()
        #expect((400...500).contains(longest ?? 0))
    }

    @Test("A host that was started again, or goes on for another, was not starved: the next return is at once")
    func anotherHost() {
        for seed: UInt64 in 0..<50 {
            var plan = ReturnPlan(patience: .seconds(40), seed: seed)
            for time in 0..<5 {
                _ = plan.begin(at: .ms(Double(time) * 1_000))
                _ = plan.failed(at: .ms(Double(time) * 1_000), .tooSlow)
                plan.concluded(at: .ms(Double(time) * 1_000), continues: time < 4)
            }
            #expect(plan.begin(at: .ms(6_000)) <= .milliseconds(250))
            #expect(plan.stretched(.seconds(5)) == .seconds(5))
        }
    }

    @Test("A host that was too slow is given twice the time, then four times, until it answers")
    func stretching() {
        var plan = ReturnPlan(patience: .seconds(40), seed: 1)
        _ = plan.begin(at: .ms(0))
        #expect(plan.stretched(.seconds(5)) == .seconds(5))
        for expected in [10, 20, 20] {
            _ = plan.failed(at: .ms(0), .tooSlow)
            #expect(plan.stretched(.seconds(5)) == .seconds(expected))
        }
        plan.concluded(at: .ms(0))
        _ = plan.begin(at: .ms(1_000))
        #expect(plan.stretched(.seconds(5)) == .seconds(20))
        _ = plan.failed(at: .ms(1_000), .unreachable)
        #expect(plan.stretched(.seconds(5)) == .seconds(5))
    }

    @Test("A host that was slow is given its usual time again a minute later, and not before")
    func slownessIsForgotten() {
        var plan = ReturnPlan(patience: .seconds(1_000), seed: 1)
        _ = plan.begin(at: .ms(0))
        for _ in 0..<2 { _ = plan.failed(at: .ms(0), .tooSlow) }
        _ = plan.begin(at: .ms(60_000))
        #expect(plan.stretched(.seconds(5)) == .seconds(20))
        _ = plan.begin(at: .ms(60_001))
        #expect(plan.stretched(.seconds(5)) == .seconds(5))
    }
}
