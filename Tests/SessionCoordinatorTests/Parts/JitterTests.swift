import LinkEmulation
import Testing
import WireProtocol

@testable import SessionCoordinator

@Suite("Interarrival jitter and queueing delay")
struct JitterTests {
    /// RFC 3550's appendix A.8 to the letter: `s->jitter += d - ((s->jitter + 8) >> 4)`, reported as `jitter >> 4`.
    private struct Appendix {
        var transit = 0
        var jitter = 0

        mutating func book(arrival: Int, timestamp: Int, isFirst: Bool) {
            let transit = arrival - timestamp
            let d = isFirst ? 0 : abs(transit - self.transit)
            self.transit = transit
            jitter += d - ((jitter + 8) >> 4)
        }
    }

    @Test("It counts as appendix A.8 of RFC 3550 does, to the nanosecond", arguments: 1...5)
    func appendix(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var (jitter, appendix) = (InterarrivalJitter(), Appendix())
        for number in 0..<1_000 {
            let sentAt = 5_000_000_000_000 + number * 10_000_000
            let arrival = number * 10_000_000 + Int(random.next() % 40_000_000)
            jitter.book(sentAt: Int64(sentAt), arrivedAt: HostTime(nanoseconds: Int64(arrival)))
            appendix.book(arrival: arrival, timestamp: sentAt, isFirst: number == 0)
            #expect(jitter.nanoseconds == Int64(appendix.jitter >> 4), "seed \(seed)")
        }
    }

    @Test("Transit times that alternate by 16 ms give 1 ms after the first change, and tend to 16 ms")
    func numbers() {
        var jitter = InterarrivalJitter()
        for number in 0..<400 {
            let sentAt = Int64(number) * 20_000_000
            let arrivedAt = HostTime(nanoseconds: sentAt + (number % 2 == 0 ? 0 : 16_000_000))
            jitter.book(sentAt: sentAt, arrivedAt: arrivedAt)
            if number == 0 { #expect(jitter.nanoseconds == 0) }
            if number == 1 { #expect(jitter.nanoseconds == 1_000_000) }
        }
        #expect(abs(jitter.nanoseconds - 16_000_000) < 10)
    }

    @Test("No offset of the sender's clock, however absurd, makes it trap or shows in it")
    func offsets() {
        var jitter = InterarrivalJitter()
        jitter.book(sentAt: .min, arrivedAt: HostTime(nanoseconds: .max))
        jitter.book(sentAt: .max, arrivedAt: HostTime(nanoseconds: .min))
        #expect(jitter.nanoseconds <= 60_000_000_000 / 16)
    }

    @Test("Queueing is what a datagram's way took longer than the quickest of late, whatever the offset of the clocks")
    func queueing() {
        var meter = TransitMeter()
        let offset: Int64 = -31_557_600_000_000_000
        // Milliseconds on the way, seconds of arrival. A clock that drifts does not count as a queue for ever: after 20
        // to 40 s the least is forgotten.
        let ways: [(way: Int64, at: Int64)] = [(5, 0), (12, 1), (3, 2), (5, 3), (9, 25), (9, 50)]
        let queued = ways.map {
            meter.book(transit: offset + $0.way * 1_000_000, arrivedAt: $0.at * 1_000_000_000, rise: 0)
        }
        #expect(queued == [0, 7_000_000, 0, 2_000_000, 6_000_000, 0])
    }

    @Test("What the clocks drift apart is no queue, be the rate known to 10 ppm or not at all; what queues shows")
    func drift() {
        for (rate, rise) in [(0.000_15, 0.000_16), (-0.000_15, -0.000_14), (0.000_2, 0.000_2), (-0.000_2, 0.000_2)] {
            var meter = TransitMeter()
            var worst: Int64 = 0
            for tick in 0..<12_000 {
                let at = Int64(tick) * 10_000_000
                // Each tenth second one waits for 5 ms.
                let way = Int64(Double(at) * rate) + (tick % 10 == 9 ? 5_000_000 : 0)
                let queued = meter.book(transit: way, arrivedAt: at, rise: rise)
                if tick % 10 == 9 {
                    #expect((4_950_000...5_000_100).contains(queued), "\(rate), \(tick)")
                } else {
                    worst = max(worst, queued)
                }
            }
            #expect(worst < 1_000, "\(rate)")
        }
    }
}
