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
}
