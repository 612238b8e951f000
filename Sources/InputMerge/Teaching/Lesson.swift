/// Takes examples of one gesture until there are enough.
///
/// An example that is unlike those before it does not count; two such in a row, which are like each other, are what the
/// player means, and the lesson begins anew with them. Five examples are worth more than any rule: where one was refused, or
/// another gesture is so near that it might be taken for this one, a fourth and a fifth are asked for; who stops before has
/// taught it all the same.
struct Lesson: Hashable, Sendable {
    enum Step: Hashable, Sendable {
        case example(Int)
        case unlike
        case finished(TaughtGesture)
    }

    /// As many help where three are few.
    static let asMuchAsHelps = 5

    let kind: GestureKind
    /// How many are wanted; more than at first, when more would help.
    private(set) var times: Int
    /// Which gesture that was taught before is so near that the last example might be taken for it.
    private(set) var alike: GestureKind?
    /// How many were asked for at first.
    private let asked: Int
    private let others: [TaughtGesture]
    private var examples: [MotionTrace] = []
    private var rejected: MotionTrace?
    private var hadRefusal = false

    init(_ kind: GestureKind, times: Int, beside others: [TaughtGesture] = []) {
        self.kind = kind
        asked = min(max(times, 1), TaughtGesture.mostExamples)
        self.times = asked
        self.others = others.filter { $0.kind != kind }
    }

    var shown: Int { examples.count }

    /// What was taught if the player stops now; `nil` before there are as many examples as were asked for.
    var settled: TaughtGesture? { examples.count >= asked ? TaughtGesture(kind, examples: examples) : nil }

    mutating func take(_ trace: MotionTrace) -> Step {
        if examples.isEmpty || Self.isLike(trace, examples) {
            examples.append(trace)
            rejected = nil
        } else if let rejected, Self.isLike(trace, [rejected]) {
            examples = [rejected, trace]
            self.rejected = nil
        } else {
            rejected = trace
            hadRefusal = true
            return .unlike
        }
        alike = GestureBook(others + [TaughtGesture(kind, examples: examples)]).alike(kind)?.kind
        if examples.count >= 3, examples.count >= asked, hadRefusal || alike != nil {
            times = max(asked, Self.asMuchAsHelps)
        }
        return examples.count >= times ? .finished(TaughtGesture(kind, examples: examples)) : .example(examples.count)
    }

    private static func isLike(_ trace: MotionTrace, _ examples: [MotionTrace]) -> Bool {
        GestureBook([TaughtGesture("lesson", examples: examples)]).mayBelong(trace)
    }
}
