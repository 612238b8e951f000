package import InputMerge
import WireProtocol

/// What can be said of a sample without asking the merge.
package enum Lateness: Hashable, Sendable {
    case onTime, late
    /// It depends on how well the host knows its controller's clock: it is old, or that clock was set of late.
    case unknown
}

/// When a sample is late, worked out naively.
package enum LatenessRule: Sendable {
    /// Whoever comes more than so many samples behind the newest of its stream.
    case behind(UInt32)
    /// Whoever comes when its place was given up, waited for too long, or is too old.
    case timeline(TimelineRule)
}

/// The merge's rules, in its own words (``MergeConfiguration``), for streams of one rate.
package struct TimelineRule: Sendable {
    var holdback: Duration
    var longestWait: Duration
    var oldest: Duration
    /// Samples that have room behind a missing one: the next power of two.
    var capacity = 64

    package init(_ configuration: MergeConfiguration, rate: Double) {
        (holdback, longestWait, oldest) = (configuration.holdback, configuration.longestWait, configuration.oldest)
        while Double(capacity) < rate * (1 + Double(holdback.wholeNanoseconds) / 1e9) { capacity *= 2 }
    }
}

/// What was given up of one stream, as far as arrivals tell.
struct GivenUp: Sendable {
    /// What lies below and has not come is late when it comes.
    private var below = 0
    /// What lies below may have been given up.
    private var perhapsBelow = 0
    /// What came within the last holdback, in the order of its coming.
    private var awaiting: [(at: HostTime, index: Int)] = []

    /// - Parameters:
    ///   - takenAt: when it was really taken, at the earliest.
    ///   - admittedAt: when its controller got its seat.
    mutating func judge(
        _ index: Int, takenAt: HostTime?, admittedAt: HostTime, isDoubtful: Bool, at: HostTime, now: HostTime,
        _ rule: TimelineRule
    ) -> Lateness {
        while let first = awaiting.first, first.at <= at - rule.holdback {
            below = max(below, first.index)
            awaiting.removeFirst()
        }
        if now - at > rule.longestWait {
            below = max(below, index + 1)
            return .late
        }
        if index < below { return .late }
        let isOld = takenAt.map { now - $0 >= rule.oldest || $0 < admittedAt } ?? true
        if isOld || isDoubtful || index < perhapsBelow {
            perhapsBelow = max(perhapsBelow, index + 1)
            return .unknown
        }
        below = max(below, index - rule.capacity + 1)
        awaiting.append((at, index))
        return .onTime
    }
}
