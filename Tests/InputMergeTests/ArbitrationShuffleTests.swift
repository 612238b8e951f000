import InputMerge
import Testing
import WireProtocol

@Suite("Verdicts do not depend on the network")
struct ArbitrationShuffleTests {
    private func contenders(_ random: inout SplitMix64) -> [Arena.Contender] {
        (0..<2 + random.below(5)).map { _ in
            Arena.Contender(
                rate: [30, 50, 100, 100, 200][random.below(5)], delay: Double(5 + random.below(40)),
                clock: Double(1 + random.below(15)), state: random.below(6) == 0 ? .coarse : .locked,
                pushes: [500, 2_000].flatMap { start in
                    random.below(4) == 0 ? [] : [Double(start + random.below(160))]
                },
                phase: Double(random.below(10)))
        }
    }

    @Test("Shuffled and repeated within holdback, the same verdicts to the last field", arguments: [UInt64](1...40))
    func shuffled(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let rules = ContestRules(gestures: [.keepCalmJump], ties: .draw, seed: seed)
        let contenders = contenders(&random)
        var tidy = Arena(rules, contenders, until: 3_500)
        tidy.run()
        #expect(!tidy.verdicts.isEmpty, "seed \(seed)")
        for _ in 0..<3 {
            var wild = Arena(rules, contenders, until: 3_500)
            var arrivals: [Arena.Arrival] = []
            for var arrival in wild.arrivals {
                arrival.at += Double(random.below(45))
                arrivals.append(arrival)
                if random.below(6) == 0 { arrivals.append(arrival) }
            }
            arrivals.sort { ($0.at, $0.peer, $0.index) < ($1.at, $1.peer, $1.index) }
            wild.run(arrivals)
            #expect(wild.verdicts.map(\.facts) == tidy.verdicts.map(\.facts), "seed \(seed)")
            #expect(wild.verdicts.allSatisfy { $0.decidedBy == .watermark }, "seed \(seed)")
        }
    }

    @Test(
        "Whoever definitely precedes another has the better rank, and who ties with the first is first",
        arguments: [
            UInt64
        ](1...40))
    func order(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var arena = Arena(ContestRules(gestures: [.keepCalmJump]), contenders(&random), until: 3_500)
        arena.run()
        for verdict in arena.verdicts {
            let placed = verdict.contenders.filter { $0.reason == .placed }
            for a in placed {
                for b in placed where a.latest < b.earliest { #expect((a.rank ?? 0) < (b.rank ?? 0), "seed \(seed)") }
                let isFirst = !placed.contains { $0.latest < a.earliest }
                #expect(isFirst == (a.rank == 1), "seed \(seed)")
            }
            #expect(verdict.order.joined().sorted() == placed.map(\.player), "seed \(seed)")
        }
    }
}

extension Verdict.Contender {
    fileprivate var earliest: HostTime { (occurredAt ?? ms(0)) - .nanoseconds(uncertaintyNanoseconds ?? 0) }
    fileprivate var latest: HostTime { (occurredAt ?? ms(0)) + .nanoseconds(uncertaintyNanoseconds ?? 0) }
}
