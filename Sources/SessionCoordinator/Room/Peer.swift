import WireProtocol

/// A controller as the host sees it, for as long as it holds a seat.
///
/// What exists only while its datagrams come in some way belongs to ``Attachment``; what lies here outlives that.
struct Peer: Sendable {
    // What every datagram needs lies together; then what time alone looks at; then the rest.

    /// Its place in the table.
    let index: PeerIndex
    var attachment = Attachment.awaited
    var seat: SeatState
    /// When it was given its seat; `nil` for one that the host kept over its own restart. What was sampled before is
    /// none of the room's business.
    let admittedAt: HostTime?
    private(set) var linkState: Occurrence.LinkChange.State = .good
    /// Nothing has come since its program was told to begin anew: the answer may never have reached it.
    private(set) var isUnheard = false
    /// When an authenticated datagram last came, in nanoseconds.
    var lastHeard: Int64
    /// From when its lost seat goes to whoever waits for one: its page was closed. `nil`: not before the grace is over.
    var yieldsAt: HostTime?
    var lease: Lease
    var minute = MinuteHistory()
    var motion = PeerMotion()

    /// When time was last let pass for this peer, in nanoseconds.
    var visitedAt: Int64
    var messages = PeerMessages()

    /// Which of the stays in this host's life: a controller that left and sits again begins another.
    let stay: UInt64
    /// When somebody last played on it; `nil` while nothing of anybody is left on it.
    var usedAt: HostTime?
    /// What its own program calls it; `nil` for one that the host names.
    var ownName: String?
    /// What a browser last said of its own sensor.
    var sensor: SensorReport?
    /// What its present program says that it sent in all, and whether that was with its goodbye.
    private(set) var word = SenderWord()
    /// Runs of its program under this lease, as far as this host knows. Who declares other streams begins another; who
    /// asks again before anything of it came does not.
    private(set) var programs = 1
    /// Link epochs on which nothing came before their controller asked again: it may never have heard of them.
    private(set) var unheardLinks: UInt64 = 0
    /// The ledgers of the link epochs that have ended.
    private(set) var pastDatagrams = DatagramTotals()

    init(at index: PeerIndex, stay: UInt64, lease: Lease, seat: SeatState, now: HostTime) {
        self.index = index
        self.stay = stay
        self.lease = lease
        self.seat = seat
        if case .reserved = seat { admittedAt = now } else { admittedAt = nil }
        lastHeard = now.nanoseconds
        visitedAt = now.nanoseconds
        usedAt = now
    }

    /// One that is taken over as it stood.
    init(_ standing: Standing, stay: UInt64, now: HostTime) {
        index = standing.peer
        self.stay = stay
        lease = standing.lease
        seat = standing.seat
        admittedAt = standing.admittedAt
        programs = standing.programs
        unheardLinks = standing.unheardLinks
        pastDatagrams = standing.pastDatagrams
        motion = PeerMotion(past: standing.pastSamples)
        lastHeard = min(now, standing.lastHeard).nanoseconds
        visitedAt = now.nanoseconds
        yieldsAt = standing.yieldsAt
        usedAt = standing.usedAt
        linkState = standing.linkState
        isUnheard = standing.isUnheard
        ownName = standing.ownName
        if let tally = standing.tally { word.learn(tally, isFinal: standing.isTallyFinal) }
        switch standing.way {
        case .awaited: break
        case .linked(let link): attachment = .linked(Boxed(link.link))
        case .legacy(let address): attachment = .legacy(Boxed(LegacyStream(address: address)))
        }
    }

    // MARK: Questions

    var isReserved: Bool { if case .reserved = seat { true } else { false } }
    var isLost: Bool { if case .lost = seat { true } else { false } }

    /// A copy of it.
    var link: Link? { if case .linked(let link) = attachment { link.value } else { nil } }
    /// A copy of it.
    var legacy: LegacyStream? { if case .legacy(let source) = attachment { source.value } else { nil } }
    func isLegacy(from address: PeerAddress) -> Bool { legacy?.address == address }
    var isLegacy: Bool { if case .legacy = attachment { true } else { false } }
    /// Its control connection, while there is one.
    var conversation: ConversationID? { attachment.readLink { $0.conversation } ?? nil }
    var hasButtonGestures: Bool { attachment.readLink { $0.program.hasButtonGestures } ?? false }
    var hasHaptics: Bool { attachment.readLink { $0.program.hasHaptics } ?? false }
    var transport: Transport { attachment.wayReport.transport }

    var datagramTotals: DatagramTotals {
        var totals = pastDatagrams
        switch attachment {
        case .awaited: break
        case .linked(let link): link.read { totals.add($0.ledger) }
        case .legacy(let source): source.read { totals.add(copy $0) }
        }
        return totals
    }

    func playerChange(_ state: Occurrence.PlayerChange.State) -> Occurrence {
        .player(
            .init(
                state: state, player: lease.player, peer: index, controller: lease.controller, name: lease.name,
                color: lease.color))
    }

    // MARK: The link

    /// Begins a link epoch, and adds the ledger of the one before to the past ones.
    ///
    /// - Parameter continues: whether the same program goes on where it was.
    mutating func open(_ link: Link, continues: Bool, now: HostTime) {
        var link = link
        var asksAgain = false
        if let old = self.link {
            pastDatagrams.add(old.ledger)
            asksAgain = isUnheard && link.program.continues(old.program)
            if isUnheard, old.ledger == DatagramLedger() { unheardLinks += 1 }
            link.budget.goOn(from: old.budget)
            // Out of a pause on a new link: the device may have slept, and its clock with it.
            if continues, old.pausedAfter != nil { motion.restartClock() }
        }
        attachment = .linked(Boxed(link))
        lease.generation = link.connection.generation
        if !continues {
            if datagramTotals.epochs > 1, !asksAgain { programs += 1 }
            word = SenderWord()
            motion.restart()
            messages.restart()
            isUnheard = true
        }
        motion.awaitStreams(from: now)
        lastHeard = now.nanoseconds
    }

