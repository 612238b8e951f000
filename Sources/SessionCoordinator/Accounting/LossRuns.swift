/// How losses lie: in bursts, or one by one in between (RFC 3611, section 4.7.2).
///
/// A burst begins and ends with a lost number and holds no ``minimumGap`` received ones in a row; what lies outside of
/// bursts is gap, and a loss that stands alone belongs to it. Numbers are taken in their order, each once its fate is
/// final; what is not yet is added by ``report(with:)`` for the time being. Constant memory, a few steps a number.
package struct LossRuns: Hashable, Sendable {
    /// RFC 3611's Gmin, the value that it recommends.
    package static let minimumGap: UInt64 = 16

    private var numbers: UInt64 = 0
    private var lost: UInt64 = 0
    private var bursts: UInt64 = 0
    private var burstNumbers: UInt64 = 0
    private var burstLost: UInt64 = 0
    private var gaps: UInt64 = 0
    /// Since the last burst ended: how many numbers its gap has.
    private var openGap: UInt64 = 0
    /// Losses that may be a burst, and how many numbers lie between the first and the last of them, these included.
    private var clusterLost: UInt64 = 0
    private var clusterSpan: UInt64 = 0
    /// Received in a row since the last loss.
    private var since: UInt64 = 0

    package init() {}

    /// What became of the next numbers.
    mutating func take(isReceived: Bool, count: UInt64) {
        numbers += count
        if isReceived {
            since += count
            return
        }
        lost += count
        if clusterLost > 0, since < Self.minimumGap {
            clusterSpan += since + count
            clusterLost += count
        } else {
            closeCluster()
            openGap += since
            (clusterLost, clusterSpan) = (count, count)
        }
        since = 0
    }

    private mutating func closeCluster() {
        if clusterLost > 1 {
            if openGap > 0 { gaps += 1 }
            openGap = 0
            bursts += 1
            burstNumbers += clusterSpan
            burstLost += clusterLost
        } else {
            openGap += clusterLost
        }
        (clusterLost, clusterSpan) = (0, 0)
    }

    /// How it stands, with what is not final yet.
    func report(with provisional: (inout LossRuns) -> Void = { _ in }) -> LossReport {
        var runs = self
        provisional(&runs)
        runs.closeCluster()
        if runs.openGap + runs.since > 0 { runs.gaps += 1 }
        return LossReport(
            numbers: runs.numbers, lost: runs.lost, bursts: runs.bursts, burstNumbers: runs.burstNumbers,
            burstLost: runs.burstLost, gaps: runs.gaps)
    }
}

/// RFC 3611's figures, as exact counts; its rates and means follow from them.
public struct LossReport: Hashable, Sendable {
    /// Numbers that were looked at, and those of them that did not arrive.
    public var numbers: UInt64
    /// See ``numbers``.
    public var lost: UInt64
    /// Bursts, the numbers in them, and those of these that were lost.
    public var bursts: UInt64
    /// See ``bursts``: all numbers in them, received ones included.
    public var burstNumbers: UInt64
    /// See ``bursts``: those of ``burstNumbers`` that did not arrive.
    public var burstLost: UInt64
    /// Stretches outside of bursts.
    public var gaps: UInt64

    /// The part of all numbers that was lost, 0 to 1; `nil` before the first.
    public var lossRate: Double? { Self.part(lost, of: numbers) }
    /// The part that was lost within bursts, and outside of them.
    public var burstDensity: Double? { Self.part(burstLost, of: burstNumbers) }
    /// Of the numbers outside of bursts, the part that was lost, 0 to 1; `nil` where all lie in bursts.
    public var gapDensity: Double? { Self.part(lost - burstLost, of: numbers - burstNumbers) }
    /// Numbers in a burst and in a gap on average: times the sending interval, RFC 3611's durations.
    public var meanBurst: Double? { Self.part(burstNumbers, of: bursts) }
    /// Numbers in a gap on average, a gap being what lies outside of bursts; `nil` before the first.
    public var meanGap: Double? { Self.part(numbers - burstNumbers, of: gaps) }

    private static func part(_ some: UInt64, of all: UInt64) -> Double? { all == 0 ? nil : Double(some) / Double(all) }
}
