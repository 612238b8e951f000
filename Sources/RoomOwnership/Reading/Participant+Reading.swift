import WireProtocol

/// Learning what the log holds.
extension Participant {
    /// Between an answer that brought nothing and the next question, at least.
    private var questionGap: Duration { .milliseconds(20) }

    /// Whether there is something that only the log can say.
    private var mustRead: Bool {
        switch state {
        case .closed: false
        case .following: !view.isCurrent
        case .claiming(let flight): flight.isRefused || view.known > view.last
        case .owning(let tenure): view.trouble == nil && (tenure.flight?.isRefused == true || view.known > view.last)
        }
    }

    /// When the log is to be asked; a follower that hears nothing asks, too, should its feed have died.
    var askDueAt: HostTime? {
        if mustRead {
            guard let asked else { return view.learnedAt }
            return asked.at + (asked.isOpen ? timing.ask : asked.wasFruitful ? .zero : questionGap)
        }
        guard case .following = state else { return nil }
        return max(view.learnedAt, asked?.at ?? view.learnedAt) + timing.ask * 2
    }

    mutating func askIfDue(_ now: HostTime) {
        guard let due = askDueAt, due <= now else { return }
        asked = (now, isOpen: true, wasFruitful: false)
        outputs.append(.read(LogQuestion(from: view.last + 1, known: view.last)))
    }

    mutating func take(_ extract: LogExtract, _ now: HostTime) {
        asked?.isOpen = false
        asked?.wasFruitful = !extract.entries.isEmpty
        // Not beyond what was acknowledged or read when it was asked: later records may have overtaken the answer.
        guard extract.last < SiteLogRecord.largestNumber else { return }
        if extract.question.from == view.last + 1, let first = extract.entries.first, first.sequence > view.last + 1,
            first.sequence <= extract.last
        {
            let gaveAway = hasGivenAway
            view.skip(to: first.sequence, now: now)
            outputs.append(.missed(upTo: view.last))
            interrupted?.missedUpTo = view.last
            if gaveAway, let departedAt { interrupted = Interruption(view.last, provenAt: departedAt) }
        }
        for entry in extract.entries { absorb(entry, now) }
        view.ends(at: extract.last, known: extract.question.known, now: now)
        loseIfReplaced(now)
    }

    /// Takes a record that is the next one; a later one only says that there is something to read.
    mutating func absorb(_ entry: LogEntry, _ now: HostTime) {
        guard entry.sequence < SiteLogRecord.largestNumber else { return }
        guard entry.sequence == view.last + 1 else { return view.exists(entry.sequence, now: now) }
        switch state {
        case .claiming(let flight) where flight.isRecord(entry): return acknowledge(flight, now)
        case .owning(let tenure):
            if let flight = tenure.flight, flight.isRecord(entry) { return acknowledge(flight, now) }
        case .claiming, .following, .closed: break
        }
        learn(entry, now)
        if let vouched = vouchedAt, entry.isPlaced, entry.sequence > vouched { vouchedAt = nil }
        loseIfReplaced(now)
    }

    mutating func learn(_ entry: LogEntry, _ now: HostTime) {
        let before = view.owner
        view.take(entry, now: now)
        if let owner = view.owner {
            if owner != before { standbys.forget(owner.host) }
            interrupted = nil
        }
        highestEpoch = max(highestEpoch, view.epoch)
        highestEvent = max(highestEvent, view.lastEvent)
        outputs.append(.learned(entry))
    }

    /// What another's record in the place of one's own means.
    private mutating func loseIfReplaced(_ now: HostTime) {
        switch state {
        case .following, .closed: break
        case .claiming(let flight):
            if view.last >= flight.sequence { state = .following }
        case .owning(var tenure):
            if isReplaced(tenure) {
                let owner = isOfAnotherVersion ? nil : view.owner
                if view.newest == .lost { interrupt(tenure) }
                abandon(tenure, now)
                outputs.append(.deposed(by: owner, epoch: view.epoch))
                // It helps as a standby from now on, and does not open a room that its successor closes.
                (state, ambition) = (.following, .standby)
            } else if let flight = tenure.flight, view.last >= flight.sequence, view.isCurrent,
                flight.sequence > view.missedUpTo || flight.isRefused
            {
                // A stranger's record, which means nothing: the same once more behind it. The old one can never be taken now.
                tenure.flight = nil
                write(flight.record.body, policy: flight.record.policy, items: flight.items, &tenure, now)
                state = .owning(tenure)
            }
        }
    }

    /// Whether it handed the room over, and nobody has taken it yet as far as it knows.
    private var hasGivenAway: Bool {
        guard case .following = state, case .handedOver = view.newest else { return false }
        return view.owner == me
    }

    private mutating func interrupt(_ tenure: Tenure) {
        interrupted = Interruption(view.missedUpTo, provenAt: tenure.provenAt)
        // What was on its way may have been taken: its events keep their numbers.
        if let flight = tenure.flight { highestEvent = max(highestEvent, flight.record.lastEvent) }
    }

    /// Among what the log discarded unread there may be another's claim, unless nobody would have claimed the room.
    private func isReplaced(_ tenure: Tenure) -> Bool {
        if view.newest == .lost { return !tenure.playsOn }
        return view.owner != me || view.epoch != tenure.epoch || isOfAnotherVersion
    }

    /// Only who reads the newest record knows who owns the room.
    package var isOfAnotherVersion: Bool {
        guard case .unreadable(let error) = view.newest else { return false }
        switch error {
        case .unknownMajor, .unknownKind, .unknownCause: return true
        case .truncated, .tooLong, .headerLength, .epoch, .eventNumber, .tooManyItems, .itemTooLong, .trailingBytes:
            return false
        }
    }
}
