package import WireProtocol

/// One host's part in who owns a room: it follows the room's log, and writes it while it is the owner.
///
/// ```
///             silence, handover, restart, opening,                acknowledged, or read in the log
///             an operator's word
///   following ────────────────────────────────▶ claiming ──────────────────────────▶ owning
///     ▲  ▲                                         │                                   │ │ │
///     │  └─── another record stands in its place ──┘                                   │ │ │
///     ├──────── the log names another owner: deposed ──────────────────────────────────┘ │ │
///     ├──────── handed over ─────────────────────────────────────────────────────────────┘ │
///   closed ◀─── released, or left to its next run ─────────────────────────────────────────┘
/// ```
/// It is a value without a clock: each call says what time it is, on this host's clock alone, and ``nextDeadline`` says
/// when to come back. Whoever acts asks ``actsUntil(_:)`` before each act. Documentation/SITE.md has the proof.
package struct Participant: Sendable {
    enum State: Sendable {
        case following
        case claiming(Flight)
        case owning(Tenure)
        case closed
    }

    package let configuration: OwnershipConfiguration
    package internal(set) var account = CommitAccount()
    package internal(set) var standbys = StandbyTable()
    var state = State.following
    var view: LogView
    var buffer: CommitBuffer
    var ambition: OwnershipConfiguration.Ambition
    /// When the log was asked last, whether there is no answer yet, and whether the answer brought records.
    var asked: (at: HostTime, isOpen: Bool, wasFruitful: Bool)?
    var announcedAt: HostTime?
    /// An operator vouches that no other host acts; and the last record that was known to exist by then. Whatever the log
    /// took later was written by somebody whom the operator takes for dead.
    var vouchedAt: UInt64?
    /// The highest that was ever seen, over all that a log may lose.
    var highestEpoch: OwnershipEpoch = 0
    var highestEvent: UInt64 = 0
    /// It owned the room until the log discarded records before it had read them.
    var interrupted: Interruption?
    /// When its last record as an owner was first sent, if it handed the room over.
    var departedAt: HostTime?
    /// Items that had no place since the last batch.
    var droppedSinceBatch: UInt32 = 0
    /// Whether the host could act if it owned the room.
    package private(set) var isFit = true
    /// For ``RejectedRule/silenceOfFeed`` alone.
    var fedAt: HostTime
    var outputs: [OwnershipOutput] = []
    var told = Standing.reading

    package init(_ configuration: OwnershipConfiguration, now: HostTime) {
        self.configuration = configuration
        (ambition, fedAt) = (configuration.ambition, now)
        view = LogView(now: now)
        buffer = CommitBuffer(configuration.buffer)
    }

    var isVouched: Bool { vouchedAt != nil }
    var timing: OwnershipTiming { configuration.timing }
    var me: OwnerID { configuration.me }

    // MARK: Questions

    /// Until when this host may act, if it may act now; it may always be told to stop earlier.
    ///
    /// A thread that is stopped between asking and acting acts too late, and nothing in a program can prevent that. What it
    /// then says is refused by the log, and unreadable to every controller that has a link of the new owner's.
    package func actsUntil(_ now: HostTime) -> HostTime? {
        guard case .owning(let tenure) = state, !tenure.hasStopped, tenure.mayBegin(now) else { return nil }
        if configuration.follows(.noFence) { return .distantFuture }
        if configuration.follows(.policyWithoutLog), nextPolicy(now) == .play { return .distantFuture }
        if tenure.playsOn { return .distantFuture }
        let end = tenure.provenAt + timing.fence
        return tenure.flight?.isRefused != true && now < end ? end : nil
    }

    package func standing(_ now: HostTime) -> Standing {
        switch state {
        case .closed: .closed
        case .claiming: .claiming
        case .owning(let tenure): actsUntil(now) == nil ? .suspended(tenure.epoch) : .acting(tenure.epoch)
        case .following:
            if let reason = waitingReason { .waiting(reason) } else { view.isCurrent ? .standingBy : .reading }
        }
    }

    /// When to come back at the latest; `nil` when only an input can change anything.
    package var nextDeadline: HostTime? {
        switch state {
        case .closed: nil
        case .following:
            [claimDueAt, announcementDueAt, askDueAt].compactMap(\.self).min()
        case .claiming(let flight):
            [flight.isRefused ? askDueAt : resendDueAt(flight), askDueAt].compactMap(\.self).min()
        case .owning(let tenure):
            [writeDueAt(tenure), tenure.actsFrom, fenceEnd(tenure), askDueAt, buffer.nextDeadline]
                .compactMap(\.self).min()
        }
    }

    // MARK: Inputs and time

    package mutating func handle(_ input: OwnershipInput, now: HostTime) -> [OwnershipOutput] {
        switch input {
        case .answered(let id, let answer): take(answer, to: id, now)
        case .heard(let entry):
            fedAt = now
            absorb(entry, now)
        case .read(let extract): take(extract, now)
        case .standby(let presence):
            // A host that was stopped hears late what the owner said of itself before it owned the room.
            if presence.host != me.host, presence.host != view.owner?.host { standbys.heard(presence, now: now) }
        case .fit(let isFit): self.isFit = isFit
        case .offered(let item): offer(item, now)
        case .command(let command): obey(command, now)
        }
        return settle(now)
    }

    package mutating func advance(to now: HostTime) -> [OwnershipOutput] { settle(now) }

    private mutating func settle(_ now: HostTime) -> [OwnershipOutput] {
        askIfDue(now)
        if isAnothers { ambition = .standby }
        switch state {
        case .closed: break
        case .following:
            announceIfDue(now)
            if let due = claimDueAt, due <= now { claim(now) }
        case .claiming(var flight):
            guard !flight.isRefused, resendDueAt(flight) <= now else { break }
            send(&flight, now)
            state = .claiming(flight)
        case .owning: proceed(now)
        }
        let standing = standing(now)
        if standing != told {
            told = standing
            outputs.append(.standing(standing))
        }
        defer { outputs = [] }
        return outputs
    }

    private mutating func obey(_ command: OwnershipCommand, _ now: HostTime) {
        switch (state, command) {
        case (.owning(var tenure), .handOver(let host)):
            tenure.departure = .handover(to: host)
            state = .owning(tenure)
        case (.owning(var tenure), .release):
            tenure.departure = .release
            state = .owning(tenure)
        case (.owning, .takeOver) where view.trouble == nil, (.closed, _), (.claiming, _): break
        case (.owning, .takeOver), (.following, .takeOver): readAnew(now)
        case (.following, .release): state = .closed
        case (.following, .handOver): break
        }
    }

    /// What a log lost or tells twice is no reason any more: an operator knows that nobody else acts.
    private mutating func readAnew(_ now: HostTime) {
        if case .owning(let tenure) = state { abandon(tenure, now) }
        state = .following
        vouchedAt = view.known
        view = LogView(now: now)
        (asked, interrupted) = (nil, nil)
        outputs.append(.readsAnew)
    }
}
