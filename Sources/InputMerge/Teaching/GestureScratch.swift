/// Room for one shape and for what is nearest to it, made once, so that a comparison allocates nothing.
package struct GestureScratch: Sendable {
    private var points = [GestureShape.Point](repeating: .zero, count: MotionTrace.length)
    /// Of each gesture; kept from one comparison to the next.
    var nearest: [GestureBeginnings.Nearest] = []

    package init() {}

    /// The shape of moments as they were recorded, and its ``GestureShape/loudness``.
    ///
    /// - Precondition: there are moments, the last `duration` seconds, above 0, after the first.
    mutating func withShape<Result>(
        of moments: ArraySlice<MotionTrace.Moment>, over duration: Double, up: SIMD3<Float>, scale: SIMD4<Float>,
        _ body: (TimeWarping.Points, _ loudness: Float) -> Result
    ) -> Result {
        points.withUnsafeMutableBufferPointer { points in
            MotionTrace.resample(moments, count: points.count) { step, force, rate in
                points[step] = GestureShape.Point(force: SIMD4(force, 0), rate: SIMD4(rate, 0), turn: .zero)
            }
            let loudness = GestureShape.shape(points, over: duration, up: up, scale: scale)
            return body(UnsafeBufferPointer(points), loudness)
        }
    }

    /// As many as there are gestures, none of them near yet. Whoever takes them puts them back.
    mutating func takeNearest(count: Int) -> [GestureBeginnings.Nearest] {
        var taken: [GestureBeginnings.Nearest] = []
        swap(&taken, &nearest)
        if taken.count != count { return Array(repeating: GestureBeginnings.Nearest(), count: count) }
        for place in taken.indices { taken[place] = GestureBeginnings.Nearest() }
        return taken
    }
}
