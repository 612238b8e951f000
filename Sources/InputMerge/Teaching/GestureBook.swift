/// All that one player taught, ready to be compared with what the player does.
///
/// The nearest example names the gesture (nearest neighbour under time warping), unless even that is too far: farther
/// than the gesture's own examples lie from each other, or hardly nearer than another gesture's.
public struct GestureBook: Sendable {
    public struct Match: Hashable, Sendable {
        public var kind: GestureKind
        /// 0 is the same, 1 the most that is accepted.
        public var unlikeness: Double
        /// 0 to 1: how much nearer it is than to any other gesture, and to the limit.
        public var confidence: Double
    }

    /// When even the nearest example is too far.
    public struct Rejection: Hashable, Sendable {
        /// Beyond the examples' mean distance from each other, so many standard deviations are accepted …
        public var deviations: Double
        /// … each at least so much of the mean, as few examples say little about their spread.
        public var leastSpread: Double
        /// The nearest must be nearer than this share of the distance to any other gesture.
        public var ambiguity: Double

        public init(deviations: Double = 3, leastSpread: Double = 0.25, ambiguity: Double = 0.85) {
            self.deviations = deviations
            self.leastSpread = leastSpread
            self.ambiguity = ambiguity
        }
    }

    private struct Entry: Sendable {
        /// Which of the gestures.
        var gesture: Int
        var shape: GestureShape
        var envelope: TimeWarping.Envelope
    }

    public let gestures: [TaughtGesture]
    private let rejection: Rejection
    private var up = SIMD3<Float>.zero
    private var scale = SIMD3<Float>(repeating: 1)
    private var entries: [Entry] = []
    /// For each gesture, the greatest distance (a root mean square, in standard deviations) that is accepted.
    private var limits: [Double] = []
    private var shortest = Double.infinity
    private var longest = 0.0

    /// Takes what has no problem.
    public init(_ gestures: [TaughtGesture], rejection: Rejection = Rejection()) {
        self.rejection = rejection
        self.gestures = gestures.filter { $0.problem == nil }
        let traces = self.gestures.flatMap(\.examples)
        for trace in traces {
            up += trace.meanForce / Float(max(1, traces.count))
            shortest = min(shortest, trace.duration)
            longest = max(longest, trace.duration)
        }
        var shapes: [(Int, GestureShape)] = []
        for (number, gesture) in self.gestures.enumerated() {
            shapes += gesture.examples.map { (number, GestureShape($0, up: up)) }
        }
        scale = Self.scale(of: shapes.map(\.1))
        entries = shapes.map { gesture, shape in
            var shape = shape
            shape.scale(by: scale)
            return Entry(gesture: gesture, shape: shape, envelope: TimeWarping.Envelope(shape))
        }
        limits = self.gestures.indices.map { limit(of: $0) }
    }

    public var isEmpty: Bool { entries.isEmpty }

    /// Which taught gesture this is; `nil` when it is none.
    public func recognise(_ trace: MotionTrace) -> Match? {
        guard !isEmpty, trace.duration > 0.5 * shortest, trace.duration < 2 * longest else { return nil }
        guard let (gesture, distance, others) = nearest(trace) else { return nil }
        let unlikeness = distance / limits[gesture]
        let ambiguity = others.isFinite ? distance / others : 0
        guard unlikeness <= 1, ambiguity <= rejection.ambiguity else { return nil }
        return Match(
            kind: gestures[gesture].kind, unlikeness: unlikeness,
            confidence: (1 - 0.5 * unlikeness) * (1 - 0.5 * ambiguity))
    }

    /// Whether it may be another example of the one gesture in the book. Two unrelated motions are 1 apart if the book's
    /// is as wild; of one person's digits half lie within 1.3 of another of their kind, of other digits one in twenty.
    func mayBelong(_ trace: MotionTrace) -> Bool {
        guard trace.duration > 0.4 * shortest, trace.duration < 2.5 * longest else { return false }
        return nearest(trace).map { $0.distance < 1.3 } ?? false
    }

    /// Which taught gesture is the nearest, however far; for scores.
    public func nearestKind(to trace: MotionTrace) -> GestureKind? { nearest(trace).map { gestures[$0.gesture].kind } }

    /// The gesture of the nearest example, its distance, and that of the nearest example of any other gesture.
    private func nearest(_ trace: MotionTrace) -> (gesture: Int, distance: Double, others: Double)? {
        var shape = GestureShape(trace, up: up)
        shape.scale(by: scale)
        var order = entries.indices.map { (bounds: entries[$0].envelope.lowerBounds(shape), place: $0) }
        order.sort { ($0.bounds[0], $0.place) < ($1.bounds[0], $1.place) }
        var best: (gesture: Int, distance: Float)?
        var others = Float.infinity
        for (bounds, place) in order {
            // Only what may become the nearest, or the nearest of another gesture, is looked at more closely.
            let gesture = entries[place].gesture
            let horizon = best.map { gesture == $0.gesture ? $0.distance : others } ?? .infinity
            guard bounds[0] < horizon else { continue }
            let distance = TimeWarping.distance(shape, entries[place].shape, below: horizon, remaining: bounds)
            guard let nearest = best else {
                if distance.isFinite { best = (gesture, distance) }
                continue
            }
            if distance < nearest.distance {
                if gesture != nearest.gesture { others = nearest.distance }
                best = (gesture, distance)
            } else if gesture != nearest.gesture {
                others = min(others, distance)
            }
        }
        return best.map { ($0.gesture, Self.root($0.distance), Self.root(others)) }
    }

    /// A lone example says nothing about its spread: it gets a whole deviation of the motion.
    private func limit(of gesture: Int) -> Double {
        let own = entries.filter { $0.gesture == gesture }
        guard own.count > 1 else { return 1 }
        let distances = own.indices.map { place in
            var nearest = Float.infinity
            for other in own.indices where other != place {
                nearest = min(nearest, TimeWarping.distance(own[place].shape, own[other].shape, below: nearest))
            }
            return Self.root(nearest)
        }
        let mean = distances.reduce(0, +) / Double(distances.count)
        let variance = distances.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(distances.count - 1)
        return max(mean + rejection.deviations * max(variance.squareRoot(), rejection.leastSpread * mean), 0.2)
    }

    private static func root(_ distance: Float) -> Double {
        (Double(distance) / Double(3 * MotionTrace.length)).squareRoot()
    }

    /// One over the standard deviation of force, rate and turn, each the same for its three axes.
    private static func scale(of shapes: [GestureShape]) -> SIMD3<Float> {
        var energy = SIMD3<Float>.zero
        for shape in shapes { energy += shape.energy }
        energy /= Float(3 * max(1, shapes.count * MotionTrace.length))
        var scale = SIMD3<Float>.zero
        for kind in 0..<3 {
            // What does not vary at all, as the rate of a device without gyroscope, says nothing.
            scale[kind] = energy[kind] > 1e-8 ? 1 / energy[kind].squareRoot() : 0
        }
        return scale
    }
}
