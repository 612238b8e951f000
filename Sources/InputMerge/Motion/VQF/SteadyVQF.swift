/// VQF for real streams: its low-passes follow the rate that the device's clock shows, whatever was declared.
///
/// Rotations last as long as the time stamps say. The low-passes need one interval for all samples: the mean of the last
/// two seconds, and they are computed anew when it moves by more than 1 %.
struct SteadyVQF: OrientationFilter {
    /// Over how long intervals are averaged, in s.
    private static let memory = 2.0
    private static let tolerance = 0.01
    private static let usable = 1e-4...10.0

    private var filter: VQFFilter
    private var mean = 0.0
    private var counted = 0.0

    /// `interval` in s, as declared.
    init(_ parameters: VQFParameters, interval: Double) {
        filter = VQFFilter(parameters, interval: min(max(interval, Self.usable.lowerBound), Self.usable.upperBound))
    }

    var attitude: Quaternion { filter.attitude }
    var bias: SIMD3<Double> { filter.bias }
    var biasSigma: Double { filter.biasSigma }
    var isResting: Bool { filter.isResting }

    mutating func restart(at attitude: Quaternion) { filter.restart(at: attitude) }
    mutating func interrupt(lasting: Double?) { filter.interrupt(lasting: lasting) }

    mutating func update(rotationRate: SIMD3<Double>, force: SIMD3<Double>?, interval: Double) {
        if Self.usable.contains(interval) { follow(interval) }
        filter.update(rotationRate: rotationRate, force: force, lasting: interval)
    }

    private mutating func follow(_ interval: Double) {
        counted = min(counted + 1, max(1, Self.memory / filter.interval))
        mean += (interval - mean) / counted
        if abs(mean - filter.interval) > Self.tolerance * filter.interval { filter.setInterval(mean) }
    }
}
