/// How unlike two shapes are when the one may hurry and linger: dynamic time warping (Sakoe & Chiba 1978) in a band,
/// behind the lower bound of Keogh (2002), and given up as soon as what is done and what must still come (Rakthanmanon
/// et al. 2012) exceed the best so far.
enum TimeWarping {
    /// How many moments apart two shapes may be: a quarter of the length.
    static let band = MotionTrace.length / 4

    typealias Points = UnsafeBufferPointer<GestureShape.Point>

    /// The sum of squared differences along the best path; infinite as soon as it must exceed `best`.
    ///
    /// - Parameter remaining: for each moment of `a`, what it and all after it must cost at least.
    static func distance(
        _ a: Points, _ b: Points, below best: Float = .infinity, remaining: UnsafeBufferPointer<Float>? = nil
    ) -> Float {
        let (rowCount, length) = (a.count, b.count)
        return withUnsafeTemporaryAllocation(of: Float.self, capacity: 2 * (length + 1)) { rows in
            rows.initialize(repeating: .infinity)
            var (before, now) = (0, length + 1)
            rows[before] = 0
            for i in 1...rowCount {
                let (low, high) = (max(1, i - band), min(length, i + band))
                guard low <= high else { return .infinity }
                rows[now + low - 1] = .infinity
                if high < length { rows[now + high + 1] = .infinity }
                let point = a[i - 1]
                var (left, least) = (Float.infinity, Float.infinity)
                var corner = rows[before + low - 1]
                for j in low...high {
                    let above = rows[before + j]
                    left = point.squaredDistance(to: b[j - 1]) + min(left, min(above, corner))
                    corner = above
                    rows[now + j] = left
                    least = min(least, left)
                }
                if least + (i < rowCount ? remaining?[i] ?? 0 : 0) > best { return .infinity }
                swap(&before, &now)
            }
            return rows[before + length]
        }
    }

    /// The shape amid two others: both are averaged along their best path, and resampled.
    static func midway(_ a: [GestureShape.Point], _ b: [GestureShape.Point]) -> [GestureShape.Point] {
        let length = a.count
        var costs = [Float](repeating: .infinity, count: (length + 1) * (length + 1))
        func place(_ i: Int, _ j: Int) -> Int { i * (length + 1) + j }
        costs[0] = 0
        for i in 1...length {
            for j in max(1, i - band)...min(length, i + band) {
                let least = min(costs[place(i - 1, j - 1)], min(costs[place(i - 1, j)], costs[place(i, j - 1)]))
                costs[place(i, j)] = a[i - 1].squaredDistance(to: b[j - 1]) + least
            }
        }
        var (i, j) = (length, length)
        var path: [(time: Float, point: GestureShape.Point)] = []
        while i > 0, j > 0 {
            path.append((Float(i + j - 2) / 2, a[i - 1].middle(to: b[j - 1])))
            let (both, up, left) = (costs[place(i - 1, j - 1)], costs[place(i - 1, j)], costs[place(i, j - 1)])
            if both <= up, both <= left { (i, j) = (i - 1, j - 1) } else if up <= left { i -= 1 } else { j -= 1 }
        }
        path.reverse()
        var before = 0
        return (0..<length).map { step in
            while before + 2 < path.count, path[before + 1].time < Float(step) { before += 1 }
            let (from, to) = (path[before], path[min(before + 1, path.count - 1)])
            let span = to.time - from.time
            return from.point.mixed(to.point, share: span > 0 ? min(max((Float(step) - from.time) / span, 0), 1) : 0)
        }
    }

    /// Between which values a shape stays within the band about each moment.
    struct Envelope: Sendable {
        private var low: [GestureShape.Point] = []
        private var high: [GestureShape.Point] = []

        init(_ points: [GestureShape.Point]) {
            for step in points.indices {
                var (least, most) = (points[step], points[step])
                for near in max(0, step - band)...min(points.count - 1, step + band) {
                    let point = points[near]
                    least.force = pointwiseMin(least.force, point.force)
                    least.rate = pointwiseMin(least.rate, point.rate)
                    least.turn = pointwiseMin(least.turn, point.turn)
                    most.force = pointwiseMax(most.force, point.force)
                    most.rate = pointwiseMax(most.rate, point.rate)
                    most.turn = pointwiseMax(most.turn, point.turn)
                }
                low.append(least)
                high.append(most)
            }
        }

        /// What a shape costs at least; infinite as soon as it exceeds `best`.
        ///
        /// - Parameter stride: looks at every so many moments only, which bounds it less closely.
        func lowerBound(_ shape: Points, below best: Float, stride: Int = 1) -> Float {
            low.withUnsafeBufferPointer { low in
                high.withUnsafeBufferPointer { high in
                    var sum: Float = 0
                    var step = 0
                    while step < shape.count {
                        sum += Self.outside(shape[step], low[step], high[step])
                        if sum > best { return .infinity }
                        step += stride
                    }
                    return sum
                }
            }
        }

        /// For each moment of a shape, what it and all after it cost at least; the first is the bound of the whole.
        func lowerBounds(_ shape: Points, into bounds: UnsafeMutableBufferPointer<Float>) {
            var sum: Float = 0
            for step in shape.indices.reversed() {
                sum += Self.outside(shape[step], low[step], high[step])
                bounds[step] = sum
            }
        }

        @inline(__always)
        private static func outside(
            _ point: GestureShape.Point, _ low: GestureShape.Point, _ high: GestureShape.Point
        ) -> Float {
            // `pointwiseMax` goes through the lanes one by one; this does not.
            func beyond(_ value: SIMD4<Float>, _ low: SIMD4<Float>, _ high: SIMD4<Float>) -> SIMD4<Float> {
                let (above, below) = (value - high, low - value)
                let outside = above.replacing(with: below, where: below .> above)
                let distance = outside.replacing(with: 0, where: outside .< 0)
                return distance * distance
            }
            return
                (beyond(point.force, low.force, high.force) + beyond(point.rate, low.rate, high.rate)
                + beyond(point.turn, low.turn, high.turn)).sum()
        }
    }
}
