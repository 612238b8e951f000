import WireProtocol

/// Sees the gestures that the player taught, or hands over what the player shows while teaching.
struct TaughtRecognizer: Recognizer {
    private let book: GestureBook
    /// While the player teaches, nothing is recognised: each piece of motion is handed over instead.
    private let isLesson: Bool
    private var segmenter = MotionSegmenter()
    private var pulse = Pulse(refractory: .zero)

    init(_ book: GestureBook, isLesson: Bool) {
        self.book = book
        self.isLesson = isLesson
    }

    mutating func update(_ motion: DeviceMotion) -> Recognition? {
        let trace = segmenter.update(motion)
        if let end = pulse.end() { return end }
        guard let trace else { return nil }
        if isLesson {
            var shown = Recognition(.changed, strength: 0, confidence: 1)
            shown.trace = trace
            return shown
        }
        guard let match = book.recognise(trace) else { return nil }
        var recognition = Recognition(
            .began, strength: match.confidence, confidence: match.confidence,
            measures: GestureMeasures(sinceStart: trace.duration, unlikeness: match.unlikeness))
        recognition.kind = match.kind
        return pulse.fire(recognition, at: motion.sampledAt)
    }

    mutating func interrupt() { segmenter.interrupt() }
}
