/// What makes a trace the gesture that it is, freed from the posture in which it was made.
///
/// Nine numbers a moment: force, rotation rate, and the turn since the beginning, each without its mean. They are seen
/// in axes that are tipped the shortest way until up, on the whole, is where the other examples have it: a hand that
/// holds the device steeper today than yesterday still makes the same shape.
struct GestureShape: Sendable {
    /// One for each moment; the last seven numbers are zero.
    var points: [SIMD16<Float>]

    /// - Parameter up: the others' ``MotionTrace/meanForce``; nothing is tipped where either shows no posture.
    init(_ trace: MotionTrace, up: SIMD3<Float>) {
        let tip = Tip(from: trace.meanForce, to: up)
        let interval = Float(trace.duration) / Float(MotionTrace.length - 1)
        points = []
        points.reserveCapacity(MotionTrace.length)
        var turn = SIMD3<Float>.zero
        var mean = SIMD16<Float>.zero
        for step in 0..<MotionTrace.length {
            let (force, rate) = (tip.apply(trace.force(at: step)), tip.apply(trace.rotationRate(at: step)))
            if step > 0 { turn += interval * rate }
            var point = SIMD16<Float>.zero
            for axis in 0..<3 {
                point[axis] = force[axis]
                point[3 + axis] = rate[axis]
                point[6 + axis] = turn[axis]
            }
            points.append(point)
            mean += point / Float(MotionTrace.length)
        }
        // The mean rate is a turn that the others show already.
        for axis in 3..<6 { mean[axis] = 0 }
        for step in points.indices { points[step] -= mean }
    }

    mutating func scale(by scale: SIMD16<Float>) { for step in points.indices { points[step] *= scale } }

    /// The rotation that takes one direction to another the shortest way.
    private struct Tip {
        private var rows: (SIMD3<Float>, SIMD3<Float>, SIMD3<Float>) = (
            SIMD3(1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1)
        )

        init(from a: SIMD3<Float>, to b: SIMD3<Float>) {
            let (lengthA, lengthB) = ((a * a).sum().squareRoot(), (b * b).sum().squareRoot())
            guard lengthA > 0.3, lengthB > 0.3 else { return }
            let (u, v) = (a / lengthA, b / lengthB)
            let cosine = (u * v).sum()
            // Upside down there is no shortest way, and it is hardly the same gesture.
            guard cosine > -0.9 else { return }
            let c = SIMD3(u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x)
            let k = 1 / (1 + cosine)
            rows = (
                SIMD3(cosine + k * c.x * c.x, k * c.x * c.y - c.z, k * c.x * c.z + c.y),
                SIMD3(k * c.y * c.x + c.z, cosine + k * c.y * c.y, k * c.y * c.z - c.x),
                SIMD3(k * c.z * c.x - c.y, k * c.z * c.y + c.x, cosine + k * c.z * c.z)
            )
        }

        func apply(_ v: SIMD3<Float>) -> SIMD3<Float> {
            SIMD3((rows.0 * v).sum(), (rows.1 * v).sum(), (rows.2 * v).sum())
        }
    }
}
