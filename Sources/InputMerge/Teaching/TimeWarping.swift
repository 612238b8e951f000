/// How unlike two shapes are when the one may hurry and linger: dynamic time warping (Sakoe & Chiba 1978) in a band,
/// abandoned early, behind the lower bound of Keogh (2002).
enum TimeWarping {
    /// How many moments apart two shapes may be: a fifth of the length.
    static let band = MotionTrace.length / 5

    /// The sum of squared differences along the best path; infinite as soon as it must exceed `best`.
    static func distance(_ a: GestureShape, _ b: GestureShape, below best: Float = .infinity) -> Float {
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
                        for j in low...high {
                            let difference = point - b[j - 1]
                            let cost = (difference * difference).sum()
                            left = cost + min(left, rows[before + j], rows[before + j - 1])
                            rows[now + j] = left
                            least = min(least, left)
                        }
                        if least > best { return .infinity }
                        swap(&before, &now)
                    }
                    return rows[before + length]
                }
            }
        }
    }

    /// Between which values a shape stays within the band about each moment.
    struct Envelope: Sendable {
        private var low: [SIMD16<Float>]
        private var high: [SIMD16<Float>]

        init(_ shape: GestureShape) {
            (low, high) = ([], [])
            for step in shape.points.indices {
                var (least, most) = (shape.points[step], shape.points[step])
                for near in max(0, step - band)...min(shape.points.count - 1, step + band) {
                    least = pointwiseMin(least, shape.points[near])
                    most = pointwiseMax(most, shape.points[near])
                }
                low.append(least)
                high.append(most)
            }
        }

        /// The distance of a shape is never less than this.
        func lowerBound(_ shape: GestureShape) -> Float {
            var sum = SIMD16<Float>.zero
            shape.points.withUnsafeBufferPointer { points in
                low.withUnsafeBufferPointer { low in
                    high.withUnsafeBufferPointer { high in
                        for step in points.indices {
                            let outside =
                                pointwiseMax(points[step] - high[step], .zero)
                                + pointwiseMax(low[step] - points[step], .zero)
                            sum += outside * outside
                        }
                    }
                }
            }
            return sum.sum()
        }
    }
}
