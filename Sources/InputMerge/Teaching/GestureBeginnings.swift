/// How all that a player taught begins, so that a gesture is seen while it is being made.
///
/// The first 35 to 100 % of a gesture's examples, behind the rest before them, are shapes of their own. What was done so far
/// is compared with each of them that lasts about as long, as ``GestureBook`` compares whole gestures; the nearest of each
/// gesture says how likely that gesture is, and how much of it is done.
struct GestureBeginnings: Sendable {
    private struct Beginning: Sendable {
        /// Which of the gestures.
        var gesture: Int
        /// How much of it, 0 to 1.
        var share: Double
        /// In s.
        var duration: Double
        var shape: GestureShape
    }

    /// The nearest beginning of one gesture.
    struct Nearest: Sendable {
        /// N of ``GestureBook``.
        var distance = Double.infinity
        var share = 0.0
    }

    private static let shares = [0.35, 0.5, 0.65, 0.8, 1]
    /// So many examples of each gesture show how it begins; more would only cost time.
    private static let mostExamples = 3
    private static let mostCandidates = 3
    /// A hand may be so much faster or slower than in the example.
    private static let tempo = 0.6...1.7

    private let kinds: [GestureKind]
    private let up: SIMD3<Float>
    private let scale: SIMD4<Float>
    private let limit: Double
    private var beginnings: [Beginning] = []
    /// The longest of them, in s.
    private var longest = 0.0

    init(of book: GestureBook) {
        kinds = book.gestures.map(\.kind)
        (up, scale, limit) = (book.up, book.scale, book.limit)
        for (number, gesture) in book.gestures.enumerated() {
            for example in gesture.examples.suffix(Self.mostExamples) {
                for share in Self.shares {
                    guard let trace = example.beginning(share) else { continue }
                    longest = max(longest, trace.duration)
                    beginnings.append(
                        Beginning(
                            gesture: number, share: share, duration: trace.duration,
                            shape: GestureShape(trace, up: up, scale: scale)))
                }
            }
        }
    }

    /// What the motion so far may become; `nil` when nothing that was taught begins like it. Allocates for what it returns
    /// and nothing else.
    func outlook(
        _ moments: ArraySlice<MotionTrace.Moment>, scratch: inout GestureScratch
    ) -> Shaping.Outlook? {
        guard let first = moments.first, let last = moments.last, moments.count >= 4 else { return nil }
        let duration = last.time - first.time
        // Who walks about moves for minutes: that costs nothing.
        guard duration <= longest * Self.tempo.upperBound else { return nil }
        var nearest = scratch.takeNearest(count: kinds.count)
        scratch.withShape(of: moments, over: duration, up: up, scale: scale) { points, loudness in
            let energy = GestureShape.energy(of: points)
            for beginning in beginnings where Self.tempo.contains(duration / beginning.duration) {
                let known = min(nearest[beginning.gesture].distance, limit)
                let distance = GestureBook.distance(
                    points, energy: energy, loudness: loudness, beginning.shape, below: known)
                if distance <= known {
                    nearest[beginning.gesture] = Nearest(distance: distance, share: beginning.share)
                }
            }
        }
        defer { scratch.nearest = nearest }
        guard nearest.contains(where: { $0.distance <= limit }) else { return nil }
        return outlook(nearest)
    }

    private func outlook(_ nearest: [Nearest]) -> Shaping.Outlook? {
        let weights = nearest.map { weight($0.distance) }
        let all = weights.reduce(weight(limit), +)
        let order = weights.indices.filter { weights[$0] > 0 }
            .sorted { (-weights[$0], $0) < (-weights[$1], $1) }
            .prefix(Self.mostCandidates)
        guard let likeliest = order.first else { return nil }
        return Shaping.Outlook(
            progress: nearest[likeliest].share,
            candidates: order.map { ShapingEvent.Candidate(kinds[$0], likelihood: weights[$0] / all) })
    }

    /// Falls with the distance, by Student's law for three degrees of freedom: what lies at the limit is as likely as none
    /// of what was taught.
    private func weight(_ distance: Double) -> Double {
        guard distance <= limit else { return 0 }
        let square = 3 * (distance / limit) * (distance / limit)
        return 1 / ((1 + square) * (1 + square))
    }
}

extension MotionTrace {
    /// Its first part, the rest before it and `share` (above 0, up to 1) of what moves, as if no more had been done; `nil` of
    /// a trace that is damaged.
    func beginning(_ share: Double) -> MotionTrace? {
        guard isUsable else { return nil }
        let (before, after) = (restingMoments(Array(0..<Self.length)), restingMoments((0..<Self.length).reversed()))
        let moving = max(4, Self.length - before - after)
        let count = min(Self.length, max(4, before + Int((share * Double(moving)).rounded())))
        let interval = duration / Double(Self.length - 1)
        return MotionTrace(
            (0..<count).map {
                Moment(time: Double($0) * interval, force: force(at: $0), rotationRate: rotationRate(at: $0))
            })
    }

    /// In how many of these, in their order, the device goes on resting as in the first; as long as a rest is at most. What
    /// was taught when examples had no rest in them has next to none.
    private func restingMoments(_ steps: [Int]) -> Int {
        guard let first = steps.first else { return 0 }
        let most = Int(min(MotionSegmenter.rest * Double(Self.length - 1) / duration, Double(Self.length)))
        return steps.prefix(most).prefix { step in
            let (rate, change) = (rotationRate(at: step), force(at: step) - force(at: first))
            return (rate * rate).sum().squareRoot() < Float(MotionSegmenter.rate)
                && (change * change).sum().squareRoot() < Float(MotionSegmenter.push)
        }.count
    }
}
