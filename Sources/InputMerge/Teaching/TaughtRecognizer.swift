import WireProtocol

/// Sees the gestures that the player taught, also while they are being made, or hands over what the player shows while
/// teaching.
struct TaughtRecognizer: Recognizer {
    /// A motion that goes on is looked at as often, by the device's clock, …
    private static let spacing = 0.1
    /// … and not before so many further samples: what it costs is shared by them.
    private static let fewestSamples = 8
    /// It is told when the likeliest gesture is so likely, …
    private static let likely = 0.5
    /// … and again when that has changed by so much.
    private static let change = 0.1

    private let book: GestureBook
    /// `nil` while the player teaches: nothing is recognised then, and each piece of motion is handed over instead.
    private let beginnings: GestureBeginnings?
    private var segmenter = MotionSegmenter()
    private var scratch = GestureScratch()
    private var pulse = Pulse(refractory: .zero)
    /// What was last told of the motion that goes on; `nil` while nothing was.
    private var told: Shaping.Outlook?
    private var lookedAt = DeviceTime(nanoseconds: .min)
    private var unseen = 0

    init(_ book: GestureBook, beginnings: GestureBeginnings?) {
        self.book = book
        self.beginnings = beginnings
    }

    private var isLesson: Bool { beginnings == nil }

    /// Whether something was told of a motion whose end was not.
    var isShaping: Bool { told != nil }

    mutating func update(_ motion: DeviceMotion) -> Recognition? {
        let isOver = segmenter.update(motion)
        if let end = pulse.end(at: motion.sampledAt) { return end }
        guard isOver else { return segmenter.isMoving ? foretell(at: motion.sampledAt) : stopForetelling() }
        guard !isLesson else {
            guard let trace = MotionTrace(segmenter.piece) else { return nil }
            var shown = Recognition(.changed, strength: 0, confidence: 1)
            shown.trace = trace
            return shown
        }
        guard let match = book.recognise(segmenter.piece, scratch: &scratch), let trace = MotionTrace(segmenter.piece)
        else { return stopForetelling() }
        var recognition = Recognition(
            .began, strength: match.confidence, confidence: match.confidence,
            measures: GestureMeasures(sinceStart: segmenter.piece.last?.time, unlikeness: match.unlikeness))
        recognition.kind = match.kind
        recognition.trace = trace
        if isShaping { recognition.shaping = .over }
        told = nil
        return pulse.fire(recognition, at: motion.sampledAt)
    }

    mutating func interrupt() { segmenter.interrupt() }

    /// What the motion may become, if that is worth telling.
    private mutating func foretell(at now: DeviceTime) -> Recognition? {
        unseen += 1
        guard let beginnings, unseen >= Self.fewestSamples,
            now < lookedAt || now.seconds(since: lookedAt) >= Self.spacing
        else { return nil }
        (lookedAt, unseen) = (now, 0)
        guard let outlook = beginnings.outlook(segmenter.piece, scratch: &scratch) else { return stopForetelling() }
        guard isNews(outlook) else { return nil }
        told = outlook
        var foretold = Recognition(.changed, strength: 0, confidence: outlook.candidates.first?.likelihood ?? 0)
        foretold.shaping = .going(outlook)
        return foretold
    }

    private func isNews(_ outlook: Shaping.Outlook) -> Bool {
        guard let likeliest = outlook.candidates.first else { return false }
        guard let told, let before = told.candidates.first else { return likeliest.likelihood >= Self.likely }
        return likeliest.gesture != before.gesture || outlook.progress > told.progress
            || abs(likeliest.likelihood - before.likelihood) >= Self.change
    }

    private mutating func stopForetelling() -> Recognition? {
        guard isShaping else { return nil }
        told = nil
        var over = Recognition(.changed, strength: 0, confidence: 0)
        over.shaping = .over
        return over
    }
}
