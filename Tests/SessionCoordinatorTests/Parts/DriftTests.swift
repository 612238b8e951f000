import LinkEmulation
import RoomSimulation
import Testing
import WireProtocol

@testable import SessionCoordinator

@Suite("The drift of a controller's clock")
struct DriftTests {
    /// A room's worth of one controller's probes, one a second over ways of 2 to 40 ms each, and now and then 200 ms.
    private struct Exchange {
        var estimator = ClockEstimator()
        var random: SeededGenerator
        var device: (HostTime) -> DeviceTime
        var now = HostTime.ms(0)
        /// How far the truth lay outside of the interval at worst, in nanoseconds; negative when it was always inside.
        var worstOutside = Int64.min
        var answered: UInt16 = 0

        mutating func run(seconds: Int) {
            for _ in 0..<seconds {
                answered &+= 1
                estimator.probe(answered, sentAt: now)
                let reached = now + .nanoseconds(way())
                let left = reached + .nanoseconds(Int64(random.fraction() * 5e6))
                let end = left + .nanoseconds(way())
                _ = estimator.answer(
                    id: answered, receivedAt: device(reached), sentAt: device(left).nanoseconds, arrivedAt: end)
                for part in 0..<4 { look(at: end + .milliseconds(part * 150)) }
                now = now + .seconds(1)
            }
        }

        private mutating func way() -> Int64 {
            Int64(2e6 + 38e6 * random.fraction() * random.fraction() + (random.chance(0.02) ? 200e6 : 0))
        }

        private mutating func look(at time: HostTime) {
            guard let mapping = estimator.mapping(now: time), let known = mapping.uncertaintyNanoseconds else { return }
            let error = mapping.hostTime(of: device(time)).nanoseconds - time.nanoseconds
            worstOutside = max(worstOutside, abs(error) - known)
        }
    }

    @Test("After some minutes the rate is known to a few ppm, and the truth lay inside all the while", arguments: 1...8)
    func constant(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let drift = (random.fraction() * 2 - 1) * 0.0002
        let clock = SimulatedClock(offset: Int64(truncatingIfNeeded: random.next() >> 8), drift: drift)
        var exchange = Exchange(random: random, device: { clock.device($0) })
        exchange.run(seconds: 620)
        #expect(exchange.worstOutside <= 0, "seed \(seed)")
        let mapping = exchange.estimator.mapping(now: exchange.now)
        #expect(mapping?.uncertaintyGrowth ?? 1 < 0.000_05, "seed \(seed)")
        let rate = mapping?.rateOffset ?? 1
        #expect(abs(rate + drift / (1 + drift)) < 0.000_02, "seed \(seed): \(rate)")
    }

    @Test("A quartz that warms up by 10 ppm in a quarter of an hour is followed, the truth inside", arguments: 1...4)
    func warming(seed: UInt64) {
        let start = HostTime.ms(0).nanoseconds
        var exchange = Exchange(
            random: SeededGenerator(seed: seed),
            device: { time in
                let seconds = Double(time.nanoseconds - start) / 1e9
                // The rate rises from 80 to 90 ppm in 900 s: its integral is the clock.
                let ahead = 80e-6 * seconds + 0.5 * (10e-6 / 900) * seconds * seconds
                return DeviceTime(nanoseconds: time.nanoseconds + Int64(ahead * 1e9))
            })
        exchange.run(seconds: 900)
        #expect(exchange.worstOutside <= 0, "seed \(seed)")
    }

    @Test(
        "A clock that its system makes run by 500 ppm is found out within two minutes; then the truth lies inside",
        arguments: [-0.0005, 0.0005], [1, 2, 3, 4] as [UInt64])
    func slewed(drift: Double, seed: UInt64) {
        let clock = SimulatedClock(offset: 77, drift: drift)
        var exchange = Exchange(random: SeededGenerator(seed: seed), device: { clock.device($0) })
        exchange.run(seconds: 120)
        exchange.worstOutside = .min
        exchange.run(seconds: 500)
        #expect(exchange.worstOutside <= 0, "\(drift), seed \(seed)")
        let rate = exchange.estimator.mapping(now: exchange.now)?.rateOffset ?? 1
        #expect(abs(rate + drift / (1 + drift)) < 0.000_03, "\(drift), seed \(seed): \(rate)")
    }

    @Test(
        "A clock that is set, by a millisecond less than a second or by years, is followed from the next answer on",
        arguments: [999_000_000, -999_000_000, 31_557_600_000_000_000] as [Int64])
    func jump(by step: Int64) {
        var exchange = Exchange(
            random: SeededGenerator(seed: 3),
            device: { DeviceTime(nanoseconds: $0.nanoseconds + ($0 < .s(300) ? 0 : step)) })
        exchange.run(seconds: 299)
        #expect(exchange.worstOutside <= 0)
        exchange.run(seconds: 2)
        exchange.worstOutside = .min
        exchange.run(seconds: 100)
        #expect(exchange.worstOutside <= 0)
    }
}
