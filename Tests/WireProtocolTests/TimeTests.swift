import Testing
import WireProtocol

@Suite("Moments and clocks")
struct TimeTests {
    static let extremes: [Int64] = [.min, .min + 1, -1_000_000_000, -1, 0, 1, 1_000_000_000, .max - 1, .max]

    @Test("Moments saturate at the ends of their range", arguments: extremes)
    func saturation(nanoseconds: Int64) {
        let host = HostTime(nanoseconds: nanoseconds)
        let device = DeviceTime(nanoseconds: nanoseconds)
        // A duration has at most Int64.max nanoseconds either way.
        let latest = nanoseconds < 0 ? nanoseconds + .max : .max
        let earliest = nanoseconds < 0 ? .min : nanoseconds + .min
        #expect((host + .seconds(Int64.max)).nanoseconds == latest)
        #expect((host + .seconds(Int64.min)).nanoseconds == earliest)
        #expect((host - .seconds(Int64.max)).nanoseconds == (nanoseconds < -1 ? .min : nanoseconds - .max))
        #expect((host - .seconds(Int64.min)).nanoseconds == (nanoseconds < 0 ? nanoseconds - .min : .max))
        #expect((device + .seconds(Int64.max)).nanoseconds == latest)
        #expect((device + .seconds(Int64.min)).nanoseconds == earliest)
        for other in Self.extremes {
            let difference = host - HostTime(nanoseconds: other)
            #expect((difference > .zero) == (nanoseconds > other))
            #expect(device - DeviceTime(nanoseconds: other) == difference)
        }
    }

    @Test("A duration in whole nanoseconds is rounded toward zero and saturates")
    func wholeNanoseconds() {
        #expect(Duration(secondsComponent: 1, attosecondsComponent: 1_999_999_999).wholeNanoseconds == 1_000_000_001)
        #expect(Duration(secondsComponent: -1, attosecondsComponent: -1_999_999_999).wholeNanoseconds == -1_000_000_001)
        #expect(Duration.seconds(Int64.max).wholeNanoseconds == .max)
        #expect(Duration.seconds(Int64.min).wholeNanoseconds == .min)
        #expect(Duration.nanoseconds(Int64.min).wholeNanoseconds == .min)
        #expect(Duration.nanoseconds(Int64.max).wholeNanoseconds == .max)
    }

    @Test("A mapping is a straight line through its anchor")
    func mapping() {
        let mapping = ClockMapping(
            state: .locked, deviceAnchor: DeviceTime(nanoseconds: 1_000), hostAnchor: HostTime(nanoseconds: 5_000),
            rateOffset: 0.0002, uncertaintyNanoseconds: 100)
        #expect(mapping.hostTime(of: DeviceTime(nanoseconds: 1_000)).nanoseconds == 5_000)
        #expect(mapping.hostTime(of: DeviceTime(nanoseconds: 1_000_001_000)).nanoseconds == 1_000_205_000)
        #expect(mapping.hostTime(of: DeviceTime(nanoseconds: -999_999_000)).nanoseconds == -1_000_195_000)
    }

    @Test("A mapping is as unsure of a moment before it was measured as of one after it")
    func uncertainty() {
        let mapping = ClockMapping(
            state: .locked, deviceAnchor: DeviceTime(nanoseconds: 0), hostAnchor: HostTime(nanoseconds: 0),
            uncertaintyNanoseconds: 100, measuredAt: HostTime(nanoseconds: 10_000_000), uncertaintyGrowth: 0.0001)
        for (time, uncertainty) in [(10_000_000, 100), (12_000_000, 300), (8_000_000, 300), (-10_000_000, 2_100)] {
            #expect(mapping.uncertaintyNanoseconds(at: HostTime(nanoseconds: Int64(time))) == Int64(uncertainty))
        }
    }

    @Test("A fraction of a nanosecond is rounded as the mathematics library rounds it", arguments: -3...66)
    func rounding(exponent: Int) {
        let power = Double(sign: .plus, exponent: exponent, significand: 1)
        for part in [0, 0.125, 0.25, 0.375, 0.5, 0.75, 1] {
            for value in [power * (1 + part), power + part, power - part] {
                for near in [value.nextDown, value, value.nextUp, -value.nextDown, -value, -value.nextUp] {
                    let rounded = near.rounded()
                    #expect(Int64(saturating: near) == (Int64(exactly: rounded) ?? (near < 0 ? .min : .max)))
                }
            }
        }
    }

    @Test("No time and no rate, however absurd, traps a mapping", arguments: extremes)
    func absurdMapping(anchor: Int64) {
        for rate in [0, 1e-4, -1e-4, 1, -1, 1e300, -1e300, .infinity, -.infinity, .nan] {
            for time in Self.extremes {
                let mapping = ClockMapping(
                    state: .coarse, deviceAnchor: DeviceTime(nanoseconds: anchor),
                    hostAnchor: HostTime(nanoseconds: 0), rateOffset: rate)
                let mapped = mapping.hostTime(of: DeviceTime(nanoseconds: time))
                if rate == .infinity || rate == 1e300, time > anchor { #expect(mapped.nanoseconds == .max) }
            }
        }
    }
}
