import WireProtocol

/// A movement of the whole hand, from rest to rest.
struct Drawing: Sendable {
    enum Shape: Sendable {
        /// To and fro along x, twice, and turned about z.
        case wave
        /// Up and down, once: no hand would take it for a wave.
        case stab
    }

    var shape: Shape
    var from: HostTime
    /// About a second.
    var length: Duration
    /// 1 is as large as usual.
    var size: Double

    var end: HostTime { from + length }

    /// What the sensor reads meanwhile: m/s² and rad/s.
    func motion(at time: HostTime) -> (force: SIMD3<Float>, turn: SIMD3<Float>) {
        let share = Double((time - from).wholeNanoseconds) / Double(length.wholeNanoseconds)
        let arcs = shape == .wave ? 4.0 : 2.0
        let arc = (share * arcs).rounded(.down)
        let part = share * arcs - arc
        // Each arc rises from nothing and falls to nothing; the next one goes the other way.
        let swing = Float(size * 4 * part * (1 - part) * (Int(arc) % 2 == 0 ? 1 : -1))
        return shape == .wave
            ? (SIMD3(-8.8 * swing, 0, 9.81), SIMD3(0, 0, 3 * swing)) : (SIMD3(0, 0, 9.81 - 11.8 * swing), .zero)
    }
}
