import InputMerge
import Testing
import WireProtocol

@Suite("Samples that come too late to be acted on")
struct OldestTests {
    private func still(_ index: UInt32) -> Sample { sample(at: Double(index) * 10) }
    private func jumping(_ index: UInt32) -> Sample {
        sample(at: Double(index) * 10, push: index == 20 ? SIMD3(0, 2, 0) : .zero)
    }

    @Test(
        "What waited at the host for more than a second is late and makes nobody jump; what comes next is fed at once: H3"
    )
    func hostPause() {
        for (pause, isLate) in [(500.0, false), (3_000.0, true)] {
            var bench = Bench(motion: jumping)
            for index: UInt32 in 0..<10 { bench.arrive(index, at: Double(index) * 10 + 5) }
            // The host stands still; everything that came meanwhile is looked at in one go.
            let resumes = 100 + pause
            for index in 10..<UInt32(resumes / 10) {
                bench.verdicts[index] = bench.merge.accept(
                    jumping(index), index: index, of: stream(0), arrivedAt: ms(Double(index) * 10 + 5),
                    now: ms(resumes))
            }
            bench.advance(to: resumes)
            #expect(bench.seen.contains { $0.hasPrefix("keepcalm-jump") } == !isLate)
            #expect((bench.verdicts[20] == .late) == isLate)
            // The last second of the pause counts.
            let youngest = UInt32(max(10, resumes / 10 - 99))
            #expect(bench.verdicts[youngest] == .delivered)
            #expect(!bench.awaitsSamples)
        }
    }

    @Test("What waited at the controller is late too, once the clocks are known and 3 s have passed: P4")
    func controllerPause() {
        var bench = Bench(motion: jumping)
        for index: UInt32 in 0..<40 { bench.arrive(index, at: 5_000 + Double(index)) }
        bench.advance(to: 5_100)
        #expect(bench.verdicts.values.allSatisfy { $0 == .late })
        #expect(bench.seen.isEmpty)
    }

    @Test("A sensor that hands over a second at once has a second more")
    func batch() {
        var bench = Bench(declaration: StreamDeclaration(batch: .seconds(1)), motion: still)
        for index: UInt32 in 0..<100 { bench.arrive(index, at: 3_900) }
        #expect(bench.verdicts.values.allSatisfy { $0 == .delivered })
        var hasty = Bench(motion: still)
        for index: UInt32 in 0..<100 { hasty.arrive(index, at: 3_900) }
        #expect(hasty.verdicts.values.contains(.late))
    }
}
