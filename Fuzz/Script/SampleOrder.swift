@testable import InputMerge
import SessionCoordinator
import WireProtocol

/// Watches what the host hands on: each sample of a stream once, and to the game in order.
struct SampleOrder {
    fileprivate struct Stream {
        var indexes: Set<UInt32> = []
        var timeline = Timeline(holdback: .milliseconds(60), capacity: 256)
        var latest: Timeline.Arrival?
    }

    private var streams: [StreamKey: Stream] = [:]
    private var read = 0
    private var begun = 0

    mutating func check(_ sink: RecordingSink) {
        while read < sink.taken.count {
            begin(sink)
            let taken = sink.taken[read]
            let sample = Sample(sampledAt: sink.sampledAt[read])
            streams[taken.key]?.take(sample, taken.index, at: sink.arrivedAt[read])
            precondition(streams[taken.key] != nil, "a sample of a stream that never began")
            read += 1
        }
    }

    private mutating func begin(_ sink: RecordingSink) {
        while begun < sink.beginnings.count, sink.beginnings[begun].at <= read {
            streams[sink.beginnings[begun].key] = Stream()
            begun += 1
        }
    }
}

extension SampleOrder.Stream {
    fileprivate mutating func take(_ sample: Sample, _ index: UInt32, at time: HostTime) {
        precondition(indexes.insert(index).inserted, "a sample was handed on twice")
        timeline.pass(until: time)
        drain()
        timeline.makeRoom(for: UInt64(index))
        drain()
        _ = timeline.insert(sample, index: UInt64(index), arrivedAt: time)
        drain()
    }

    private mutating func drain() {
        while let next = timeline.take() {
            if let latest {
                precondition(next.index > latest.index, "an older sample came after a newer one")
                precondition(next.sample.sampledAt > latest.sample.sampledAt, "time ran backwards in a stream")
            }
            latest = next
        }
    }
}
