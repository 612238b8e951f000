import LinkEmulation
import Testing

@Suite("An emulated link's statistics, over 100,000 datagrams")
struct StatisticsTests {
    @Test("Random loss loses the part it was told", arguments: [0.01, 0.05, 0.2])
    func randomLoss(part: Double) {
        var conditions = NetworkConditions()
        conditions.loss = part
        #expect(abs(measure(conditions, seed: 21).lostPart - part) < 0.004)
    }

    @Test("Burst loss loses the part and the mean length that it was told", arguments: [3.0, 4, 20])
    func burstLoss(length: Double) {
        var conditions = NetworkConditions()
        conditions.burst = .init(loss: 0.05, meanLength: length)
        let measured = measure(conditions, seed: 22)
        #expect(abs(measured.lostPart - 0.05) < 0.01)
        #expect(abs(measured.meanBurst / length - 1) < 0.1)
    }

    @Test("Two probabilities give the loss and the length that follow from them")
    func gilbert() {
        let burst = NetworkConditions.BurstLoss(entry: 0.005, exit: 0.25)
        #expect(burst.meanLength == 4)
        #expect(abs(burst.loss - 0.0196) < 0.0001)
    }

    @Test("Delays fill the interval around their middle evenly")
    func delays() {
        var conditions = NetworkConditions()
        (conditions.delay, conditions.jitter) = (.milliseconds(20), .milliseconds(10))
        let delays = measure(conditions, seed: 23).delays
        #expect(delays.min()! >= 10_000_000 && delays.max()! <= 30_000_000)
        let mean = delays.map(Double.init).reduce(0, +) / Double(delays.count)
        #expect(abs(mean - 20e6) < 0.1e6)
        #expect(abs(Double(delays.count { $0 < 15_000_000 }) / Double(delays.count) - 0.25) < 0.01)
    }

    @Test("The held-back ones are overtaken, the others keep their order")
    func reordering() {
        var conditions = NetworkConditions()
        conditions.delay = .milliseconds(5)
        conditions.reorder = 0.04
        let counters = measure(conditions, seed: 24).counters
        #expect(abs(Double(counters.reordered) / Double(counters.sent) - 0.04) < 0.004)
    }

    @Test("Duplicates and damage come as often as told")
    func duplication() {
        var conditions = NetworkConditions()
        conditions.duplication = 0.01
        conditions.corruption = 0.02
        let counters = measure(conditions, seed: 25).counters
        #expect(abs(Double(counters.duplicated) / Double(counters.sent) - 0.01) < 0.002)
        #expect(abs(Double(counters.corrupted) / Double(counters.delivered) - 0.02) < 0.002)
    }

    @Test("The generator is xoshiro256** as published: first outputs for the state that SplitMix64 makes of 0")
    func generator() {
        var generator = SeededGenerator(seed: 0)
        #expect(generator.next() == 0x99EC_5F36_CB75_F2B4)
        #expect(generator.next() == 0xBF6E_1F78_4956_452A)
    }

    private struct Measured {
        var counters = LinkCounters()
        var delays: [Int64] = []
        var bursts = 0
        var lostPart: Double { Double(counters.lost) / Double(counters.sent) }
        var meanBurst: Double { Double(counters.lost) / Double(bursts) }
    }

    /// Sends one datagram every 10 ms.
    private func measure(_ conditions: NetworkConditions, seed: UInt64) -> Measured {
        var link = ImpairedLink<[UInt8]>(conditions, seed: seed)
        var measured = Measured()
        var wasLost = false
        for number in Int64(0)..<100_000 {
            let now = number * 10_000_000
            switch link.send([0], at: now) {
            case .carried(let copy, _):
                measured.delays.append(copy.at - now)
                wasLost = false
            case .lost, .down:
                if !wasLost { measured.bursts += 1 }
                wasLost = true
            }
            _ = link.deliver(until: now)
        }
        _ = link.deliver(until: .max)
        measured.counters = link.counters
        return measured
    }
}
