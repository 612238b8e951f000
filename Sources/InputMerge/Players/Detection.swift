import WireProtocol

/// What one controller's recognizer saw, placed on the host's clock; or, within a team, what one player did.
struct Detection: Sendable {
    /// Who did it: a controller; within a team, a player's number.
    var peer: Int
    /// Which of the configuration's gestures.
    var gesture: Int
    var recognition: Recognition
    var occurredAt: HostTime
    /// How far ``occurredAt`` may be wrong either way; `nil` while the clock was not measured.
    var uncertaintyNanoseconds: Int64?
    /// Part of that: the time before ``occurredAt`` at which nobody looked.
    var unseenNanoseconds: Int64 = 0
    /// How far that clock can be trusted.
    var clock = ClockMapping.State.none
    /// When the sample that shows it reached the host; `nil` when no sample does.
    var arrivedAt: HostTime?
    /// Of several that were joined, how long before ``occurredAt`` the last of them had moved.
    private var joinedOnset: Duration?

    init(
        peer: Int, gesture: Int, recognition: Recognition, occurredAt: HostTime, uncertaintyNanoseconds: Int64? = nil,
        unseenNanoseconds: Int64 = 0, clock: ClockMapping.State = .none, arrivedAt: HostTime? = nil
    ) {
        self.peer = peer
        self.gesture = gesture
        self.recognition = recognition
        self.occurredAt = occurredAt
        self.uncertaintyNanoseconds = uncertaintyNanoseconds
        self.unseenNanoseconds = unseenNanoseconds
        self.clock = clock
        self.arrivedAt = arrivedAt
    }

    /// How long before ``occurredAt`` the body had moved.
    var onset: Duration { joinedOnset ?? recognition.measures.onset }

    var phase: GestureEvent.Phase { recognition.phase }
    var source: GestureEvent.Source { recognition.isPressed ? .button : .motion }

    /// The end of what this detection began, at `time` or with its beginning.
    func ended(at time: HostTime) -> Detection {
        var end = self
        end.recognition = Recognition(.ended, strength: 0, confidence: 1)
        end.recognition.kind = recognition.kind
        end.recognition.isPressed = recognition.isPressed
        end.occurredAt = max(occurredAt, time)
        return end
    }

    /// Both together: as late and as vague as the worse, as sure as the less sure; by a button if one of them was. It
    /// started when the first of them did.
    mutating func join(_ other: Detection) {
        let joint = max(occurredAt, other.occurredAt)
        joinedOnset = joint - max(occurredAt - onset, other.occurredAt - other.onset)
        let (mine, theirs) = (sinceStart(at: joint), other.sinceStart(at: joint))
        if let known = mine ?? theirs { recognition.measures.sinceStart = max(known, theirs ?? known) }
        if other.occurredAt > occurredAt {
            (occurredAt, unseenNanoseconds) = (other.occurredAt, other.unseenNanoseconds)
        }
        if let mine = uncertaintyNanoseconds, let theirs = other.uncertaintyNanoseconds {
            uncertaintyNanoseconds = max(mine, theirs)
        } else {
            uncertaintyNanoseconds = nil
        }
        clock = clock.joined(other.clock)
        if let theirs = other.arrivedAt { arrivedAt = max(arrivedAt ?? theirs, theirs) }
        recognition.confidence = min(recognition.confidence, other.recognition.confidence)
        if other.recognition.isPressed { recognition.isPressed = true }
    }

    /// How long before `time` it really started, in s; `nil` where that is not known.
    private func sinceStart(at time: HostTime) -> Double? {
        recognition.measures.sinceStart.map { $0 + (time - occurredAt).seconds }
    }

    /// In order of occurrence; whatever is left undecided by the time is decided by who and what.
    static func isBefore(_ a: Detection, _ b: Detection) -> Bool {
        (a.occurredAt.nanoseconds, a.peer, a.gesture) < (b.occurredAt.nanoseconds, b.peer, b.gesture)
    }
}

extension ClockMapping.State {
    /// What can be claimed of both together.
    func joined(_ other: Self) -> Self {
        for worst in [Self.none, .stale, .coarse] where self == worst || other == worst { return worst }
        return .locked
    }
}
