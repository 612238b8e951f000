import WireProtocol

/// The times at which a controller's own haptics shake it, so that they are not taken for its player's gestures.
struct HapticMask: Sendable {
    /// What a motor still does after it was switched off.
    static let decay: Duration = .milliseconds(50)
    /// As many haptics as a controller may have under way.
    private static let capacity = 64

    private struct Span: Sendable {
        var id: UInt32
        var start: HostTime
        var end: HostTime
    }

    /// The oldest first.
    private var spans: [Span] = []

    var isEmpty: Bool { spans.isEmpty }

    /// The haptic begins between these two times and lasts so long. The same id again corrects what was thought before.
    mutating func note(_ id: UInt32, between earliest: HostTime, and latest: HostTime, lasting duration: Duration) {
        cancel(id)
        if spans.count >= Self.capacity { spans.removeFirst() }
        spans.append(Span(id: id, start: earliest, end: max(earliest, latest) + duration + Self.decay))
    }

    /// It will not be played.
    mutating func cancel(_ id: UInt32) { spans.removeAll { $0.id == id } }

    /// Until when the controller shakes itself, if it may do so at this time; `nil` when it does not.
    func end(at time: HostTime, within uncertainty: Duration) -> HostTime? {
        var end: HostTime?
        for span in spans where time >= span.start - uncertainty && time <= span.end + uncertainty {
            end = max(end ?? span.end + uncertainty, span.end + uncertainty)
        }
        return end
    }

    /// Forgets what ended before `time`.
    mutating func forget(before time: HostTime) { spans.removeAll { $0.end < time } }
}
