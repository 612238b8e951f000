import LinkEmulation
import SessionCoordinator
import Testing
import WireProtocol

@Suite("The paper's latency, without synchronised clocks")
struct RelativeLatencyTests {
    private func stamps(_ delays: [Double], offset: Int64 = 0) -> [FrameStamps] {
        delays.enumerated().map { place, delay in
            let sentAt = Int64(place) * 10_000_000
            return FrameStamps(
                sentAt: sentAt + offset, arrivedAt: HostTime(nanoseconds: sentAt + Int64(delay * 1e6)))
        }
    }

    @Test(
        "It is relative to the median, whatever the clocks' offset is",
        arguments: [0, 31_557_600_000_000_000, -7] as [Int64])
    func offset(offset: Int64) throws {
        let latency = try #require(RelativeLatency(stamps([70, 71, 72, 73, 74], offset: offset)))
        #expect(latency.frames == 5 && latency.outliers == 0)
        #expect(latency.mean == 0 && latency.minimum == -2 && latency.maximum == 2 && latency.p95 == 2)
        #expect(abs(latency.standardDeviation - 2.0.squareRoot()) < 1e-9)
    }

    @Test("What lies more than three standard deviations from the mean is taken out, and counted")
    func outliers() throws {
        var delays = [Double](repeating: 20, count: 999).enumerated().map { $1 + Double($0 % 3) }
        delays.append(900)
        let latency = try #require(RelativeLatency(stamps(delays)))
        #expect(latency.frames == 1_000 && latency.outliers == 1)
        #expect(latency.maximum == 1)
    }

    @Test("Nothing is said of no frames; one frame is its own median")
    func few() throws {
        #expect(RelativeLatency([]) == nil)
        let one = try #require(RelativeLatency(stamps([5])))
        #expect((one.mean, one.p95, one.standardDeviation, one.frames) == (0, 0, 0, 1))
    }

    @Test("The log keeps the newest 1,000 frames in their order")
    func log() {
        var log = FrameLog()
        for number: Int64 in 0..<2_345 { log.note(FrameStamps(sentAt: number, arrivedAt: .ms(0))) }
        #expect(log.frames.map(\.sentAt) == Array(1_345..<2_345))
    }
}
