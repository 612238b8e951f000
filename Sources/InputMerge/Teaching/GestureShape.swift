/// What makes a trace the gesture that it is, freed from the posture in which it was made and from how wild it was.
///
/// Twelve numbers a moment: force without its mean, rotation rate, the turn from the middle attitude, and how the force
/// changes (jerk). They are seen in axes that are tipped until up, on the whole, is half as far from where the other
/// examples have it: a hand that holds the device steeper today than yesterday still makes the same shape. Tipped all the
/// way, gestures that differ in posture alone would be one, and recorded digits and strokes are told apart less well.
struct GestureShape: Sendable {
    /// Force, rotation rate and turn; the fourth number of each is one of the jerk's axes.
    struct Point: Sendable {
        var force: SIMD4<Float>
        var rate: SIMD4<Float>
        var turn: SIMD4<Float>

        /// How the smoothed force changes from moment to moment.
        var jerk: SIMD3<Float> {
            get { SIMD3(force.w, rate.w, turn.w) }
            set { (force.w, rate.w, turn.w) = (newValue.x, newValue.y, newValue.z) }
        }

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
    /// The mean of the squares of its points: 1, but for what was made of others; 0 where nothing moves.
    let energy: Float
    /// The same before its points were made so small: how wild the motion was.
    let loudness: Float

    init(_ points: [Point], loudness: Float) {
        self.points = points
        self.loudness = loudness
        energy = points.withUnsafeBufferPointer { Self.energy(of: $0) }
    }

    /// - Parameters:
    ///   - up: the others' ``MotionTrace/meanForce``; nothing is tipped where either shows no posture.
    ///   - scale: of force, rate, turn and jerk.
    init(_ trace: MotionTrace, up: SIMD3<Float>, scale: SIMD4<Float>) {
        var loudness: Float = 0
        let points = Self.points(of: trace) { loudness = Self.shape($0, over: trace.duration, up: up, scale: scale) }
        self.init(points, loudness: loudness)
    }

    /// The sums of the squares of a trace's force, rate, turn and jerk.
    static func energies(of trace: MotionTrace, up: SIMD3<Float>) -> SIMD4<Float> {
        func square(_ axes: SIMD4<Float>) -> Float { axes.x * axes.x + axes.y * axes.y + axes.z * axes.z }
        var sums = SIMD4<Float>.zero
        for point in points(of: trace, { describe($0, over: trace.duration, up: up) }) {
            let jerk = point.jerk
            sums += SIMD4(square(point.force), square(point.rate), square(point.turn), (jerk * jerk).sum())
        }
        return sums
    }

    private static func points(of trace: MotionTrace, _ change: (Points) -> Void) -> [Point] {
        [Point](unsafeUninitializedCapacity: MotionTrace.length) { points, count in
            for step in 0..<MotionTrace.length {
                points[step] = Point(
                    force: SIMD4(trace.force(at: step), 0), rate: SIMD4(trace.rotationRate(at: step), 0), turn: .zero)
            }
            count = MotionTrace.length
            change(UnsafeMutableBufferPointer(rebasing: points[..<count]))
        }
    }

    /// Makes a shape, in place, of points with force and rate as they were measured.
    ///
    /// - Returns: how wild it was.
    static func shape(_ points: Points, over duration: Double, up: SIMD3<Float>, scale: SIMD4<Float>) -> Float {
        describe(points, over: duration, up: up)
        let (force, rate, turn) = (
            SIMD4(scale.x, scale.x, scale.x, scale.w), SIMD4(scale.y, scale.y, scale.y, scale.w),
            SIMD4(scale.z, scale.z, scale.z, scale.w)
        )
        multiply(points, force, rate, turn)
        let loudness = energy(of: UnsafeBufferPointer(points))
        guard loudness > 0 else { return 0 }
        let unit = SIMD4(repeating: 1 / loudness.squareRoot())
        multiply(points, unit, unit, unit)
        return loudness
    }

