/// How unlike two shapes are when the one may hurry and linger: dynamic time warping (Sakoe & Chiba 1978) in a band,
/// behind the lower bound of Keogh (2002), and given up as soon as what is done and what must still come (Rakthanmanon
/// et al. 2012) exceed the best so far.
enum TimeWarping {
    /// How many moments apart two shapes may be: a fifth of the length.
    static let band = MotionTrace.length / 5

    /// The sum of squared differences along the best path; infinite as soon as it must exceed `best`.
    ///
    /// - Parameter remaining: for each moment of `a`, what it and all after it must cost at least.
    static func distance(
        _ a: GestureShape, _ b: GestureShape, below best: Float = .infinity, remaining: [Float]? = nil
    ) -> Float {
        let length = MotionTrace.length
        return withUnsafeTemporaryAllocation(of: Float.self, capacity: 2 * (length + 1)) { rows in
            rows.initialize(repeating: .infinity)
            var (before, now) = (0, length + 1)
            rows[before] = 0
            return a.points.withUnsafeBufferPointer { a in
                b.points.withUnsafeBufferPointer { b in
                    for i in 1...length {
                        let (low, high) = (max(1, i - band), min(length, i + band))
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
                        if least + (i < length ? remaining?[i] ?? 0 : 0) > best { return .infinity }
                        swap(&before, &now)
                    }
                    return rows[before + length]
                }
            }
        }
    }

    /// Between which values a shape stays within the band about each moment.
    struct Envelope: Sendable {
        private var low: [GestureShape.Point] = []
        private var high: [GestureShape.Point] = []

        init(_ shape: GestureShape) {
            for step in shape.points.indices {
                var (least, most) = (shape.points[step], shape.points[step])
                for near in max(0, step - band)...min(shape.points.count - 1, step + band) {
                    let point = shape.points[near]
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

        /// For each moment of a shape, what it and all after it cost at least; the first is the bound of the whole.
        func lowerBounds(_ shape: GestureShape) -> [Float] {
            var bounds = [Float](repeating: 0, count: shape.points.count)
            var sum: Float = 0
            for step in shape.points.indices.reversed() {
                let (point, low, high) = (shape.points[step], low[step], high[step])
                let force = Self.outside(point.force, low.force, high.force)
                let rate = Self.outside(point.rate, low.rate, high.rate)
                let turn = Self.outside(point.turn, low.turn, high.turn)
                sum += (force * force + rate * rate + turn * turn).sum()
                bounds[step] = sum
            }
            return bounds
        }

        private static func outside(
            _ value: SIMD4<Float>, _ low: SIMD4<Float>, _ high: SIMD4<Float>
        ) -> SIMD4<Float> { pointwiseMax(pointwiseMax(value - high, low - value), .zero) }
    }
}
