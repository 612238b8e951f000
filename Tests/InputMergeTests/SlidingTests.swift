import Testing
import WireProtocol

@testable import InputMerge

@Suite("What the last while was like, in drawers")
struct SlidingTests {
    /// The same by heart: every value, with the number of the drawer that it lies in.
    private struct Remembered {
        var drawer: Int64
        var values: [(place: Int64, value: SIMD3<Double>)] = []

        mutating func add(_ value: SIMD3<Double>, at time: Int64) {
            let place = Int64((Double(time) / Double(drawer)).rounded(.down))
            if let last = values.last, place < last.place || place > last.place + 15 { values = [] }
            values.removeAll { $0.place <= place - 16 }
            values.append((place, value))
        }
    }

    @Test(
        "Greatest and range are those of the drawers that are open, at every rate, over holes and back in time",
        arguments: [1, 3, 10, 40, 200])
    func byHeart(_ interval: Int64) {
        let span = Duration.milliseconds(160)
        var random = SplitMix64(seed: UInt64(interval))
        var remembered = Remembered(drawer: 10_000_000)
        var (maximum, range) = (SlidingMaximum(span: span), SlidingRange(span: span))
        var lowest = SlidingMaximum(span: span, atLeast: -.infinity)
        #expect(maximum.value == 0 && lowest.value == -.infinity && range.widest == 0)
        var now: Int64 = -2_000_000_000
        for step in 0..<2_000 {
            now += Int64.random(in: 0...2 * interval * 1_000_000, using: &random)
            if step % 97 == 96 { now += Int64.random(in: -400_000_000...400_000_000, using: &random) }
            let value = SIMD3<Double>.random(in: 0...8, using: &random)
            let time = DeviceTime(nanoseconds: now)
            remembered.add(value, at: now)
            maximum.add(value.x, at: time)
            lowest.add(-value.x, at: time)
            range.add(value, at: time)
            let values = remembered.values.map(\.value)
            #expect(maximum.value == values.map(\.x).max())
            #expect(-lowest.value == values.map(\.x).min())
            let widest = (0..<3).map { axis in
                values.map { $0[axis] }.max()! - values.map { $0[axis] }.min()!
            }.max()!
            #expect(abs(range.widest - widest) < 1e-5 && range.count == values.count)
        }
    }

    @Test("The ends of time are drawers as others are")
    func ends() {
        for moment in [Int64.min, .min + 1, -1, 0, .max - 1, .max] {
            var maximum = SlidingMaximum(span: .milliseconds(160))
            maximum.add(1, at: DeviceTime(nanoseconds: 5))
            maximum.add(3, at: DeviceTime(nanoseconds: moment))
            maximum.add(2, at: DeviceTime(nanoseconds: moment))
            #expect(maximum.value == 3)
            maximum.add(2, at: DeviceTime(nanoseconds: 1_000_000_000))
            #expect(maximum.value == 2)
        }
        var maximum = SlidingMaximum(span: .milliseconds(160))
        for (moment, value) in [(Int64.min, 3.0), (.max, 1), (.min, 2), (.max - 1, 1)] {
            maximum.add(value, at: DeviceTime(nanoseconds: moment))
            #expect(maximum.value == value)
        }
    }
}
