import Testing
import WireProtocol

@testable import InputMerge

@Suite("What one sample out of the order of time does to those that follow")
struct LaneTests {
    /// Feeds samples of these times in ms, each the next index.
    private func lane(_ times: [Double]) -> MotionLane {
        var lane = MotionLane(
            declaration: StreamDeclaration(), longestBridge: .milliseconds(200), mostBridged: 100)
        for (index, time) in times.enumerated() {
            _ = lane.take(Timeline.Arrival(index: UInt64(index), sample: sample(at: time), arrivedAt: ms(time)))
        }
        return lane
    }

    @Test("One alone is a stray, however many were before; of two in a row the second shows a clock that was set")
    func strays() {
        let alone = lane([0, 10, 20, 15, 30, 40, 35, 50]).tally
        #expect((alone.backwards, alone.holes, alone.fed) == (2, 0, 6))
        let set = lane([0, 10, 20, 5, 15, 25]).tally
        #expect((set.backwards, set.holes, set.fed) == (1, 1, 5))
    }

    @Test("After one long silence of the sensor the gaps in its samples are filled as before")
    func longSilence() {
        for silence in [0.0, 5_000] {
            var after = lane([0, 10, 20, 30].map { $0 } + [40, 50, 150].map { $0 + silence })
            #expect(after.takeBridged() >= 3, "after \(silence) ms")
        }
    }
}
