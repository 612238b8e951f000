import WireProtocol

/// How fast a device's clock runs away from the host's, by regression over the best answers of 15 minutes, and how
/// surely so.
///
/// The regression gives the rate; what bounds its error are the answers' intervals themselves. Any two of them, at t and
/// t', say that the mean rate between them lay in `[(low' - high) / (t' - t), (high' - low) / (t' - t)]`, whatever the
/// network did; and the rate of a quartz changes slowly. So the truth stays inside, which a regression's own standard
/// error cannot promise on a network whose delays are not symmetric.
struct DriftEstimate: Sendable {
    /// By how much a quartz's rate may differ within 15 minutes, as it warms up in a pocket: 10 ppm.
    static let wander = 0.000_010
    /// The most that a clock runs fast or slow: its system makes it run so, by up to 500 ppm more than its quartz does,
    /// until it is right.
    static let fastest = 0.0006
    /// One answer is kept of each such time, in nanoseconds.
    private static let period: Int64 = 30_000_000_000
    private static let mostKept = 30

    /// The device's nanoseconds for each of the host's, minus one.
    private(set) var rate = 0.0
    /// How far ``rate`` may be wrong either way.
    private(set) var uncertainty: Double
    /// How fast or slow the clock may run: as a quartz does, until answers prove that it is more.
    private(set) var bound: Double
    /// The narrowest answer of each half minute, oldest first.
    private(set) var kept: [ClockAnswer] = []
    private var periodBegan: Int64?

    init(bound: Double = ClockEstimator.driftBound) { (uncertainty, self.bound) = (bound, bound) }

    mutating func take(_ answer: ClockAnswer) {
        if let began = periodBegan, answer.at - began < Self.period, let last = kept.last {
            if answer.halfWidth <= last.halfWidth { kept[kept.endIndex - 1] = answer }
        } else {
            if kept.count >= Self.mostKept { kept.removeFirst() }
            kept.append(answer)
            periodBegan = answer.at
        }
        workOut(with: answer)
    }

    private mutating func workOut(with newest: ClockAnswer) {
        var (low, high) = (-bound, bound)
        for (place, earlier) in kept.enumerated() {
            for later in kept[(place + 1)...] { narrow(&low, &high, from: earlier, to: later) }
            narrow(&low, &high, from: earlier, to: newest)
        }
        if low > high {
            // No steady clock within that bound says all that: only what came last is believed, and less of the bound.
            kept = [newest]
            periodBegan = newest.at
            bound = Self.fastest
            (low, high) = (-bound, bound)
        }
        rate = min(max(regression() ?? (low + high) / 2, low), high)
        uncertainty = max(high - rate, rate - low)
    }

    private func narrow(_ low: inout Double, _ high: inout Double, from earlier: ClockAnswer, to later: ClockAnswer) {
        // Within a few seconds two intervals say nothing that 200 ppm do not.
        guard later.at - earlier.at >= 1_000_000_000 else { return }
        let time = Double(later.at - earlier.at)
        let change = Double(later.offset.saturatingSubtract(earlier.offset))
        let width = Double(later.halfWidth + earlier.halfWidth)
        low = max(low, (change - width) / time - Self.wander)
        high = min(high, (change + width) / time + Self.wander)
    }

    /// The slope of the least squares' line through what is kept, each answer weighing by its narrowness.
    private func regression() -> Double? {
        guard kept.count >= 3, let origin = kept.first else { return nil }
        var (weights, times, offsets, squares, products) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for answer in kept {
            let weight = 1 / (Double(answer.halfWidth) * Double(answer.halfWidth))
            let time = Double(answer.at - origin.at)
            let offset = Double(answer.offset.saturatingSubtract(origin.offset))
            weights += weight
            times += weight * time
            offsets += weight * offset
            squares += weight * time * time
            products += weight * time * offset
        }
        let spread = weights * squares - times * times
        return spread > 0 ? (weights * products - times * offsets) / spread : nil
    }
}
