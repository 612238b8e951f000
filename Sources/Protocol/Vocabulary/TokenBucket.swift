/// How often something may happen: so often a second, and so often at once after a time of rest.
package struct TokenBucket: Sendable {
    private let perSecond: Double
    private let depth: Double
    private var left: Double
    /// In nanoseconds.
    private var filledAt: Int64?

    /// - Parameters:
    ///   - perSecond: tokens that come back in a second.
    ///   - depth: tokens that it holds, and has at first.
    package init(perSecond: Double, depth: Double) {
        (self.perSecond, self.depth, left) = (perSecond, depth, depth)
    }

    /// Takes a token if there is one.
    ///
    /// - Parameter time: in nanoseconds, on one clock; where that is set back nothing comes back.
    package mutating func take(at time: Int64) -> Bool {
        let elapsed = max(0, time.saturatingSubtract(filledAt ?? time))
        filledAt = max(filledAt ?? .min, time)
        left = min(left + Double(elapsed) / 1e9 * perSecond, depth)
        guard left >= 1 else { return false }
        left -= 1
        return true
    }
}
