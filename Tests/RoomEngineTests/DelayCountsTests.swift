import Histogram
import LinkEmulation
import Testing

@testable import RoomEngine

@Suite("Counts of delays")
struct DelayCountsTests {
    @Test("say what an HDR histogram says", arguments: [1, 2, 3] as [UInt64])
    func oracle(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var (counts, histogram) = (DelayCounts(), Histogram<UInt32>(numberOfSignificantValueDigits: .two))
        var longest: UInt64 = 0
        for number in 0..<5_000 {
            // Everything from nothing to a minute, as often of each length.
            let value = min(60_000_000, generator.next() >> (64 - generator.next() % 27))
            counts.record(value)
            histogram.record(value)
            longest = max(longest, value)
            guard number.nonzeroBitCount < 3 else { continue }
            for percent in [0.001, 1, 50, 95, 99, 99.9] {
                #expect(counts.value(at: percent) == histogram.valueAtPercentile(percent), "\(percent) % of \(number)")
            }
            #expect(counts.maximum == longest)
            #expect(counts.total == histogram.totalCount)
        }
    }

    @Test("go on beyond what two bytes hold, whatever comes before and afterwards")
    func overrun() {
        var (counts, histogram) = (DelayCounts(), Histogram<UInt32>(numberOfSignificantValueDigits: .two))
        for value in Array(repeating: 7, count: 200_000) + [90_000, 7, 90_001] + Array(repeating: 3, count: 66_000) {
            counts.record(UInt64(value))
            histogram.record(UInt64(value))
        }
        for percent in [1, 24, 25, 26, 75, 99.999] {
            #expect(counts.value(at: percent) == histogram.valueAtPercentile(percent), "\(percent) %")
        }
        #expect(counts.total == histogram.totalCount)
    }

    @Test("of nothing are nothing")
    func empty() {
        #expect(DelayCounts().value(at: 50) == 0)
        #expect(DelayCounts().maximum == 0)
    }
}