    /// A straggler of a link that has ended was booked: its ledger stands differently now.
    ///
    /// - Parameter wasUnheard: nothing had come on it before another took its place.
    mutating func correct(_ before: DatagramLedger, to now: DatagramLedger, wasUnheard: Bool) {
        pastDatagrams.replace(before, by: now)
        if wasUnheard, before == DatagramLedger(), now != before { unheardLinks -= 1 }
    }

    /// Believes the newest of what the program says that it sent.
    mutating func learn(_ tally: SenderTally, isFinal: Bool) { word.learn(tally, isFinal: isFinal) }

    /// The control connection is gone.
    mutating func hangUp() { _ = attachment.withLink { $0.conversation = nil } }

    /// Tells of the link, or of one of its streams.
    ///
    /// - Parameter way: on which its datagrams come; the caller may hold the link in its hands.
    mutating func report(
        _ state: Occurrence.LinkChange.State, stream: StreamID? = nil, on way: WayReport, at time: HostTime,
        to actions: inout [Action]
    ) {
        if stream == nil { linkState = state }
        let change = Occurrence.LinkChange(
            state: state, player: lease.player, peer: index, stream: stream, transport: way.transport,
            delay: way.delay, samplesMissing: way.transport.numbersSamples ? motion.totals.missing : nil,
            datagramsMissing: way.datagramsMissing)
        actions.append(.occurred(.link(change), at: time))
    }

    // MARK: The seat

    /// A sign of life under the peer's present keys.
    ///
    /// - Returns: whether it has come to its seat by it, for the first time or again.
    mutating func hear(at time: HostTime, on way: @autoclosure () -> WayReport, to actions: inout [Action]) -> Bool {
        lastHeard = max(lastHeard, time.nanoseconds)
        isUnheard = false
        let hasCome = seat != .active
        let isBack = isLost
        seat = .active
        yieldsAt = nil
        if isBack { actions.append(.occurred(playerChange(.back), at: time)) }
        if lease.previousSecretHash != nil {
            lease.previousSecretHash = nil
            actions.append(.commit([.keep(lease)], thenAnswer: nil, nil))
        }
        if linkState == .silent { report(.good, on: way(), at: time, to: &actions) }
        return hasCome
    }

    /// The seat is kept until then; the controller may return to it.
    mutating func lose(until: HostTime, at now: HostTime, to actions: inout [Action]) {
        if linkState != .silent { report(.silent, on: attachment.wayReport, at: now, to: &actions) }
        seat = .lost(until: until)
        actions.append(.occurred(playerChange(.lost), at: now))
    }

    /// The host itself stood still for so long: silence is shortened by it, but nobody gets more than the full time.
    mutating func forgive(_ gap: Int64, _ times: SeatTimes, now: HostTime) {
        lastHeard = min(now.nanoseconds, lastHeard + gap)
        minute.noteHostPause()
        motion.forgive(gap, now: now)
        usedAt = usedAt.map { min(now, $0 + .nanoseconds(gap)) }
        yieldsAt = yieldsAt.map { min($0 + .nanoseconds(gap), now + Coordinator.returnTime) }
        switch seat {
        case .active: break
        case .reserved(let since): seat = .reserved(since: min(now, since + .nanoseconds(gap)))
        case .lost(let until):
            let forgiven = min(until + .nanoseconds(gap), now + .nanoseconds(times.grace))
            seat = .lost(until: max(until, forgiven))
        }
    }

    // MARK: Time

    /// Looks at what time alone has changed: silence, dead streams, haptics without a receipt, quality, the last
    /// minute, the clock's age.
    mutating func visit(
        at now: HostTime, heardUntil heard: HostTime, _ times: SeatTimes, to actions: inout [Action],
        sink: inout some MotionSink
    ) {
        visitedAt = now.nanoseconds
        if due(.silence, times, nil) <= heard.nanoseconds {
            report(.silent, on: attachment.wayReport, at: now, to: &actions)
        }
        if due(.streamDeath, times, nil) <= heard.nanoseconds {
            for stream in motion.bury(at: now) {
                report(.silent, stream: stream, on: attachment.wayReport, at: now, to: &actions)
            }
        }
        if !messages.haptics.isEmpty { giveUpHaptics(heardUntil: heard, at: now, to: &actions) }
        judgeQuality(at: now, to: &actions)
        remember(at: now)
        motion.noteStaleClock(of: index, now: now, sink: &sink)
    }

    private mutating func judgeQuality(at now: HostTime, to actions: inout [Action]) {
        let judged = attachment.withLink { link in
            link.quality.read(link.ledger, now: now.nanoseconds)
            return link.quality.quality
        }
        guard linkState != .silent, let judged, let quality = judged else { return }
        let state: Occurrence.LinkChange.State = quality < 0.9 ? .poor : .good
        if state != linkState { report(state, on: attachment.wayReport, at: now, to: &actions) }
    }

    /// Closes the seconds of the last minute that are over.
    private mutating func remember(at now: HostTime) {
        guard minute.isOver(at: now) else { return }
        let (datagrams, samples) = (datagramTotals, motion.totals)
        minute.roll(
            to: now, unique: datagrams.unique, missing: datagrams.missing, samples: samples.delivered + samples.late,
            late: samples.late, abandoned: samples.abandoned)
    }
}
