/// What makes a trace the gesture that it is, freed from the posture in which it was made.
///
/// Nine numbers a moment: force and the turn since the beginning, both without their mean, and rotation rate. They are
/// seen in axes that are tipped until up, on the whole, is half as far from where the other examples have it: a hand
/// that holds the device steeper today than yesterday still makes the same shape. Tipped all the way, gestures that
/// differ in posture alone would be one, and recorded digits and strokes are told apart less well.
struct GestureShape: Sendable {
    /// Force, rotation rate and turn; the fourth number of each is zero.
    struct Point: Sendable {
        var force: SIMD4<Float>
        var rate: SIMD4<Float>
        var turn: SIMD4<Float>

        static let zero = Point(force: .zero, rate: .zero, turn: .zero)

        func squaredDistance(to other: Point) -> Float {
            let (f, r, t) = (force - other.force, rate - other.rate, turn - other.turn)
            return (f * f + r * r + t * t).sum()
        }
    }

    /// One for each moment.
    var points: [Point]

    /// - Parameter up: the others' ``MotionTrace/meanForce``; nothing is tipped where either shows no posture.
    init(_ trace: MotionTrace, up: SIMD3<Float>) {
        let tip = Tip(from: trace.meanForce, to: up)
        let interval = Float(trace.duration) / Float(MotionTrace.length - 1)
        points = []
        points.reserveCapacity(MotionTrace.length)
        var turn = SIMD3<Float>.zero
        var (meanForce, meanTurn) = (SIMD3<Float>.zero, SIMD3<Float>.zero)
        for step in 0..<MotionTrace.length {
            let (force, rate) = (tip.apply(trace.force(at: step)), tip.apply(trace.rotationRate(at: step)))
            if step > 0 { turn += interval * rate }
            points.append(Point(force: SIMD4(force, 0), rate: SIMD4(rate, 0), turn: SIMD4(turn, 0)))
            meanForce += force / Float(MotionTrace.length)
            meanTurn += turn / Float(MotionTrace.length)
        }
        // The mean rate stays: it is a turn that the gesture makes.
        for step in points.indices {
            points[step].force -= SIMD4(meanForce, 0)
            points[step].turn -= SIMD4(meanTurn, 0)
        }
    }

    /// By these factors for force, rate and turn.
    mutating func scale(by factors: SIMD3<Float>) {
        for step in points.indices {
            points[step].force *= factors.x
            points[step].rate *= factors.y
            points[step].turn *= factors.z
        }
    }

    /// The sums of the squares of force, rate and turn.
    var energy: SIMD3<Float> {
        var sums = (SIMD4<Float>.zero, SIMD4<Float>.zero, SIMD4<Float>.zero)
        for point in points {
            sums.0 += point.force * point.force
            sums.1 += point.rate * point.rate
            sums.2 += point.turn * point.turn
        }
        return SIMD3(sums.0.sum(), sums.1.sum(), sums.2.sum())
    }

    /// The rotation that takes one direction halfway to another.
    private struct Tip {
        private var rows: (SIMD3<Float>, SIMD3<Float>, SIMD3<Float>) = (
            SIMD3(1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1)
        )

        init(from a: SIMD3<Float>, to b: SIMD3<Float>) {
            let (lengthA, lengthB) = ((a * a).sum().squareRoot(), (b * b).sum().squareRoot())
            guard lengthA > 0.3, lengthB > 0.3 else { return }
            let (from, v) = (a / lengthA, b / lengthB)
            // Upside down there is no way between, and it is hardly the same gesture.
            let middle = from + v
            let length = (middle * middle).sum().squareRoot()
            guard length > 0.5 else { return }
            let u = middle / length
            let cosine = (u * v).sum()
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
