import Testing
import WireProtocol

@testable import InputMerge

@Suite("A timeline's ring")
struct TimelineTests {
    @Test(
        "However many samples wait for the first, and in whatever order they came, all are taken in their order",
        arguments: [1, 2, 7, 8, 9, 15, 16, 17, 63, 64])
    func growing(_ count: Int) {
        var timeline = Timeline(holdback: .seconds(60), capacity: 64)
        var state = UInt64(count)
        var index: UInt64 = 0
        // Several turns: the ring has grown by then, and begins anywhere.
        for turn in 0..<5 {
            var order = Array(index..<index + UInt64(count))
            for place in order.indices.dropLast() {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                order.swapAt(place, place + Int(state >> 33) % (order.count - place))
            }
            // The first comes last: all others wait for it.
            order.removeAll { $0 == index }
            for late in order + [index] {
                timeline.makeRoom(for: late)
                let sample = Sample(sampledAt: DeviceTime(nanoseconds: Int64(late)), acceleration: .zero)
                #expect(timeline.insert(sample, index: late, arrivedAt: ms(Double(turn))) == .delivered)
                #expect(late == index || timeline.take() == nil)
            }
            var taken: [UInt64] = []
            while let arrival = timeline.take() {
                #expect(arrival.sample.sampledAt.nanoseconds == Int64(arrival.index))
                taken.append(arrival.index)
            }
            #expect(taken == Array(index..<index + UInt64(count)))
            index += UInt64(count)
        }
        #expect(timeline.waiting == 0 && timeline.capacity == 64)
    }

    @Test("What goes by in its turn is what would have been inserted and taken", arguments: 0..<40)
    func goingBy(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var (short, long) = (
            Timeline(holdback: .milliseconds(30), capacity: 16), Timeline(holdback: .milliseconds(30), capacity: 16)
        )
        var (next, goneBy): (UInt64, Int) = (0, 0)
        var (byShort, byLong): ([UInt64], [UInt64]) = ([], [])
        for step in 0..<400 {
            let now = ms(Double(step) * 4)
            // Most come in order; some are late, some leave others out, some come twice.
            let ahead = Int.random(in: 0..<10, using: &random)
            let index = ahead < 7 ? next : UInt64(max(0, Int(next) + Int.random(in: -3...5, using: &random)))
            next = max(next, index + 1)
            if step % 50 == 49 {
                short.abandon(below: next)
                long.abandon(below: next)
            }
            let sample = Sample(sampledAt: DeviceTime(nanoseconds: Int64(index)), acceleration: .zero)
            let verdict: ArrivalVerdict
            short.pass(until: now)
            if step % 50 != 49 { while let arrival = short.take() { byShort.append(arrival.index) } }
            if short.goesBy(index) {
                byShort.append(index)
                goneBy += 1
                verdict = .delivered
            } else {
                short.makeRoom(for: index)
                while let arrival = short.take() { byShort.append(arrival.index) }
                verdict = short.insert(sample, index: index, arrivedAt: now)
                while let arrival = short.take() { byShort.append(arrival.index) }
            }
            long.pass(until: now)
            while let arrival = long.take() { byLong.append(arrival.index) }
            long.makeRoom(for: index)
            while let arrival = long.take() { byLong.append(arrival.index) }
            #expect(long.insert(sample, index: index, arrivedAt: now) == verdict)
            while let arrival = long.take() { byLong.append(arrival.index) }
            #expect(byShort == byLong && short.next == long.next && short.waiting == long.waiting)
            #expect(short.deadline == long.deadline)
        }
        #expect(goneBy > 20 && goneBy < 400)
    }

    @Test("A sample as far ahead as the ring is long makes room for itself, and is not taken for a missing one")
    func aTurnAhead() {
        for ahead in [3, 4, 5] as [UInt64] {
            var timeline = Timeline(holdback: .seconds(60), capacity: 4)
            timeline.makeRoom(for: ahead)
            #expect(timeline.take() == nil)
            let sample = Sample(sampledAt: DeviceTime(nanoseconds: Int64(ahead)), acceleration: .zero)
            #expect(timeline.insert(sample, index: ahead, arrivedAt: ms(0)) == .delivered)
            #expect(timeline.take() == nil)
            #expect(timeline.next == ahead - 3)
        }
    }
}
