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

        @inline(__always)
        func squaredDistance(to other: Point) -> Float {
            let (f, r, t) = (force - other.force, rate - other.rate, turn - other.turn)
            return (f * f + r * r + t * t).sum()
        }

        func middle(to other: Point) -> Point { mixed(other, share: 0.5) }

        func mixed(_ other: Point, share: Float) -> Point {
            Point(
                force: force + share * (other.force - force), rate: rate + share * (other.rate - rate),
                turn: turn + share * (other.turn - turn))
        }
    }

    typealias Points = UnsafeMutableBufferPointer<Point>

    /// One for each moment.
    var points: [Point]
    /// The mean of the squares of its points: how wild it is. 0 where nothing moves.
    var energy: Float

    init(_ points: [Point]) {
        self.points = points
        energy = points.withUnsafeBufferPointer { Self.energy(of: $0) }
    }

    /// - Parameter up: the others' ``MotionTrace/meanForce``; nothing is tipped where either shows no posture.
    init(_ trace: MotionTrace, up: SIMD3<Float>, scale: SIMD3<Float> = SIMD3(repeating: 1)) {
        let points = [Point](unsafeUninitializedCapacity: MotionTrace.length) { points, count in
            for step in 0..<MotionTrace.length {
                points[step] = Point(
                    force: SIMD4(trace.force(at: step), 0), rate: SIMD4(trace.rotationRate(at: step), 0), turn: .zero)
            }
            Self.shape(
                UnsafeMutableBufferPointer(rebasing: points[..<MotionTrace.length]), over: trace.duration, up: up,
                scale: scale)
            count = MotionTrace.length
        }
        self.init(points)
    }

    /// Makes a shape, in place, of points with force and rate as they were measured.
    static func shape(_ points: Points, over duration: Double, up: SIMD3<Float>, scale: SIMD3<Float>) {
        let count = Float(points.count)
        var mean = SIMD4<Float>.zero
        for point in points { mean += point.force }
        mean /= count
        let tip = Tip(from: SIMD3(mean.x, mean.y, mean.z), to: up)
        let interval = Float(duration) / (count - 1)
        var (turn, meanForce, meanTurn) = (SIMD4<Float>.zero, SIMD4<Float>.zero, SIMD4<Float>.zero)
        for step in points.indices {
            points[step].force = tip.apply(points[step].force)
            points[step].rate = tip.apply(points[step].rate)
            if step > 0 { turn += interval * points[step].rate }
            points[step].turn = turn
            meanForce += points[step].force / count
            meanTurn += turn / count
        }
        // The mean rate stays: it is a turn that the gesture makes.
        for step in points.indices {
            points[step].force = scale.x * (points[step].force - meanForce)
            points[step].turn = scale.z * (points[step].turn - meanTurn)
            points[step].rate *= scale.y
        }
    }

    static func energy(of points: UnsafeBufferPointer<Point>) -> Float {
        var sum = SIMD4<Float>.zero
        for point in points { sum += point.force * point.force + point.rate * point.rate + point.turn * point.turn }
        return sum.sum() / Float(3 * max(1, points.count))
    }

    /// The sums of the squares of force, rate and turn.
    var energies: SIMD3<Float> {
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
        private var columns = (
            SIMD4<Float>(1, 0, 0, 0), SIMD4<Float>(0, 1, 0, 0), SIMD4<Float>(0, 0, 1, 0)
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
            columns = (
                SIMD4(cosine + k * c.x * c.x, k * c.y * c.x + c.z, k * c.z * c.x - c.y, 0),
                SIMD4(k * c.x * c.y - c.z, cosine + k * c.y * c.y, k * c.z * c.y + c.x, 0),
                SIMD4(k * c.x * c.z + c.y, k * c.y * c.z - c.x, cosine + k * c.z * c.z, 0)
            )
        }

        func apply(_ v: SIMD4<Float>) -> SIMD4<Float> { v.x * columns.0 + v.y * columns.1 + v.z * columns.2 }
    }
}
