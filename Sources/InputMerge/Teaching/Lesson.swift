/// Takes examples of one gesture until there are enough.
///
/// An example that is unlike those before it does not count; two such in a row, which are like each other, are what the
/// player means, and the lesson begins anew with them.
struct Lesson: Hashable, Sendable {
    enum Step: Hashable, Sendable {
        case example(Int)
        case unlike
        case finished(TaughtGesture)
    }

    let kind: GestureKind
    let times: Int
    private var examples: [MotionTrace] = []
    private var rejected: MotionTrace?

    init(_ kind: GestureKind, times: Int) {
        self.kind = kind
        self.times = min(max(times, 1), TaughtGesture.mostExamples)
    }

    var shown: Int { examples.count }

    mutating func take(_ trace: MotionTrace) -> Step {
        if examples.isEmpty || Self.isLike(trace, examples) {
            examples.append(trace)
            rejected = nil
        } else if let rejected, Self.isLike(trace, [rejected]) {
            examples = [rejected, trace]
            self.rejected = nil
        } else {
            rejected = trace
            return .unlike
        }
        if examples.count >= times { return .finished(TaughtGesture(kind, examples: Array(examples.prefix(times)))) }
        return .example(examples.count)
    }

    /// Seen from either: the wilder one finds the calmer one near, and the same hand is now wild, now calm.
    private static func isLike(_ trace: MotionTrace, _ examples: [MotionTrace]) -> Bool {
        let book = { GestureBook([TaughtGesture("lesson", examples: $0)]) }
        return book(examples).mayBelong(trace) || examples.contains { book([trace]).mayBelong($0) }
    }
}
