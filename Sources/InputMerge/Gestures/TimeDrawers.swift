import WireProtocol

/// Sixteen drawers that time fills one after another, by the device's clock: what is kept in them costs the same at every
/// rate.
///
/// They are emptied one at a time: what lies in them is of between 15/16 of the span and the whole.
struct TimeDrawers: Sendable {
    static let count = 16

    private let drawer: Int64
    /// The newest one's number since the clock began; `.min` before the first, …
    private var newest: Int64 = .min
    /// … and when it began.
    private var begins: Int64 = 0

    init(span: Duration) { drawer = max(1, span.wholeNanoseconds / Int64(Self.count)) }

    /// The drawers from now on back in time, as many as are open anew: what lies in them is over. All of them after a hole,
    /// or a clock that was set back.
    struct Opened {
        /// This moment's.
        let slot: Int
        fileprivate let anew: Int

        @inline(__always)
        func forEachAnew(_ empty: (Int) -> Void) {
            for back in 0..<anew { empty((slot - back) & (TimeDrawers.count - 1)) }
        }
    }

    /// Opens the drawer of this moment.
    mutating func open(at time: DeviceTime) -> Opened {
        let anew = step(to: time.nanoseconds) ?? jump(to: time.nanoseconds)
        return Opened(slot: Int(truncatingIfNeeded: newest) & (Self.count - 1), anew: anew)
    }

    /// As many drawers on as there are, or fewer, as most samples are; `nil` for a longer way, or one back. A division would
    /// cost more than all else here.
    private mutating func step(to time: Int64) -> Int? {
        let (since, isFar) = time.subtractingReportingOverflow(begins)
        guard newest != .min, !isFar, since >= 0, since / Int64(Self.count) < drawer else { return nil }
        var (left, steps) = (since, 0)
        while left >= drawer {
            left -= drawer
            steps += 1
        }
        newest += Int64(steps)
        begins += since - left
        return steps
    }

    private mutating func jump(to time: Int64) -> Int {
        let (quotient, remainder) = time.quotientAndRemainder(dividingBy: drawer)
        let place = remainder < 0 ? quotient - 1 : quotient
        let steps = place.saturatingSubtract(newest)
        newest = place
        let (start, isBeforeTime) = place.multipliedReportingOverflow(by: drawer)
        begins = isBeforeTime ? .min : start
        return 0..<Int64(Self.count) ~= steps ? Int(steps) : Self.count
    }
}
