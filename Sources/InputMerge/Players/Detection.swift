import WireProtocol

/// What one controller's recognizer saw, placed on the host's clock.
struct Detection: Sendable {
    var peer: PeerIndex
    /// Which of the configuration's gestures.
    var gesture: Int
    var recognition: Recognition
    var occurredAt: HostTime
    /// How far ``occurredAt`` may be wrong either way; `nil` while the clock was not measured.
    var uncertaintyNanoseconds: Int64?

    var phase: GestureEvent.Phase { recognition.phase }

    /// The end of what this detection began, at `time` or with its beginning.
    func ended(at time: HostTime) -> Detection {
        var end = self
        end.recognition = Recognition(.ended, strength: 0, confidence: 1)
        end.recognition.kind = recognition.kind
        end.occurredAt = max(occurredAt, time)
        return end
    }
}
