/// All that one player taught, ready to be compared with what the player does.
///
/// The nearest example names the gesture (nearest neighbour under time warping), unless even that is too far. Shapes have
/// an energy of 1 (``GestureShape``), and what differs in loudness, E, by more than a hand's whim is less alike:
/// ```
/// n² = time warping / (3 · 64 · (e(q)² + e(t)²))        e(x)² = mean |point|²
/// g  = √ (larger E / smaller E) / 1.22                  P = (g + 1/g) / 2 where g > 1, else 1
/// N² = 1 - (1 - n²) / P                                 0 the same, about 1 unrelated
/// ```
/// so that calm motion is not near to everything, nor wild motion far from itself. One limit holds for all that was taught,
/// ```
/// limit = 0.73 · own^⅖ · far^⅗
/// ```
/// by how far (in N, on the whole) examples lie from the nearest of their own gesture, and from the nearest of each other
/// one: it is wide where a hand varies, and where the gestures are unlike.
package struct GestureBook: Sendable {
    package struct Match: Hashable, Sendable {
        package var kind: GestureKind
        /// 0 is the same, 1 the most that is accepted.
        package var unlikeness: Double
        /// 0 to 1: how far within the limit.
        package var confidence: Double
    }

    struct Entry: Sendable {
        /// Which of the gestures.
        var gesture: Int
        /// What the player said was not that gesture.
        var isCounter = false
        /// Made here, of two examples.
        var isMidway = false
        var shape: GestureShape
        var envelope: TimeWarping.Envelope
        var duration = 0.0
    }

    /// The nearest entry that is near enough to matter.
    struct Nearest {
        var entry: Int
        /// N of ``GestureBook``.
        var distance: Double
    }

    /// With more examples of its own a gesture needs none in between.
    private static let mostWithMidway = 5
    /// How much force, rate, turn and jerk count: the rate repeats much of what the turn says.
    private static let weights = SIMD4<Float>(1, 0.7, 1, 1)

    package let gestures: [TaughtGesture]
    private(set) var up = SIMD3<Float>.zero
    private(set) var scale = SIMD4<Float>(repeating: 1)
    private(set) var entries: [Entry] = []
    /// The greatest N that is accepted.
    let limit: Double
    private var shortest = Double.infinity
    private var longest = 0.0

    /// Takes what has no problem.
    ///
    /// - Parameter sensitivity: 1 as measured best, 2 accepts more, 0.5 less.
    package init(_ gestures: [TaughtGesture], sensitivity: Double = 1) {
        self.init(usable: gestures.filter { $0.problem == nil }, sensitivity: sensitivity)
    }

    /// Takes as many examples as there are.
    package init(usable gestures: [TaughtGesture], sensitivity: Double = 1) {
        self.gestures = gestures
        let traces = gestures.flatMap(\.examples)
        for trace in traces {
            up += trace.meanForce / Float(max(1, traces.count))
            shortest = min(shortest, trace.duration)
            longest = max(longest, trace.duration)
        }
        let middle = up
        let factors = Self.scale(of: traces, up: middle)
        scale = factors
        for (number, gesture) in gestures.enumerated() {
            let shapes = gesture.examples.map { GestureShape($0, up: middle, scale: factors) }
            for (shape, trace) in zip(shapes, gesture.examples) {
                entries.append(Self.entry(shape, of: number, lasting: trace.duration))
            }
            for trace in gesture.counterExamples {
                var entry = Self.entry(GestureShape(trace, up: middle, scale: factors), of: number)
                entry.isCounter = true
                entries.append(entry)
            }
            guard shapes.count <= Self.mostWithMidway else { continue }
            for (place, one) in shapes.enumerated() {
                for other in shapes[..<place] {
                    let midway = GestureShape(
                        TimeWarping.midway(one.points, other.points),
                        loudness: (one.loudness * other.loudness).squareRoot())
                    var entry = Self.entry(midway, of: number)
                    entry.isMidway = true
                    entries.append(entry)
                }
            }
        }
        limit = Self.factor(sensitivity) * Self.reach(of: entries)
    }

    package var isEmpty: Bool { entries.isEmpty }

    /// Which taught gesture this is; `nil` when it is none.
    package func recognise(_ trace: MotionTrace) -> Match? {
        guard couldLast(trace.duration), let nearest = nearest(trace, within: limit) else { return nil }
        return match(nearest)
    }

    /// The same of moments as they were recorded. Allocates nothing: the shape is made in `scratch`, which whoever watches
    /// a stream keeps, as it is too large for the stack.
    package func recognise(_ moments: ArraySlice<MotionTrace.Moment>, scratch: inout GestureScratch) -> Match? {
        guard let first = moments.first, let last = moments.last, moments.count >= 4 else { return nil }
        let duration = last.time - first.time
        guard couldLast(duration), duration > 0 else { return nil }
        let nearest = scratch.withShape(of: moments, over: duration, up: up, scale: scale) {
            self.nearest($0, loudness: $1, within: limit)
        }
        return nearest.flatMap(match)
    }

    /// Whether it may be another example of the one gesture in the book: two that are unrelated are about 1 apart.
    func mayBelong(_ trace: MotionTrace) -> Bool {
        guard trace.duration > 0.4 * shortest, trace.duration < 2.5 * longest else { return false }
        return nearest(trace, within: 0.6) != nil
    }

    /// Which taught gesture is the nearest, however far; for scores.
    package func nearestKind(to trace: MotionTrace) -> GestureKind? {
        nearest(trace, within: .infinity).map { gestures[entries[$0.entry].gesture].kind }
    }

    /// Which other gesture one of this gesture's examples would be taken for if it were not for its own, and how far (in N)
    /// that is; the nearest of several.
    func alike(_ kind: GestureKind) -> (kind: GestureKind, distance: Double)? {
        guard let number = gestures.firstIndex(where: { $0.kind == kind }) else { return nil }
        var found: (GestureKind, Double)?
        for own in entries where own.gesture == number && own.isExample {
            for other in entries where other.gesture != number && other.isExample {
                let distance = Self.distance(own.shape, other.shape)
                if distance <= limit, distance < found?.1 ?? .infinity {
                    found = (gestures[other.gesture].kind, distance)
                }
            }
        }
        return found
    }

    private func couldLast(_ duration: Double) -> Bool { duration > 0.5 * shortest && duration < 2 * longest }

    private func match(_ nearest: Nearest) -> Match? {
        let entry = entries[nearest.entry]
        let unlikeness = nearest.distance / limit
        guard !entry.isCounter, unlikeness <= 1 else { return nil }
        return Match(kind: gestures[entry.gesture].kind, unlikeness: unlikeness, confidence: 1 - 0.5 * unlikeness)
    }

    private func nearest(_ trace: MotionTrace, within limit: Double) -> Nearest? {
        let shape = GestureShape(trace, up: up, scale: scale)
        return shape.points.withUnsafeBufferPointer { nearest($0, loudness: shape.loudness, within: limit) }
    }

    /// Looks at those with the least lower bound first, so that most need not be compared at all. For the order every fourth
    /// moment is enough.
    private func nearest(_ shape: TimeWarping.Points, loudness: Float, within limit: Double) -> Nearest? {
        let energy = GestureShape.energy(of: shape)
        let count = entries.count
        return withUnsafeTemporaryAllocation(of: Float.self, capacity: count + shape.count) { memory in
            let bounds = UnsafeMutableBufferPointer(rebasing: memory[..<count])
            let remaining = UnsafeMutableBufferPointer(rebasing: memory[count...])
            var best: (entry: Int, square: Float)?
            var horizon = limit.isFinite ? Float(limit * limit) : .infinity
            for place in 0..<count {
                let measure = ShapeMeasure(energy: energy, loudness: loudness, entries[place].shape)
                bounds[place] = measure.square {
                    entries[place].envelope.lowerBound(shape, below: measure.warping(at: horizon), stride: 4)
                }
            }
            while let place = bounds.indices.min(by: { bounds[$0] < bounds[$1] }), bounds[place] <= horizon,
                bounds[place].isFinite
            {
                bounds[place] = .infinity
                let measure = ShapeMeasure(energy: energy, loudness: loudness, entries[place].shape)
                let square = measure.square {
                    entries[place].envelope.lowerBounds(shape, into: remaining)
                    guard remaining[0] <= measure.warping(at: horizon) else { return .infinity }
                    return entries[place].shape.points.withUnsafeBufferPointer {
                        TimeWarping.distance(
                            shape, $0, below: measure.warping(at: horizon), remaining: UnsafeBufferPointer(remaining))
                    }
                }
                if square <= horizon, square < best?.square ?? .infinity {
                    best = (place, square)
                    horizon = square
                }
            }
            return best.map { Nearest(entry: $0.entry, distance: Double($0.square).squareRoot()) }
        }
    }

    private static func entry(_ shape: GestureShape, of gesture: Int, lasting duration: Double = 0) -> Entry {
        Entry(
            gesture: gesture, shape: shape, envelope: TimeWarping.Envelope(shape.points), duration: duration)
    }

    private static func distance(_ a: GestureShape, _ b: GestureShape, below best: Double = .infinity) -> Double {
        a.points.withUnsafeBufferPointer { distance($0, energy: a.energy, loudness: a.loudness, b, below: best) }
    }

    /// N of points, whose ``GestureShape/energy`` and ``GestureShape/loudness`` are given, and a shape; infinite as soon as
    /// it must exceed `best`.
    static func distance(
        _ a: TimeWarping.Points, energy: Float, loudness: Float, _ b: GestureShape, below best: Double
    ) -> Double {
        let measure = ShapeMeasure(energy: energy, loudness: loudness, b)
        let horizon = best.isFinite ? measure.warping(at: Float(best * best)) : .infinity
        let square = measure.square {
            b.points.withUnsafeBufferPointer { TimeWarping.distance(a, $0, below: horizon) }
        }
        return Double(square).squareRoot()
    }

    /// N of a shape and an entry; infinite as soon as it must exceed `best`, which mostly shows without a comparison.
    static func distance(_ shape: GestureShape, _ entry: Entry, below best: Double) -> Double {
        guard best.isFinite else { return distance(shape, entry.shape) }
        let measure = ShapeMeasure(energy: shape.energy, loudness: shape.loudness, entry.shape)
        let bound = measure.square {
            shape.points.withUnsafeBufferPointer {
                entry.envelope.lowerBound($0, below: measure.warping(at: Float(best * best)))
            }
        }
        return bound.isFinite ? distance(shape, entry.shape, below: best) : .infinity
    }

    /// Weights over the standard deviation of force, rate, turn and jerk, each the same for its three axes.
    private static func scale(of traces: [MotionTrace], up: SIMD3<Float>) -> SIMD4<Float> {
        var energy = SIMD4<Float>.zero
        for trace in traces { energy += GestureShape.energies(of: trace, up: up) }
        energy /= Float(3 * max(1, traces.count * MotionTrace.length))
        var scale = SIMD4<Float>.zero
        for kind in scale.indices {
            // What does not vary at all, as the rate of a device without gyroscope, says nothing.
            scale[kind] = energy[kind] > 1e-8 ? weights[kind] / energy[kind].squareRoot() : 0
        }
        return scale
    }
}

extension GestureBook.Entry {
    /// What the player showed.
    var isExample: Bool { !isCounter && !isMidway }
}
