import WireProtocol

/// Everything that a peer waits for. ``Peer/due(_:_:)`` says when each runs out, ``Peer/deadline(_:)`` when the first does
/// for which the room comes back.
enum PeerTimer: Sendable, CaseIterable {
    /// 250 ms since the peer was looked at last: its quality, its last minute, its clock's age and haptics without a
    /// receipt are judged then, and a pause of the host shows.
    case tick
    /// The room's `idleTimeout` (10 s unless set) since it was heard, or given the seat: the seat is lost.
    case idle
    /// The room's `graceTimeout` (30 s unless set) since the seat was lost: it is released.
    case grace
    /// The room's `idleReset` (off unless set) since the controller was last played on: a seat that is lost is released,
    /// of one that is not, what its player left behind is cleared away. Once; then it stands until somebody plays.
    case reset
    /// 1 s since an authenticated datagram: the link counts as silent (ours: a heartbeat comes every 500 ms).
    case silence
    /// 1 s since a stream's newest sample, ten samples' time if that is longer, and its batch: it counts as dead
    /// (``StreamReceiver/deathDue``). Looked at with the tick, so that it may be told 250 ms later.
    case streamDeath
    /// Feedback: 200 ms since the last, 50 ms while a sample is missing or something came that is worth an answer
    /// (WIRE-FORMAT.md, section 8); the first, and a stream's first, at once.
    case feedback
    /// A receipt that is owed: 25 ms since the last feedback, half the busy interval.
    case receipt
    /// Newest-wins data for the controller: as soon as feedback may leave.
    case data
    /// A reliable message: at once, and again 50 ms after it was sent until its receipt comes.
    case message
    /// A probe of the clock: eight 64 ms apart, then one a second (``ClockEstimator/nextProbeDue()``).
    case probe

    static let tickInterval: Int64 = 250_000_000
    static let silenceLimit: Int64 = 1_000_000_000
    static let calmFeedback: Int64 = 200_000_000
    static let busyFeedback: Int64 = 50_000_000
    static let receiptDelay: Int64 = busyFeedback / 2
    static let messageRetry: Int64 = 50_000_000
    /// The least time between two feedbacks to one peer, whatever is urgent: 5 ms.
    static let leastFeedback: Int64 = 5_000_000
    /// A gap between two looks at the room longer than this is the host's own pause, and nobody's fault: 500 ms, two
    /// ticks.
    static let hostPause: Int64 = 500_000_000
}

/// Everything that the room itself waits for. ``Coordinator/due(_:)`` says when the first of each kind runs out.
enum RoomTimer: Sendable, CaseIterable {
    /// A controller waits for the operator: as long as it says (30 s unless it says), at most the room's `askTimeout`
    /// (120 s unless set).
    case invitation
    /// The queue for a seat: at once when one is free for somebody who is there; 30 s after one of them was heard last it
    /// has no place any more (``Coordinator/patienceInQueue``).
    case queue
    /// Those who wait, for the operator or in the queue, are told so again: 5 s since the last time
    /// (``Coordinator/waitingInterval``).
    case waiting
    /// The host's own invitation: until its `expiresAt`.
    case offer
    /// A source of unsealed frames that asks and is silent: 10 s since its last frame (``LegacySources/patience``).
    case legacySource
    /// A goodbye to a peer that is gone: three copies, 20 ms apart, the first at once; nothing confirms it.
    case farewell
    /// A link that has ended drains: for 3 s, from its goodbye, its loss or the link that replaced it, what was still under
    /// way on it is booked where it belongs. What comes later is a stranger's.
    case drain

    static let drainTime: Duration = .seconds(3)
    static let farewellInterval: Int64 = 20_000_000
}

/// The times that a room's configuration sets, in nanoseconds.
struct SeatTimes: Sendable {
    let idle: Int64
    let grace: Int64
    /// `nil` where nothing is cleared away.
    let reset: Int64?

    init(_ configuration: RoomConfiguration) {
        reset = configuration.idleReset?.wholeNanoseconds
        idle = configuration.idleTimeout.wholeNanoseconds
        grace = configuration.graceTimeout.wholeNanoseconds
    }
}

extension Peer {
    /// What a link says of when feedback may leave on it; asked for once, as it is a large thing to look into.
    struct FeedbackPace {
        /// When the last one left.
        let last: Int64?
        let urgency: Link.Urgency
    }

