import WireProtocol

/// When a follower claims the room.
extension Participant {
    /// Why it would not claim the room however long its owner is silent; `nil` if it would, or has not read all yet.
    var waitingReason: WaitingReason? {
        if isVouched { return isOfAnotherVersion ? unreadable : isFit ? nil : .unfit }
        if let trouble = view.trouble { return .trouble(trouble) }
        guard view.isCurrent else { return nil }
        return reasonInNewest ?? (isFit ? nil : .unfit)
    }

    /// The same, by the newest record alone.
    private var reasonInNewest: WaitingReason? {
        switch view.newest {
        case .nothing: return ambition == .host ? nil : .neverOpened
        case .lost: return mayResume ? nil : .recordsLost
        case .unreadable: return unreadable
        case .closed: return ambition == .host ? nil : .closed
        case .handedOver: return nil
        case .owned: return view.policy == .yield || isFormerLife ? nil : .operatorDecides
        }
    }

    /// Whether it owned the room until the log discarded records unread, and nobody has claimed it in one of those: whoever
    /// could have stands by still, and has read on from there.
    private var mayResume: Bool {
        guard let interrupted else { return false }
        // Who cannot know of all waits for an operator.
        if let full = standbys.overflowedAt, full + timing.gone >= interrupted.provenAt { return false }
        return standbys.rows.allSatisfy {
            $0.presence.follows >= interrupted.missedUpTo || $0.heardAt + timing.gone < interrupted.provenAt
        }
    }

    /// Whether another host has the room, by all that was read. From then on this one would take it over, and does not
    /// open what the other one closes.
    var isAnothers: Bool {
        guard view.isCurrent, let owner = view.owner, owner.host != me.host else { return false }
        switch view.newest {
        case .owned, .handedOver: return true
        case .nothing, .lost, .unreadable, .closed: return false
        }
    }

    private var unreadable: WaitingReason? {
        if case .unreadable(let error) = view.newest { .unreadable(error) } else { nil }
    }

    /// The owner that the log names is an earlier run of this host's program, and gone.
    private var isFormerLife: Bool {
        guard configuration.isFormerLifeGone, let owner = view.owner else { return false }
        return owner.host == me.host && owner.life != me.life
    }

    /// When to claim the room, if nothing more is learned until then.
    ///
    /// The claim is for the place behind the last record that was read, and the last of a host's was read at `learnedAt`. So
    /// no record of the owner's that the log takes before the claim was sent after `learnedAt`, and its fence ends at
    /// `learnedAt` and a fence at the latest: before this. A feed that is slow makes this later, never earlier.
    var claimDueAt: HostTime? {
        guard case .following = state, view.isCurrent, waitingReason == nil else { return nil }
        let atOnce = view.learnedAt
        if isVouched { return atOnce }
        let silentSince = configuration.follows(.silenceOfFeed) ? fedAt : view.learnedAt
        let afterSilence = silentSince + timing.take
        switch view.newest {
        // A log that is empty may have been emptied, beneath an owner that still acts.
        case .nothing, .lost: return afterSilence
        case .unreadable: return nil
        case .closed: return atOnce
        case .handedOver(let host): return host == me.host ? atOnce : afterSilence
        case .owned: return isFormerLife ? atOnce : afterSilence
        }
    }

    private var cause: ClaimCause {
        if isVouched { return .operatorWord }
        switch view.newest {
        case .nothing, .closed, .unreadable: return .opening
        case .lost: return .silence
        case .handedOver: return .handover
        case .owned: return isFormerLife ? .restart : .silence
        }
    }

    mutating func claim(_ now: HostTime) {
        // No epoch is greater than its claim's place in the log: this is greater than those that were discarded unread.
        let epoch = max(highestEpoch, view.epoch, view.newest == .lost ? view.last : 0) + 1
        // Nor had those more events than all records could hold. Who resumes knows its own.
        let lostEvents =
            view.newest == .lost && isVouched ? min(view.last, 1 << 40) * UInt64(SiteLogRecord.maximumItems) : 0
        let isYielding =
            configuration.whenCut == .yield && standbys.hasHealthy(besides: me.host, within: timing.gone, now: now)
        let record = SiteLogRecord(
            epoch: epoch, owner: me, policy: isYielding ? .yield : .play,
            lastEvent: max(highestEvent, view.lastEvent, lostEvents), chain: view.chain, body: .claim(cause))
        var flight = makeFlight(record, after: view.last, items: [], now)
        send(&flight, now)
        state = .claiming(flight)
    }

    func makeFlight(
        _ record: SiteLogRecord, after last: UInt64, items: [CommitBuffer.Waiting], _ now: HostTime
    ) -> Flight {
        let writer = configuration.follows(.ownerlessDeduplication) ? OwnerID(host: 0, life: 0) : me
        let id = DeduplicationID(epoch: record.epoch, sequence: last + 1, owner: writer)
        return Flight(
            request: AppendRequest(expected: last, id: id, bytes: record.encoded), record: record, items: items,
            firstSentAt: now, lastSentAt: now)
    }

    mutating func send(_ flight: inout Flight, _ now: HostTime) {
        flight.lastSentAt = now
        outputs.append(.append(flight.request))
    }

    func resendDueAt(_ flight: Flight) -> HostTime { flight.lastSentAt + timing.resend }

    // MARK: Standing by

    var announcementDueAt: HostTime? {
        // Who was interrupted knows of a tenure that nobody can read of any more: others wait for its word, not for its help.
        guard case .following = state, interrupted == nil else { return nil }
        return announcedAt.map { $0 + timing.announce } ?? view.learnedAt
    }

    mutating func announceIfDue(_ now: HostTime) {
        guard let due = announcementDueAt, due <= now else { return }
        announcedAt = now
        // Under `play` it is ready all the same: that it is there is what makes the owner yield.
        let isReady = isFit && view.isCurrent && view.trouble == nil && unreadable == nil
        outputs.append(.announce(StandbyPresence(host: me.host, isReady: isReady, follows: view.last)))
    }
}