    private static func multiply(_ points: Points, _ force: SIMD4<Float>, _ rate: SIMD4<Float>, _ turn: SIMD4<Float>) {
        for step in points.indices {
            points[step].force *= force
            points[step].rate *= rate
            points[step].turn *= turn
        }
    }

    /// Replaces force and rate as they were measured by all that describes a shape, as large as it is.
    private static func describe(_ points: Points, over duration: Double, up: SIMD3<Float>) {
        let count = Float(points.count)
        var mean = SIMD4<Float>.zero
        for point in points { mean += point.force }
        mean /= count
        let tip = Tip(from: SIMD3(mean.x, mean.y, mean.z), to: up)
        mean = tip.apply(mean)
        for step in points.indices {
            points[step].force = tip.apply(points[step].force) - mean
            // The mean rate stays: it is a turn that the gesture makes.
            points[step].rate = tip.apply(points[step].rate)
        }
        noteTurns(points, over: duration)
        noteJerk(points)
    }

    /// The turn from the middle of all attitudes to each, as the doubled vector of its quaternion, without the mean.
    private static func noteTurns(_ points: Points, over duration: Double) {
        func axes(_ v: SIMD4<Float>) -> SIMD3<Double> { SIMD3(Double(v.x), Double(v.y), Double(v.z)) }
        let interval = duration / Double(points.count - 1)
        var attitude = Quaternion.identity
        var sum = Quaternion(w: 0, x: 0, y: 0, z: 0)
        for step in points.indices {
            if step > 0 {
                let rate = (axes(points[step - 1].rate) + axes(points[step].rate)) / 2
                attitude = attitude * Quaternion(rotationVector: interval * rate)
            }
            points[step].turn = SIMD4(Float(attitude.x), Float(attitude.y), Float(attitude.z), Float(attitude.w))
            sum = Quaternion(
                w: sum.w + attitude.w, x: sum.x + attitude.x, y: sum.y + attitude.y, z: sum.z + attitude.z)
        }
        func quaternion(_ v: SIMD4<Float>) -> Quaternion {
            Quaternion(w: Double(v.w), x: Double(v.x), y: Double(v.y), z: Double(v.z))
        }
        // Of attitudes all round there is no middle.
        let middle = sum.length > 1e-3 ? sum.normalized() : nil
        let back = (middle ?? quaternion(points[points.count / 2].turn)).inverse
        var mean = SIMD4<Float>.zero
        for step in points.indices {
            let turn = back * quaternion(points[step].turn)
            points[step].turn = SIMD4(2 * Float(turn.x), 2 * Float(turn.y), 2 * Float(turn.z), 0)
            mean += points[step].turn / Float(points.count)
        }
        for step in points.indices { points[step].turn -= mean }
    }

    /// How often the force is smoothed, by a quarter of each neighbour, before its change says more of the hand than of the
    /// sensor: over four moments or so.
    private static let smoothings = 6

    private static func noteJerk(_ points: Points) {
        let last = points.count - 1
        for step in points.indices {
            points[step].jerk = SIMD3(points[step].force.x, points[step].force.y, points[step].force.z)
        }
        /// Replaces each by what is made of it and its neighbours as they were.
        func replace(_ change: (_ before: SIMD3<Float>, _ own: SIMD3<Float>, _ after: SIMD3<Float>) -> SIMD3<Float>) {
            var before = points[0].jerk
            for step in points.indices {
                let (own, after) = (points[step].jerk, points[min(step + 1, last)].jerk)
                points[step].jerk = change(before, own, after)
                before = own
            }
        }
        for _ in 0..<smoothings { replace { 0.25 * ($0 + $2) + 0.5 * $1 } }
        replace { 0.5 * ($2 - $0) }
        // At the ends there is one neighbour alone.
        points[0].jerk *= 2
        points[last].jerk *= 2
    }

    static func energy(of points: UnsafeBufferPointer<Point>) -> Float {
        var sum = SIMD4<Float>.zero
        for point in points { sum += point.force * point.force + point.rate * point.rate + point.turn * point.turn }
        return sum.sum() / Float(3 * max(1, points.count))
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
