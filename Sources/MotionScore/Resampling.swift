import WireProtocol

/// How far a figure may be wrong because only so much was recorded: 95 % of the figures that as many recordings, drawn
/// again from these with replacement, would have given (Efron 1979, the percentile method).
enum Resampling {
    private static let draws = 1_000

    /// What one person, recording or performance contributed to a ratio.
    struct Part: Sendable {
        var part: Double
        var whole: Double

        init(_ part: Double, of whole: Double) {
            self.part = part
            self.whole = whole
        }
    }

    /// The range of `scale · Σ part / Σ whole`; `nil` with fewer than two contributions, but of time.
    ///
    /// Where nothing, or everything, counted, drawing again shows no spread; there the bound is what would show nothing
    /// in so many trials once in twenty times (the rule of three, Hanley & Lippman-Hand 1983).
    static func interval(_ parts: [Part], scale: Double, isShare: Bool) -> ClosedRange<Double>? {
        let parts = parts.filter { $0.whole > 0 }
        let (sum, whole) = parts.reduce((0, 0)) { ($0.0 + $1.part, $0.1 + $1.whole) }
        guard whole > 0, parts.count > 1 || (sum == 0 && !isShare) else { return nil }
        let trials = isShare ? Double(parts.count) : whole
        if sum == 0 { return 0...(scale * (isShare ? min(1, 3 / trials) : 3 / trials)) }
        if isShare, sum == whole { return (scale * max(0, 1 - 3 / trials))...scale }
        var random = SplitMix64(seed: 95)
        var drawn: [Double] = []
        for _ in 0..<draws {
            var (part, whole) = (0.0, 0.0)
            for _ in parts.indices {
                let chosen = parts[Int(random.fraction() * Double(parts.count))]
                part += chosen.part
                whole += chosen.whole
            }
            if whole > 0 { drawn.append(scale * part / whole) }
        }
        drawn.sort()
        guard let first = drawn.first, let last = drawn.last else { return nil }
        let (low, high) = (Int(0.025 * Double(drawn.count)), Int(0.975 * Double(drawn.count)))
        return min(drawn[low], last)...max(drawn[min(high, drawn.count - 1)], first)
    }

    /// The range of a percentile (0.5 is the median) of what was measured; `nil` with fewer than two values.
    static func interval(percentile share: Double, of values: [Double]) -> ClosedRange<Double>? {
        guard values.count > 1 else { return nil }
        var random = SplitMix64(seed: 95)
        var drawn: [Double] = []
        for _ in 0..<draws {
            let sample = values.indices.map { _ in values[Int(random.fraction() * Double(values.count))] }
            drawn.append(percentile(share, of: sample))
        }
        drawn.sort()
        return drawn[Int(0.025 * Double(draws))]...drawn[Int(0.975 * Double(draws))]
    }

    /// On straight lines between the values; NaN of nothing.
    static func percentile(_ share: Double, of values: [Double]) -> Double {
        let sorted = values.sorted()
        if sorted.isEmpty { return .nan }
        let place = share * Double(sorted.count - 1)
        let low = Int(place)
        return sorted[low] + (place - Double(low)) * (sorted[min(low + 1, sorted.count - 1)] - sorted[low])
    }
}

extension ScoreLine {
    /// A share in per cent, of what people or performances contributed to it.
    init(
        _ name: String, shareOf parts: [Resampling.Part], parity: Double? = nil, target: Double? = nil,
        isCost: Bool = false
    ) {
        let (part, whole) = parts.reduce((0, 0)) { ($0.0 + $1.part, $0.1 + $1.whole) }
        self.init(name, whole > 0 ? 100 * part / whole : .nan, "%", parity: parity, target: target, isCost: isCost)
        interval = Resampling.interval(parts, scale: 100, isShare: true)
    }

    /// What happened a minute: counts in minutes, of each recording.
    init(
        _ name: String, perMinuteOf parts: [Resampling.Part], parity: Double? = nil, target: Double? = nil
    ) {
        let (count, minutes) = parts.reduce((0, 0)) { ($0.0 + $1.part, $0.1 + $1.whole) }
        self.init(
            name, minutes > 0 ? count / minutes : .nan, "per min", parity: parity, target: target, isCost: true)
        interval = Resampling.interval(parts, scale: 1, isShare: false)
    }

    /// The mean of values, in `unit`; the less the better.
    init(_ name: String, meanOf values: [Double], _ unit: String, parity: Double? = nil, target: Double? = nil) {
        let mean = values.isEmpty ? .nan : values.reduce(0, +) / Double(values.count)
        self.init(name, mean, unit, parity: parity, target: target, isCost: true)
        interval = Resampling.interval(
            values.map { Resampling.Part($0, of: 1) }, scale: 1, isShare: false)
    }

    /// A percentile of delays, in ms.
    init(
        _ name: String, percentile share: Double, of delays: [Double], parity: Double? = nil, target: Double? = nil
    ) {
        self.init(
            name, Resampling.percentile(share, of: delays), "ms", parity: parity, target: target, isCost: true)
        interval = Resampling.interval(percentile: share, of: delays)
    }
}
