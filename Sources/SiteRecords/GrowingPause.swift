/// How long to wait before the broker is tried again: 0.25 s, doubled each time up to 10 s, a little unlike the others'.
package struct GrowingPause: Sendable {
    private var next = 250
    private var state: UInt64

    /// - Parameter seed: two hosts with other seeds do not come back at the same moments.
    package init(seed: UInt64) { state = seed | 1 }

    /// Milliseconds, 250 to 12,500.
    package mutating func milliseconds() -> Int {
        // xorshift64 (Marsaglia 2003): a quarter more at most.
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        let pause = next + Int(state % UInt64(next / 4 + 1))
        next = min(next * 2, 10_000)
        return pause
    }

    /// It was there: the next pause is short again.
    package mutating func reset() { next = 250 }
}
