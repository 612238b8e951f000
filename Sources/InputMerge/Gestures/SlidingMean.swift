import WireProtocol

/// The mean of the values of the last while, in sixteen drawers, so that it costs the same at every rate.
///
/// It forgets a drawer at a time: what it remembers is between 15/16 of the span and the whole.
struct SlidingMean: Sendable {
    private var drawers: TimeDrawers
    private var sums = SIMD16<Double>.zero
    private var counts = SIMD16<Double>.zero

    init(span: Duration) { drawers = TimeDrawers(span: span) }

    /// `nil` before the first value.
    var value: Double? {
        let count = counts.sum()
        return count > 0 ? sums.sum() / count : nil
    }

    mutating func add(_ value: Double, at time: DeviceTime) {
        let (stale, slot) = drawers.open(at: time)
        if let stale {
            sums.replace(with: 0, where: stale)
            counts.replace(with: 0, where: stale)
        }
        sums[slot] += value
        counts[slot] += 1
    }
}

/// Between which values a vector stayed for a while, axis by axis, in the same way.
struct SlidingRange: Sendable {
    private var drawers: TimeDrawers
    private var low = Axes(.infinity)
    private var high = Axes(-.infinity)
    private var counts = SIMD16<Double>.zero

    private struct Axes: Sendable {
        var x: SIMD16<Double>
        var y: SIMD16<Double>
        var z: SIMD16<Double>

        init(_ value: Double) {
            (x, y, z) = (SIMD16(repeating: value), SIMD16(repeating: value), SIMD16(repeating: value))
        }

        mutating func forget(_ stale: SIMDMask<SIMD16<Int64>>, _ value: Double) {
            x.replace(with: value, where: stale)
            y.replace(with: value, where: stale)
            z.replace(with: value, where: stale)
        }
    }

    init(span: Duration) { drawers = TimeDrawers(span: span) }

    /// How many values it rests on.
    var count: Int { Int(counts.sum()) }

    /// Of the axis that ranges most; 0 with no value.
    var widest: Double {
        guard counts.sum() > 0 else { return 0 }
        return max(high.x.max() - low.x.min(), max(high.y.max() - low.y.min(), high.z.max() - low.z.min()))
    }

    mutating func add(_ value: SIMD3<Double>, at time: DeviceTime) {
        let (stale, slot) = drawers.open(at: time)
        if let stale {
            low.forget(stale, .infinity)
            high.forget(stale, -.infinity)
            counts.replace(with: 0, where: stale)
        }
        low.x[slot] = min(low.x[slot], value.x)
        low.y[slot] = min(low.y[slot], value.y)
        low.z[slot] = min(low.z[slot], value.z)
        high.x[slot] = max(high.x[slot], value.x)
        high.y[slot] = max(high.y[slot], value.y)
        high.z[slot] = max(high.z[slot], value.z)
        counts[slot] += 1
    }
}

/// Sixteen drawers that time fills one after another, by the device's clock.
struct TimeDrawers: Sendable {
    private let drawer: Int64
    private var newest: Int64 = .min

    init(span: Duration) { drawer = max(1, span.wholeNanoseconds / 16) }

    /// The drawer of this moment, and those whose content is over; all of them after a hole, or a clock set back. `nil` while
    /// none is.
    mutating func open(at time: DeviceTime) -> (stale: SIMDMask<SIMD16<Int64>>?, slot: Int) {
        let place = Self.quotientRoundedDown(time.nanoseconds, drawer)
        if place == newest { return (nil, Int(place & 15)) }
        let steps = newest == .min ? 16 : place.saturatingSubtract(newest)
        var stale = SIMDMask<SIMD16<Int64>>(repeating: steps < 0 || steps >= 16)
        if steps > 0, steps < 16 {
            for step in 1...steps { stale[Int((newest &+ step) & 15)] = true }
        }
        newest = place
        return (stale, Int(place & 15))
    }

    private static func quotientRoundedDown(_ dividend: Int64, _ divisor: Int64) -> Int64 {
        let (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
