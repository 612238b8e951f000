/// All that one player taught, ready to be compared with what the player does.
///
/// The nearest example names the gesture (nearest neighbour under time warping), unless even that is too far. Distance is
/// relative to energy,
/// ```
/// e(x) = √ mean |point|²          D(q, t) = √ (time warping / 3 · 64)
/// N(q, t) = D / √ (e(q)² + e(t)²)          0 the same, about 1 unrelated
/// ```
/// so that calm motion is not near to everything, nor wild motion far from itself. One limit holds for all that was taught:
/// it is wide where the gestures lie far from each other, and narrow where they are alike.
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
    /// So many examples, evenly chosen, show how far gestures lie from each other.
    private static let mostMeasured = 64
    /// Where there is one gesture, as far as others are usually away.
    private static let loneRoom = 0.45

    package let gestures: [TaughtGesture]
    private(set) var up = SIMD3<Float>.zero
    private(set) var scale = SIMD3<Float>(repeating: 1)
    private(set) var entries: [Entry] = []
    /// The 10th percentile of how far (in N) each example lies from the nearest of another gesture: 0.2 to 1.
    let room: Double
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
        let factors = Self.scale(of: traces.map { GestureShape($0, up: middle) })
        scale = factors
        for (number, gesture) in gestures.enumerated() {
            let shapes = gesture.examples.map { GestureShape($0, up: middle, scale: factors) }
            for (shape, trace) in zip(shapes, gesture.examples) {
                entries.append(Self.entry(shape.points, of: number, lasting: trace.duration))
            }
            for trace in gesture.counterExamples {
                var entry = Self.entry(GestureShape(trace, up: middle, scale: factors).points, of: number)
                entry.isCounter = true
                entries.append(entry)
            }
            guard shapes.count <= Self.mostWithMidway else { continue }
            for (place, one) in shapes.enumerated() {
                for other in shapes[..<place] {
                    var entry = Self.entry(TimeWarping.midway(one.points, other.points), of: number)
                    entry.isMidway = true
                    entries.append(entry)
                }
            }
        }
        room = Self.room(of: entries)
        let mean = Double(traces.count) / Double(max(1, gestures.count))
        limit = Self.factor(examples: mean, sensitivity: sensitivity) * room.squareRoot()
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
            self.nearest($0, within: limit)
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
        GestureShape(trace, up: up, scale: scale).points.withUnsafeBufferPointer { nearest($0, within: limit) }
    }

    /// Looks at those with the least lower bound first, so that most need not be compared at all.
    private func nearest(_ shape: TimeWarping.Points, within limit: Double) -> Nearest? {
        let energy = GestureShape.energy(of: shape)
        let (count, length) = (entries.count, Float(3 * MotionTrace.length))
        return withUnsafeTemporaryAllocation(of: Float.self, capacity: count + shape.count) { memory in
            let bounds = UnsafeMutableBufferPointer(rebasing: memory[..<count])
            let remaining = UnsafeMutableBufferPointer(rebasing: memory[count...])
            var best: (entry: Int, square: Float)?
            var horizon = limit.isFinite ? Float(limit * limit) : .infinity
            for place in 0..<count {
                let most = length * (energy + entries[place].shape.energy)
                bounds[place] =
                    most > 0 ? entries[place].envelope.lowerBound(shape, below: horizon * most) / most : 1
            }
            while let place = bounds.indices.min(by: { bounds[$0] < bounds[$1] }), bounds[place] <= horizon,
                bounds[place].isFinite
            {
                bounds[place] = .infinity
                let most = length * (energy + entries[place].shape.energy)
                // Two that do not move at all have nothing in common but that.
                var square: Float = 1
                if most > 0 {
                    entries[place].envelope.lowerBounds(shape, into: remaining)
                    square =
                        entries[place].shape.points.withUnsafeBufferPointer {
                            TimeWarping.distance(
                                shape, $0, below: horizon * most, remaining: UnsafeBufferPointer(remaining))
                        } / most
                }
                if square <= horizon, square < best?.square ?? .infinity {
                    best = (place, square)
                    horizon = square
                }
            }
            return best.map { Nearest(entry: $0.entry, distance: Double($0.square).squareRoot()) }
        }
    }

    private static func entry(
        _ points: [GestureShape.Point], of gesture: Int, lasting duration: Double = 0
    ) -> Entry {
        Entry(
            gesture: gesture, shape: GestureShape(points), envelope: TimeWarping.Envelope(points), duration: duration)
    }

    static func distance(_ a: GestureShape, _ b: GestureShape, below best: Double = .infinity) -> Double {
        a.points.withUnsafeBufferPointer { distance($0, energy: a.energy, b, below: best) }
    }

    /// N of points, whose ``GestureShape/energy`` is given, and a shape; infinite as soon as it must exceed `best`.
    static func distance(_ a: TimeWarping.Points, energy: Float, _ b: GestureShape, below best: Double) -> Double {
        let most = Float(3 * MotionTrace.length) * (energy + b.energy)
        guard most > 0 else { return 1 }
        let horizon = best.isFinite ? Float(best * best) * most : .infinity
        let sum = b.points.withUnsafeBufferPointer { TimeWarping.distance(a, $0, below: horizon) }
        return Double(sum / most).squareRoot()
    }

    private static func room(of entries: [Entry]) -> Double {
        let examples = entries.filter(\.isExample)
        var distances: [Double] = []
        // A percentile needs no more than so many, and a book is made on the room's thread.
        let stride = (examples.count + mostMeasured - 1) / mostMeasured
        for (place, one) in examples.enumerated() where place % max(1, stride) == 0 {
            var nearest = Double.infinity
            for other in examples where other.gesture != one.gesture {
                nearest = min(nearest, distance(one.shape, other.shape, below: nearest))
            }
            if nearest.isFinite { distances.append(nearest) }
        }
        guard !distances.isEmpty else { return loneRoom }
        distances.sort()
        let place = 0.1 * Double(distances.count - 1)
        let (low, share) = (Int(place), place - place.rounded(.down))
        let high = distances[min(low + 1, distances.count - 1)]
        return min(max(distances[low] + share * (high - distances[low]), 0.2), 1)
    }

    /// Few examples do not show how a hand varies: with five of them the limit may be closer.
    private static func factor(examples: Double, sensitivity: Double) -> Double {
        let usual = 0.62 - 0.015 * min(max(examples - 3, 0), 2)
        let sensitivity = sensitivity.isNaN ? 1 : min(max(sensitivity, 0.5), 2)
        return sensitivity < 1
            ? 0.55 + (usual - 0.55) * (sensitivity - 0.5) / 0.5 : usual + (0.70 - usual) * (sensitivity - 1)
    }

    /// One over the standard deviation of force, rate and turn, each the same for its three axes.
    private static func scale(of shapes: [GestureShape]) -> SIMD3<Float> {
        var energy = SIMD3<Float>.zero
        for shape in shapes { energy += shape.energies }
        energy /= Float(3 * max(1, shapes.count * MotionTrace.length))
        var scale = SIMD3<Float>.zero
        for kind in 0..<3 {
            // What does not vary at all, as the rate of a device without gyroscope, says nothing.
            scale[kind] = energy[kind] > 1e-8 ? 1 / energy[kind].squareRoot() : 0
        }
        return scale
    }
}

extension GestureBook.Entry {
    /// What the player showed.
    var isExample: Bool { !isCounter && !isMidway }
}
