import Roomful
import Testing
import WireProtocol

@testable import RoomfulCLI

@Suite("Samples that are fed with times of another clock")
struct FeedPaceTests {
    /// What became of a sample of this time, in s, that came at this moment of ours: when it was taken, and its wait.
    private func move(
        _ pace: inout FeedPace, _ time: Double, readAt now: Double, waited: Bool = true
    ) -> (at: Double, wait: Double) {
        var sample = Self.sample(time)
        let wait = pace.move(&sample, now: Self.time(now), waited: waited)
        return (Double(sample.sampledAt.nanoseconds) / 1e9, wait / .seconds(1))
    }

    private static func time(_ seconds: Double) -> DeviceTime { DeviceTime(nanoseconds: Int64(seconds * 1e9)) }
    private static func sample(_ time: Double) -> Sample {
        Sample(sampledAt: self.time(time), acceleration: SIMD3(0, 0, 9.81))
    }

    @Test(
        "A rate is told by times, in whole milliseconds too, over a pause and a clock that is set; not by few, nor by a burst's stamps"
    )
    func rate() throws {
        #expect(FeedPace.rate(of: Self.times(20, at: 400)) == 400)
        #expect(FeedPace.rate(of: Self.times(10, at: 25)) == 25)
        #expect(FeedPace.rate(of: Self.times(20, at: 800, withStep: 5)) == 800)
        #expect(FeedPace.rate(of: Self.times(20, at: 800, withStep: -5)) == 800)
        let rounded = Self.times(20, at: 400).map { time in
            DeviceTime(nanoseconds: (time.nanoseconds + 500_000) / 1_000_000 * 1_000_000)
        }
        let rate = try #require(FeedPace.rate(of: rounded))
        #expect((380...420).contains(rate))
        #expect(FeedPace.rate(of: Self.times(9, at: 400)) == nil)
        #expect(FeedPace.rate(of: Self.times(20, at: 50_000)) == nil)
        #expect(FeedPace.rate(of: []) == nil)
    }

    /// From the eleventh on they are later by the step, in s.
    private static func times(_ count: Int, at rate: Double, withStep step: Double = 0) -> [DeviceTime] {
        (0..<count).map { place in time(Double(place) / rate + (place > 9 ? step : 0)) }
    }

    @Test(
        "Who samples as time passes never waits and is never of the future, though its clock runs ahead for a night, or its first line came late",
        arguments: [(1.0001, 0), (1.02, 0), (0.98, 0), (1, 0.4)])
    func live(rate: Double, late: Double) {
        var pace = FeedPace(of: Self.sample(7), readAt: Self.time(1_000 + late))
        var (waits, leads, ages) = (0, 0, 0)
        // A clock that is slow falls behind by as much as it does in 20 s.
        let behind = max(0, 1 - rate) * 20.2 + 1e-6
        for step in 1..<288_000 {
            let passed = Double(step) / 10
            let (at, wait) = move(&pace, 7 + passed * rate, readAt: 1_000 + max(late, passed))
            waits += wait > 0 ? 1 : 0
            leads += at > 1_000 + max(late, passed) + 1e-6 ? 1 : 0
            ages += at < 1_000 + passed - behind ? 1 : 0
        }
        #expect((waits, leads, ages) == (0, 0, 0))
    }

    @Test("A sensor whose clock is set back goes on as of now, at once, a pause or not", arguments: [1.2, 20, 3e6])
    func setBack(by step: Double) {
        var pace = FeedPace(of: Self.sample(4e6), readAt: Self.time(1_000))
        for tenth in 1..<600 {
            let now = 1_000 + Double(tenth) / 10
            let passed = now - 1_000
            let (at, wait) = move(&pace, 4e6 + (passed < 20 ? passed : passed - step), readAt: now)
            #expect(wait == 0 && abs(at - now) < 1e-6, "\(now)")
        }
        let late = move(&pace, 4e6 + 1_000 - step, readAt: 2_000.3)
        #expect(abs(late.at - 2_000) < 1e-6, "that it came 0.3 s late shows against what came before the pause")
    }

    @Test("What comes in pieces, each at once, is sent at once with the times between its samples")
    func pieces() {
        var pace = FeedPace(of: Self.sample(7), readAt: Self.time(1_000))
        for piece in 1..<100 {
            var last: Double?
            for step in 0..<10 {
                let (at, wait) = move(
                    &pace, 7 + Double(piece * 10 + step) / 100, readAt: 1_000 + Double(piece) / 10, waited: step == 0)
                #expect(wait == 0 && abs(at - (last ?? at - 0.01) - 0.01) < 1e-6)
                last = at
            }
        }
    }

    @Test("A file is sent as it was sampled, from now on")
    func file() {
        var pace = FeedPace(ofFileFrom: Self.sample(38), now: Self.time(502))
        var now = 502.0
        for step in 0..<2_000 {
            let (at, wait) = move(&pace, 38 + Double(step) / 100, readAt: now, waited: step % 7 == 0)
            #expect(abs(at - (502 + Double(step) / 100)) < 1e-6)
            now += wait
            #expect(abs(at - now) < 1e-6, "at its time: \(step)")
        }
    }

    @Test("In a file, too, a clock that was set back goes on as of now, and what follows waits for its time")
    func fileSetBack() {
        var pace = FeedPace(ofFileFrom: Self.sample(50), now: Self.time(10))
        #expect(move(&pace, 50, readAt: 10, waited: false) == (10, 0))
        #expect(move(&pace, 3, readAt: 10.01, waited: false) == (10.01, 0))
        #expect(abs(move(&pace, 3.01, readAt: 10.01, waited: false).wait - 0.01) < 1e-6)
    }

    @Test("A program that stood still plays a file on from where it was, and sends nothing of it at once")
    func stoodStill() {
        var pace = FeedPace(ofFileFrom: Self.sample(0), now: Self.time(10))
        let late = move(&pace, 0.01, readAt: 10.9, waited: false)
        #expect(late.wait == 0 && abs(late.at - 10.01) < 1e-6, "a little late is no standstill")
        let woken = move(&pace, 0.02, readAt: 40, waited: false)
        #expect(woken.wait == 0 && abs(woken.at - 40) < 1e-6)
        #expect(abs(move(&pace, 0.03, readAt: 40, waited: false).wait - 0.01) < 1e-6)

        let start = Self.time(10)
        #expect(FeedPace.begin(start, of: .seconds(5), now: Self.time(14)) == start)
        #expect(FeedPace.begin(start, of: .seconds(5), now: Self.time(15.9)) == start)
        #expect(FeedPace.begin(start, of: .seconds(5), now: Self.time(45)) == Self.time(40))
    }

    @Test("A gap in a file goes on as of now, and so does a clock that is set ahead", arguments: [60, 1e9])
    func leaps(by leap: Double) {
        var file = FeedPace(ofFileFrom: Self.sample(0), now: Self.time(10))
        #expect(move(&file, 0, readAt: 10, waited: false) == (10, 0))
        #expect(move(&file, leap, readAt: 10.01, waited: false) == (10.01, 0))
        #expect(abs(move(&file, leap + 0.01, readAt: 10.01, waited: false).wait - 0.01) < 1e-6)
        var live = FeedPace(of: Self.sample(0), readAt: Self.time(10))
        #expect(move(&live, leap, readAt: 10.01) == (10.01, 0))
        #expect(abs(move(&live, leap + 0.01, readAt: 10.02).at - 10.02) < 1e-6)
        let back = move(&live, 0.02, readAt: 10.03)
        #expect(back.wait == 0 && abs(back.at - 10.03) < 1e-6)
    }
}
