import WireProtocol

/// Between which values a vector stayed for a while, axis by axis, in ``TimeDrawers``.
struct SlidingRange: Sendable {
    private var drawers: TimeDrawers
    private var low = Axes(.infinity)
    private var high = Axes(-.infinity)
    private var counts = SIMD16<UInt32>.zero

    private struct Axes: Sendable {
        var x: SIMD16<Float>
        var y: SIMD16<Float>
        var z: SIMD16<Float>

        init(_ value: Float) {
            (x, y, z) = (SIMD16(repeating: value), SIMD16(repeating: value), SIMD16(repeating: value))
        }

        mutating func set(_ slot: Int, to value: Float) {
            x[slot] = value
            y[slot] = value
            z[slot] = value
        }
    }

    init(span: Duration) { drawers = TimeDrawers(span: span) }

    /// How many values it rests on.
    var count: Int { Int(counts.wrappedSum()) }

    /// Of the axis that ranges most, each value known to 1 in 10⁷; 0 with no value.
    var widest: Double {
        guard count > 0 else { return 0 }
        return Double(max(high.x.max() - low.x.min(), high.y.max() - low.y.min(), high.z.max() - low.z.min()))
    }

    mutating func add(_ value: SIMD3<Double>, at time: DeviceTime) {
        let opened = drawers.open(at: time)
        let (slot, value) = (opened.slot, SIMD3<Float>(value))
        opened.forEachAnew {
            low.set($0, to: .infinity)
            high.set($0, to: -.infinity)
            counts[$0] = 0
        }
        low.x[slot] = min(low.x[slot], value.x)
        low.y[slot] = min(low.y[slot], value.y)
        low.z[slot] = min(low.z[slot], value.z)
        high.x[slot] = max(high.x[slot], value.x)
        high.y[slot] = max(high.y[slot], value.y)
        high.z[slot] = max(high.z[slot], value.z)
        counts[slot] &+= 1
    }
}
