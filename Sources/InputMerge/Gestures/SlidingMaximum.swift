import WireProtocol

/// The greatest value of the last while, in sixteen drawers, so that it costs the same at every rate.
///
/// It forgets a drawer at a time: what it remembers is between 15/16 of the span and the whole.
struct SlidingMaximum: Sendable {
    private let drawer: Int64
    private var drawers = SIMD16<Double>(repeating: 0)
    private var newest: Int64 = .min

    /// Remembers values of 0 and above, for this span.
    init(span: Duration) { drawer = max(1, span.wholeNanoseconds / 16) }

    var value: Double { drawers.max() }

    mutating func add(_ value: Double, at time: DeviceTime) {
        let place = time.nanoseconds.quotientRoundedDown(drawer)
        let steps = newest == .min ? 16 : place.saturatingSubtract(newest)
        if steps < 0 || steps >= 16 {
            drawers = SIMD16(repeating: 0)
        } else if steps > 0 {
            for step in 1...steps { drawers[Self.slot(newest &+ step)] = 0 }
        }
        newest = place
        let slot = Self.slot(place)
        drawers[slot] = max(drawers[slot], value)
    }

    private static func slot(_ place: Int64) -> Int { Int(place & 15) }
}

extension Int64 {
    fileprivate func quotientRoundedDown(_ divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
