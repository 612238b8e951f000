/// How often each delay came, in microseconds: the buckets of an HDR histogram of two significant digits (Tene), of 2 bytes
/// each.
///
/// 256 buckets of one microsecond, then 128 for each doubling, up to the longest delay that came. A bucket that comes to
/// 65,536 goes on in a second list, which most peers' stay never needs.
struct DelayCounts: Sendable {
    private static let unit = 256
    private static let half = 128

    private var counts: [UInt16] = []
    /// How often each of them has run over; empty while none has.
    private var overruns: [UInt32] = []
    private(set) var total: UInt64 = 0
    /// The longest that came; 0 before the first.
    private(set) var maximum: UInt64 = 0
    /// The bucket that was counted last.
    private var latest = 0

    mutating func record(_ value: UInt64) {
        let bucket = Self.bucket(of: value)
        if bucket >= counts.count { grow(beyond: bucket) }
        latest = bucket
        counts[bucket] &+= 1
        if counts[bucket] == 0 { noteOverrun(bucket) }
        total += 1
        maximum = max(maximum, value)
    }

    /// Where the last was counted, and the next will be if it is as that; until this is changed.
    var latestPlace: UnsafePointer<UInt16>? {
        counts.withUnsafeBufferPointer { counts in counts.isEmpty ? nil : counts.baseAddress.map { $0 + latest } }
    }

    /// The greatest value of the bucket in which this part of all delays is reached, at most the greatest that came; 0
    /// before the first.
    ///
    /// - Parameter percent: more than 0, less than 100.
    func value(at percent: Double) -> UInt64 {
        let wanted = max(1, UInt64((percent.nextDown * Double(total) / 100).rounded(.up)))
        var sum: UInt64 = 0
        for bucket in counts.indices {
            sum += UInt64(counts[bucket])
            if !overruns.isEmpty { sum += UInt64(overruns[bucket]) << 16 }
            if sum >= wanted { return min(Self.end(of: bucket) - 1, maximum) }
        }
        return 0
    }

    private static func bucket(of value: UInt64) -> Int {
        let doublings = 56 - (value | 255).leadingZeroBitCount
        return doublings * half + Int(value >> UInt64(doublings))
    }

    /// The first value that lies beyond it.
    private static func end(of bucket: Int) -> UInt64 {
        guard bucket >= unit else { return UInt64(bucket + 1) }
        let doublings = bucket / half - 1
        return UInt64(bucket - doublings * half + 1) << UInt64(doublings)
    }

    /// Up to the end of the doubling.
    private mutating func grow(beyond bucket: Int) {
        let size = max(Self.unit, (bucket / Self.half + 1) * Self.half)
        counts += [UInt16](repeating: 0, count: size - counts.count)
        if !overruns.isEmpty { overruns += [UInt32](repeating: 0, count: size - overruns.count) }
    }

    private mutating func noteOverrun(_ bucket: Int) {
        if overruns.isEmpty { overruns = [UInt32](repeating: 0, count: counts.count) }
        overruns[bucket] &+= 1
    }
}
