import WireProtocol

/// The greatest value of the last while, in ``TimeDrawers``.
struct SlidingMaximum: Sendable {
    private var drawers: TimeDrawers
    private var greatest = SIMD16<Double>.zero

    /// Remembers values of 0 and above, for this span.
    init(span: Duration) { drawers = TimeDrawers(span: span) }

    var value: Double { greatest.max() }

    mutating func add(_ value: Double, at time: DeviceTime) {
        let opened = drawers.open(at: time)
        opened.forEachAnew { greatest[$0] = 0 }
        greatest[opened.slot] = max(greatest[opened.slot], value)
    }
}
