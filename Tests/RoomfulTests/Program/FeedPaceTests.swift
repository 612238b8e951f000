import Roomful
import Testing
import WireProtocol

@testable import RoomfulCLI

@Suite("Samples that are fed with times of another clock")
struct FeedPaceTests {
    /// What became of a sample of this time, in s, that was read at this moment of ours: when it was taken, and its wait.
    private func move(_ pace: inout FeedPace, _ time: Double, readAt now: Double) -> (at: Double, wait: Double) {
        var sample = Self.sample(time)
        let wait = pace.move(&sample, now: Self.time(now))
        return (Double(sample.sampledAt.nanoseconds) / 1e9, wait / .seconds(1))
    }

    private static func time(_ seconds: Double) -> DeviceTime { DeviceTime(nanoseconds: Int64(seconds * 1e9)) }
    private static func sample(_ time: Double) -> Sample {
        Sample(sampledAt: self.time(time), acceleration: SIMD3(0, 0, 9.81))
    }

    @Test("Who samples as time passes never waits, though its clock runs ahead by 100 ppm for half an hour")
    func live() {
        var pace = FeedPace(of: Self.sample(7), readAt: Self.time(1_000))
        for step in 0..<180_000 {
            let passed = Double(step) / 100
            let (at, wait) = move(&pace, 7 + passed * 1.0001, readAt: 1_000 + passed)
            #expect(wait == 0 && abs(at - (1_000 + passed * 1.0001)) < 1e-6)
        }
    }

    @Test("A file that is read at once is sent as it was sampled")
    func file() {
        var pace = FeedPace(of: Self.sample(38), readAt: Self.time(500))
        var now = 502.0  // Joining took two seconds.
        for step in 0..<2_000 {
            let (at, wait) = move(&pace, 38 + Double(step) / 100, readAt: now)
            #expect(abs(at - (500 + Double(step) / 100)) < 1e-6)
            now += wait
            #expect(at - now <= 0.2501, "never far ahead of its time")
            #expect(step < 300 || abs(at - now) < 1e-6, "at its time: \(step)")
        }
    }

    @Test(
        "A gap in a file and a clock that is set ahead go on as of now; one set back goes back", arguments: [60, 1e9])
    func leaps(by leap: Double) {
        var pace = FeedPace(of: Self.sample(0), readAt: Self.time(10))
        #expect(move(&pace, 0, readAt: 10) == (10, 0))
        #expect(move(&pace, leap, readAt: 10.01) == (10.01, 0))
        #expect(abs(move(&pace, leap + 0.01, readAt: 10.02).at - 10.02) < 1e-6)
        let back = move(&pace, 0.02, readAt: 10.03)
        #expect(back.wait == 0 && abs(back.at - (10.03 - leap)) < 1e-3)
    }
}
