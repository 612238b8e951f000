import WireProtocol

/// The greatest value of the last while, in ``TimeDrawers``.
struct SlidingMaximum: Sendable {
    private var drawers: TimeDrawers
    private let least: Double
    private var greatest: SIMD16<Double>
    private var newest = 0

    /// Remembers values for this span, and `least` where there are none.
    init(span: Duration, atLeast least: Double = 0) {
        drawers = TimeDrawers(span: span)
        self.least = least
        greatest = SIMD16(repeating: least)
    }

    var value: Double { greatest.max() }

    /// The same of some of the sixteen drawers, counted back from the newest.
    func value(of drawers: Range<Int>) -> Double {
        var most = least
        for back in drawers { most = max(most, greatest[(newest - back) & (TimeDrawers.count - 1)]) }
        return most
    }

    mutating func add(_ value: Double, at time: DeviceTime) {
        let opened = drawers.open(at: time)
        opened.forEachAnew { greatest[$0] = least }
        newest = opened.slot
        greatest[newest] = max(greatest[newest], value)
    }
}