    /// `nil` while none may leave. Changes nothing: what is lent to be changed is not copied.
    private mutating func feedbackPace() -> FeedbackPace? {
        guard seat == .active else { return nil }
        return attachment.withLink { link -> FeedbackPace? in
            guard link.maySend(Self.smallestFeedback) else { return nil }
            return FeedbackPace(last: link.feedbackSentAt, urgency: link.urgency)
        } ?? nil
    }

    /// When a timer runs out, in nanoseconds; `.max` while it stands.
    mutating func due(_ timer: PeerTimer, _ times: SeatTimes) -> Int64 { due(timer, times, feedbackPace()) }

    /// - Parameter pace: needed for feedback's timers alone.
    @inline(__always)
    func due(_ timer: PeerTimer, _ times: SeatTimes, _ pace: FeedbackPace?) -> Int64 {
        switch timer {
        case .tick: return visitedAt.saturatingAdd(PeerTimer.tickInterval)
        case .idle:
            switch seat {
            case .reserved(let since): return since.nanoseconds + times.idle
            case .active: return lastHeard + times.idle
            case .lost: return .max
            }
        case .grace:
            guard case .lost(let until) = seat else { return .max }
            return until.nanoseconds
        case .reset:
            guard let reset = times.reset, let usedAt else { return .max }
            return usedAt.nanoseconds.saturatingAdd(reset)
        case .silence:
            return seat == .active && linkState != .silent ? lastHeard + PeerTimer.silenceLimit : .max
        case .streamDeath:
            return seat == .active && linkState != .silent ? motion.deathDue : .max
        case .feedback, .receipt, .data, .message, .probe: return due(ofFeedback: timer, pace)
        }
    }

    @inline(__always)
    private func due(ofFeedback timer: PeerTimer, _ pace: FeedbackPace?) -> Int64 {
        guard let pace else { return .max }
        guard let last = pace.last else { return timer == .feedback ? lastHeard : .max }
        let due: Int64 =
            switch timer {
            case .receipt: messages.inbox.owesReceipt ? last + PeerTimer.receiptDelay : .max
            case .data: messages.newest.isEmpty ? .max : .min
            case .message: messages.outbox.nextDue(retryAfter: .nanoseconds(PeerTimer.messageRetry)) ?? .max
            case .probe: motion.clock.nextProbeDue()
            default:
                switch pace.urgency {
                case .atOnce: last
                case .calm where !motion.hasHoles: last + PeerTimer.calmFeedback
                case .calm, .busy: last + PeerTimer.busyFeedback
                }
            }
        return max(due, last + PeerTimer.leastFeedback)
    }

    /// When the seat is lost or released, in nanoseconds; `.max` while nothing threatens it.
    func seatDue(_ times: SeatTimes) -> Int64 { min(due(.idle, times, nil), due(.grace, times, nil)) }

    /// When the seat is free again if nothing is heard on it until then, in nanoseconds.
    func freeDue(_ times: SeatTimes) -> Int64 {
        isLost ? due(.grace, times, nil) : due(.idle, times, nil).saturatingAdd(times.grace)
    }

    /// When what its player left is cleared away, in nanoseconds; `.max` while nothing is to be.
    func resetDue(_ times: SeatTimes) -> Int64 { due(.reset, times, nil) }

    /// When a feedback is due, for the first of its reasons, in nanoseconds; `.max` while none may leave.
    mutating func feedbackDue() -> Int64 {
        guard let pace = feedbackPace() else { return .max }
        // Of more than three, `min` makes an array.
        let asked = min(due(ofFeedback: .receipt, pace), due(ofFeedback: .data, pace), due(ofFeedback: .message, pace))
        return min(due(ofFeedback: .feedback, pace), due(ofFeedback: .probe, pace), asked)
    }

    /// When the peer is to be looked at, in nanoseconds: for the first of all timers but the death of a stream, which waits
    /// for the tick.
    mutating func deadline(_ times: SeatTimes) -> Int64 {
        min(min(due(.tick, times, nil), due(.silence, times, nil)), min(seatDue(times), resetDue(times)), feedbackDue())
    }
}

extension Coordinator {
    /// When the first of the room's timers of this kind runs out, in nanoseconds; `.max` when none runs.
    func due(_ timer: RoomTimer) -> Int64 {
        switch timer {
        case .invitation: asking.lazy.map(\.deadline.nanoseconds).min() ?? .max
        case .queue: queueDue
        case .waiting: waitingDue
        case .offer: offers.lazy.map(\.offer.expiresAt.nanoseconds).min() ?? .max
        case .legacySource: legacy.nextDeadline ?? .max
        case .drain: draining.nextEnd?.nanoseconds ?? .max
        case .farewell: leaving.due
        }
    }
}
