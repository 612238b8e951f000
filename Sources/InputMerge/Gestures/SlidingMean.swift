import WireProtocol

/// The mean of the values of the last while, in ``TimeDrawers``.
struct SlidingMean: Sendable {
    private var drawers: TimeDrawers
    private var sums = SIMD16<Double>.zero
    private var counts = SIMD16<UInt32>.zero

    init(span: Duration) { drawers = TimeDrawers(span: span) }

    /// `nil` before the first value.
    var value: Double? {
        let count = counts.wrappedSum()
        return count > 0 ? sums.sum() / Double(count) : nil
    }

    mutating func add(_ value: Double, at time: DeviceTime) {
        let opened = drawers.open(at: time)
        opened.forEachAnew {
            sums[$0] = 0
            counts[$0] = 0
        }
        sums[opened.slot] += value
        counts[opened.slot] &+= 1
    }
}
