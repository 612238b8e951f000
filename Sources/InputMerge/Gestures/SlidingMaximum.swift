import WireProtocol

/// The greatest value of the last while, in ``TimeDrawers``.
struct SlidingMaximum: Sendable {
    private var drawers: TimeDrawers
    private let least: Double
    private var greatest: SIMD16<Double>

    /// Remembers values for this span, and `least` where there are none.
    init(span: Duration, atLeast least: Double = 0) {
        drawers = TimeDrawers(span: span)
        self.least = least
        greatest = SIMD16(repeating: least)
    }

    var value: Double { greatest.max() }

    mutating func add(_ value: Double, at time: DeviceTime) {
        let opened = drawers.open(at: time)
        opened.forEachAnew { greatest[$0] = least }
        greatest[opened.slot] = max(greatest[opened.slot], value)
    }
}
