public import WireProtocol

/// A motion of a player that still goes on, and the taught gestures that it may become.
///
/// ```
/// shaping   began ── changed ── changed ── ended
/// gesture                                  began ── ended      or none
/// ```
/// So a game can answer before a gesture is over; only the gesture's own event counts, which comes at the same moment as
/// the end of this, if it is one.
public struct ShapingEvent: Hashable, Sendable {
    /// A gesture that this may become.
    public struct Candidate: Hashable, Sendable {
        /// A gesture that the player taught.
        public var gesture: GestureKind
        /// 0 to 1. Those of all taught gestures, and that it is none of them, add up to 1.
        public var likelihood: Double

        /// A gesture and how likely it is, 0 to 1.
        public init(_ gesture: GestureKind, likelihood: Double) {
            self.gesture = gesture
            self.likelihood = likelihood
        }
    }

    /// Whose motion it is.
    public var player: PlayerNumber
    /// Whose sensor shows it.
    public var peer: PeerIndex
    /// `ended` says that it is over, or like nothing any more that was taught.
    public var phase: GestureEvent.Phase
    /// How much of the likeliest gesture is done, 0 to 1.
    public var progress: Double
    /// The likeliest first, three at most; none with `ended`.
    public var candidates: [Candidate]
    /// When the sample was taken that shows it, on the host's clock.
    public var occurredAt: HostTime

    /// What a motion may become, as far as it is seen.
    public init(
        player: PlayerNumber, peer: PeerIndex, phase: GestureEvent.Phase, progress: Double, candidates: [Candidate],
        occurredAt: HostTime
    ) {
        self.player = player
        self.peer = peer
        self.phase = phase
        self.progress = progress
        self.candidates = candidates
        self.occurredAt = occurredAt
    }
}

/// What a recognizer says of a motion that goes on.
enum Shaping: Hashable, Sendable {
    case going(Outlook)
    case over

    /// What the motion may become.
    struct Outlook: Hashable, Sendable {
        var progress: Double
        /// The likeliest first; at least one.
        var candidates: [ShapingEvent.Candidate]
    }
}

extension Merge {
    /// Tells the player's motion that goes on, as far as its controller is not told too often.
    mutating func note(_ shaping: Shaping, _ detection: Detection) {
        let (now, player) = (now, peers[detection.peer]?.players.first)
        let admitted = peers.update(detection.peer) { $0.voice.admits(shaping, of: player, at: now) } ?? nil
        guard let admitted else { return }
        var event = ShapingEvent(
            player: admitted.player, peer: detection.peer, phase: admitted.phase, progress: 0, candidates: [],
            occurredAt: detection.occurredAt)
        if case .going(let outlook) = shaping {
            event.progress = outlook.progress
            event.candidates = outlook.candidates
        }
        shapings.append(event)
    }
}
