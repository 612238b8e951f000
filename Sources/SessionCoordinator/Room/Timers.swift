import WireProtocol

/// Everything that a peer waits for. ``Peer/due(_:_:)`` says when each runs out; the earliest is the peer's deadline.
enum PeerTimer: Sendable, CaseIterable {
    /// 250 ms since the peer was looked at last: its quality, its last minute and its clock's age are judged then, and a
    /// pause of the host shows.
    case tick
    /// The room's `idleTimeout` (10 s unless set) since it was heard, or given the seat: the seat is lost.
    case idle
    /// The room's `graceTimeout` (30 s unless set) since the seat was lost: it is released.
    case grace
    /// 1 s since an authenticated datagram: the link counts as silent (ours: a heartbeat comes every 500 ms).
    case silence
    /// 1 s since a stream's newest sample, ten samples' time if that is longer, and its batch: it counts as dead
    /// (``StreamReceiver/deathDue``). Looked at with the tick, so that it may be told 250 ms later.
    case streamDeath
    /// Feedback: 200 ms since the last, 50 ms while a sample is missing or something came that is worth an answer
    /// (WIRE-FORMAT.md, section 8); the first at once.
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

    /// Those for which the coordinator comes back; stream deaths wait for the tick.
    static let all = allCases.filter { $0 != .streamDeath }
    /// Those that cost the seat.
    static let ofSeat: [PeerTimer] = [.idle, .grace]
    /// Those of which each makes a feedback due.
    static let ofFeedback: [PeerTimer] = [.feedback, .receipt, .data, .message, .probe]
}

/// Everything that the room itself waits for. ``Coordinator/due(_:)`` says when the first of each kind runs out.
enum RoomTimer: Sendable, CaseIterable {
    /// A controller waits for the operator: as long as it says (30 s unless it says), at most the room's `askTimeout`
    /// (120 s unless set).
    case invitation
    /// The host's own invitation: until its `expiresAt`.
    case offer
    /// A source of unsealed frames that asks and is silent: 10 s since its last frame (``LegacySources/patience``).
    case legacySource
    /// A goodbye to a peer that is gone: three copies, 20 ms apart, the first at once; nothing confirms it.
    case farewell

    static let farewellInterval: Int64 = 20_000_000
}

/// The times that a room's configuration sets, in nanoseconds.
struct SeatTimes: Sendable {
    let idle: Int64
    let grace: Int64

    init(_ configuration: RoomConfiguration) {
        idle = configuration.idleTimeout.wholeNanoseconds
        grace = configuration.graceTimeout.wholeNanoseconds
    }
}

extension Peer {
    /// When a timer runs out, in nanoseconds; `.max` while it stands.
    func due(_ timer: PeerTimer, _ times: SeatTimes) -> Int64 {
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
        case .silence:
            return seat == .active && linkState != .silent ? lastHeard + PeerTimer.silenceLimit : .max
        case .streamDeath:
            return seat == .active && linkState != .silent ? motion.deathDue : .max
        case .feedback, .receipt, .data, .message, .probe: return due(ofFeedback: timer)
        }
    }

    private func due(ofFeedback timer: PeerTimer) -> Int64 {
        guard seat == .active, case .linked(let link) = attachment, link.maySend(Self.smallestFeedback)
        else { return .max }
        guard let last = link.feedbackSentAt else { return timer == .feedback ? lastHeard : .max }
        let due: Int64 =
            switch timer {
            case .receipt: messages.inbox.owesReceipt ? last + PeerTimer.receiptDelay : .max
            case .data: messages.newest == nil ? .max : .min
            case .message: messages.outbox.nextDue(retryAfter: .nanoseconds(PeerTimer.messageRetry)) ?? .max
            case .probe: motion.clock.nextProbeDue()
            default:
                last + (link.wantsPromptFeedback || motion.hasHoles ? PeerTimer.busyFeedback : PeerTimer.calmFeedback)
            }
        return max(due, last + PeerTimer.leastFeedback)
    }

    /// When the first of these timers runs out, in nanoseconds; `.max` while none runs.
    func firstDue(of timers: [PeerTimer], _ times: SeatTimes) -> Int64 {
        var first = Int64.max
        for timer in timers { first = min(first, due(timer, times)) }
        return first
    }
}

extension Coordinator {
    /// When the first of the room's timers of this kind runs out, in nanoseconds; `.max` when none runs.
    func due(_ timer: RoomTimer) -> Int64 {
        switch timer {
        case .invitation: asking.lazy.map(\.deadline.nanoseconds).min() ?? .max
        case .offer: offers.lazy.map(\.offer.expiresAt.nanoseconds).min() ?? .max
        case .legacySource: legacy.nextDeadline ?? .max
        case .farewell: leaving.lazy.map(\.due).min() ?? .max
        }
    }
}
