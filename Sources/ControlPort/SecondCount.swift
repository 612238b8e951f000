package import NIOCore

/// Counts what comes in each second against a limit.
package struct SecondCount {
    package let limit: Int
    private var second: NIODeadline = .now()
    private var count = 0

    package init(limit: Int) { self.limit = limit }

    /// One more; false when it is too many.
    package mutating func admit(now: NIODeadline = .now()) -> Bool {
        if now - second > .seconds(1) {
            second = now
            count = 0
        }
        count += 1
        return count <= limit
    }
}
