import SessionCoordinator
import WireProtocol

@testable import InputMerge

/// Watches what the host hands on: each sample of a stream once, and to the game in order, however it arrived.
struct SampleOrder {
    private var streams: [StreamKey: OrderedStream] = [:]
    private var read = 0
    private var begun = 0
    /// Samples that came out in order.
    private(set) var count = 0

    /// Reads on, and says what is wrong.
    mutating func problems(_ sink: RecordingSink) -> [String] {
        var problems: [String] = []
        while read < sink.taken.count {
            while begun < sink.beginnings.count, sink.beginnings[begun].at <= read {
                streams[sink.beginnings[begun].key] = OrderedStream()
                begun += 1
            }
            let taken = sink.taken[read]
            if streams[taken.key] == nil { problems.append("a sample of a stream that never began") }
            streams[taken.key]?.take(sink.samples[read], taken.index, at: sink.arrivedAt[read])
            problems += streams[taken.key]?.problems ?? []
            streams[taken.key]?.problems = []
            read += 1
        }
        count = streams.values.reduce(0) { $0 + $1.count }
        return problems
    }
}

/// One stream epoch, put in order by the merge's own timeline.
private struct OrderedStream {
    var problems: [String] = []
    var count = 0
    private var indexes: Set<UInt32> = []
    private var timeline = Timeline(holdback: .milliseconds(60), capacity: 256)
    private var latest: Timeline.Arrival?

    mutating func take(_ sample: Sample, _ index: UInt32, at time: HostTime) {
        if !indexes.insert(index).inserted { problems.append("sample \(index) was handed on twice") }
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
                if next.index <= latest.index { problems.append("\(next.index) came after \(latest.index)") }
                if next.sample.sampledAt <= latest.sample.sampledAt {
                    problems.append("time ran backwards in a stream")
                }
            }
            latest = next
            count += 1
        }
    }
}
