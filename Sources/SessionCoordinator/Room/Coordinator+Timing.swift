public import WireProtocol

extension Coordinator {
    /// Nothing authenticated for this long: the link counts as silent.
    static let silence: Int64 = 1_000_000_000
    /// A gap between two ticks longer than this is the host's own pause, and nobody's fault.
    private static let pause: Int64 = 500_000_000
    /// Time passes in steps no longer than this while anyone has a seat, so that a pause shows.
    static let tick: Int64 = 250_000_000

    /// Lets time pass: seats that are due are lost or released, invitations expire, links fall silent.
    public mutating func advance(to now: HostTime, sink: inout some MotionSink) -> [Action] {
        forgivePause(until: now)
        expireInvitations(now: now)
        expireOffers(now: now)
        settleAgenda()
        for index in peers.indices where agenda.isDue(index, at: now.nanoseconds) {
            agenda.touch(index)
            if let due = seatDeadline(of: index), due <= now.nanoseconds { pass(index, at: now) }
            guard peers.isSeated(index) else { continue }
            peers[index].visitedAt = now.nanoseconds
            if let due = silenceDeadline(of: index), due <= now.nanoseconds { report(.silent, of: index, at: now) }
            bury(streamsOf: index, at: now)
            judgeQuality(of: index, at: now)
            remember(index, at: now)
            if peers[index].mapping?.state == .locked || peers[index].mapping?.state == .coarse {
                noteStaleClock(of: index, now: now, sink: &sink)
            }
        }
        return takeActions()
    }

    /// While the host itself stood still nobody could be heard: everyone's silence is shortened by the pause, but
    /// nobody gets more than the full time from now.
    private mutating func forgivePause(until now: HostTime) {
        precondition(now >= lastTick, "the loop's time went backwards")
        let gap = now.nanoseconds - lastTick.nanoseconds
        lastTick = now
        guard gap > Self.pause else { return }
        for index in peers.indices where peers.isSeated(index) {
            agenda.touch(index)
            peers[index].lastHeard = min(now.nanoseconds, peers[index].lastHeard + gap)
            switch peers[index].seat {
            case .active: break
            case .reserved(let since): peers[index].seat = .reserved(since: min(now, since + .nanoseconds(gap)))
            case .lost(let until):
                let forgiven = min(until + .nanoseconds(gap), now + configuration.graceTimeout)
                peers[index].seat = .lost(until: max(until, forgiven))
            }
        }
    }

    private mutating func expireInvitations(now: HostTime) {
        for entry in asking where entry.deadline <= now {
            refuse(
                entry.conversation,
                Refusal(.expired, message: "The operator did not answer in time.", retryAfter: 5_000))
        }
        asking.removeAll { $0.deadline <= now }
        legacy.expire(now: now)
    }

    func seatDeadline(of index: PeerIndex) -> Int64? {
        guard peers.isSeated(index) else { return nil }
        let idle = configuration.idleTimeout.wholeNanoseconds
        switch peers[index].seat {
        case .reserved(let since): return since.nanoseconds + idle
        case .active: return peers[index].lastHeard + idle
        case .lost(let until): return until.nanoseconds
        }
    }

    func silenceDeadline(of index: PeerIndex) -> Int64? {
        guard peers.isSeated(index), peers[index].seat == .active, peers[index].linkState != .silent else { return nil }
        return peers[index].lastHeard + Self.silence
    }

    /// A seat's time is up: it is lost, or, when it was lost already, released.
    private mutating func pass(_ index: PeerIndex, at now: HostTime) {
        switch peers[index].seat {
        case .reserved, .active: lose(index, at: now)
        case .lost: release(index, at: now)
        }
    }

    /// Keeps the seat for the grace period; the controller may return to it.
    mutating func lose(_ index: PeerIndex, at now: HostTime) {
        agenda.touch(index)
        if peers[index].linkState != .silent { report(.silent, of: index, at: now) }
        peers[index].seat = .lost(until: now + configuration.graceTimeout)
        occurred(peers[index].playerChange(.lost, peer: index), at: now)
    }

    /// Frees the seat. Exactly one `left` for each `joined`.
    mutating func release(_ index: PeerIndex, at now: HostTime) {
        guard let peer = peers.peer(at: index) else { return }
        agenda.touch(index)
        for haptic in peer.hapticsOut {
            occurred(
                .haptic(
                    .init(
                        id: haptic.id, player: peer.lease.player, peer: index, sentAt: haptic.sentAt, outcome: .lost)),
                at: now)
        }
        let wasHeard = if case .reserved = peer.seat { false } else { true }
        keepForInvited(peer.lease, wasHeard: wasHeard)
        departed.append(makeReport(of: index, peer, seat: "released", now: now))
        occurred(peer.playerChange(.left, peer: index), at: now)
        actions.append(.assign(index, []))
        if peer.legacy == nil { actions.append(.commit([.remove(peer.lease.controller)], thenAnswer: nil, nil)) }
        if let conversation = peer.conversation { actions.append(.close(conversation)) }
        peers.vacate(index)
        seated -= 1
    }

    /// A controller said goodbye: for good, or for a while.
    mutating func leave(_ index: PeerIndex, _ reason: GoodbyeReason, at now: HostTime) {
        switch reason {
        case .paused:
            if peers[index].seat == .active { lose(index, at: now) }
        case .left, .closing, .kicked, .replaced, .tooFast, .other: release(index, at: now)
        }
    }

    /// Tells the game of streams from which nothing comes any more, though their link lives: a sensor that was switched
    /// off, or hangs.
    private mutating func bury(streamsOf index: PeerIndex, at now: HostTime) {
        guard peers[index].linkState != .silent, peers[index].seat == .active else { return }
        for place in peers[index].streams.indices {
            guard let due = peers[index].streams[place].deathDue, due <= now.nanoseconds else { continue }
            peers[index].streams[place].isDead = true
            report(.silent, of: index, stream: peers[index].streams[place].declaration.stream, at: now)
        }
    }

    /// Closes the seconds of the peer's last minute that are over.
    private mutating func remember(_ index: PeerIndex, at now: HostTime) {
        guard peers[index].minute.isOver(at: now) else { return }
        let (datagrams, samples) = (peers[index].datagramTotals, peers[index].sampleTotals)
        peers[index].minute.roll(
            to: now, unique: datagrams.unique, missing: datagrams.missing, samples: samples.delivered + samples.late)
    }

    private mutating func judgeQuality(of index: PeerIndex, at now: HostTime) {
        guard let ledger = peers[index].link?.ledger else { return }
        peers[index].link!.quality.read(ledger, now: now.nanoseconds)
        guard peers[index].linkState != .silent, let quality = peers[index].link!.quality.quality else { return }
        let state: Occurrence.LinkChange.State = quality < 0.9 ? .poor : .good
        if state != peers[index].linkState { report(state, of: index, at: now) }
    }

    private mutating func noteStaleClock(of index: PeerIndex, now: HostTime, sink: inout some MotionSink) {
        guard let mapping = peers[index].clock.mapping(now: now), mapping.state != peers[index].mapping?.state
        else { return }
        peers[index].mapping = mapping
        sink.clockChanged(of: index, to: mapping)
    }

    mutating func report(
        _ state: Occurrence.LinkChange.State, of index: PeerIndex, stream: StreamID? = nil, at time: HostTime
    ) {
        if stream == nil { peers[index].linkState = state }
        let delay = peers[index].link?.oneWay
        occurred(peers[index].linkChange(state, delay: delay, stream: stream, peer: index), at: time)
    }
}
