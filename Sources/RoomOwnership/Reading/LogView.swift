import WireProtocol

/// A room's log as one reader has read it: who owns the room, and since when there has been nothing new.
struct LogView: Sendable {
    /// What the newest record says about the room, besides its owner.
    enum Newest: Hashable, Sendable {
        /// No host has written any of it, as far as it was read.
        case nothing
        /// The log has discarded records unread, and no host's was read since: who owns the room is among what is gone.
        case lost
        case unreadable(SiteLogRecordError)
        case owned, closed
        case handedOver(to: UInt64)
    }

    /// The last record that was read; all before it were, too, or exist no more.
    private(set) var last: UInt64 = 0
    /// The last record that is known to exist.
    private(set) var known: UInt64 = 0
    /// When a record was learned of last, but for those that were read and that nobody had placed. Whoever wrote it had sent
    /// it before: waiting from here never ends too early.
    private(set) var learnedAt: HostTime
    /// Whether the log's end was reached once.
    private(set) var hasReachedEnd = false
    private(set) var chain: LogChain? = .empty
    private(set) var newest = Newest.nothing
    /// 0 before the first claim.
    private(set) var epoch: OwnershipEpoch = 0
    private(set) var owner: OwnerID?
    private(set) var policy = CutPolicy.play
    private(set) var lastEvent: UInt64 = 0
    /// Records that no owner of the time had written: somebody meddles, or another version.
    private(set) var strangers: UInt64 = 0
    private(set) var trouble: LogTrouble?
    /// The last record that the log had discarded before it was read here; 0 for none.
    private(set) var missedUpTo: UInt64 = 0

    init(now: HostTime) { learnedAt = now }

    /// Whether every record that is known to exist was read.
    var isCurrent: Bool { hasReachedEnd && last == known }

    /// There is a record of this number.
    mutating func exists(_ sequence: UInt64, now: HostTime) {
        guard sequence > known else { return }
        known = sequence
        learnedAt = now
    }

    /// The log ended there when it was asked, and the asker knew of `known` records when it asked.
    mutating func ends(at sequence: UInt64, known asked: UInt64, now: HostTime) {
        if sequence < asked { return note(.wentBack(had: asked, has: sequence)) }
        exists(sequence, now: now)
        guard !hasReachedEnd, last == known else { return }
        hasReachedEnd = true
        // An empty log may have been emptied: whoever wrote what it held may still act.
        learnedAt = now
    }

    /// The log holds nothing before this sequence any more: a claim may have been among what is gone, so that the next record
    /// alone says who owns the room.
    mutating func skip(to sequence: UInt64, now: HostTime) {
        guard sequence > last + 1 else { return }
        // Whoever wrote what is gone may have sent it just now.
        learnedAt = now
        last = sequence - 1
        (known, missedUpTo) = (max(known, last), last)
        (chain, newest, owner) = (nil, .lost, nil)
    }

    /// One of this host's own records was taken, and discarded before it was read.
    mutating func missed(_ record: SiteLogRecord) { lastEvent = max(lastEvent, record.lastEvent) }

    mutating func note(_ trouble: LogTrouble) { self.trouble = self.trouble ?? trouble }

    /// Takes the next record.
    mutating func take(_ entry: LogEntry, now: HostTime) {
        precondition(entry.sequence == last + 1, "records are taken in their order")
        last = entry.sequence
        known = max(known, last)
        let before = chain
        chain = before?.adding(entry.bytes)
        // Nor does it show that an owner lives: no record of one's was sent later than the newest that was learned of.
        guard entry.isPlaced else { return strangers += 1 }
        learnedAt = now
        do throws(SiteLogRecordError) {
            let record = try SiteLogRecord(decoding: entry.bytes)
            guard isOwners(record) else { return strangers += 1 }
            if before == nil { chain = record.chain?.adding(entry.bytes) }
            check(record, after: before)
            adopt(record)
        } catch {
            newest = .unreadable(error)
        }
    }

    /// A claim begins a new epoch; everything else is its present owner's. The first record that is read may be any.
    private mutating func isOwners(_ record: SiteLogRecord) -> Bool {
        if owner == nil { return record.epoch >= epoch }
        if record.isClaim { return record.epoch > epoch }
        // Somebody read a claim that does not stand here.
        if record.epoch > epoch { note(.diverged(at: last)) }
        return record.epoch == epoch && record.owner == owner
    }

    private mutating func check(_ record: SiteLogRecord, after before: LogChain?) {
        if let before, let stated = record.chain, stated != before { note(.diverged(at: last)) }
        guard owner != nil || record.isClaim else { return }
        // After a loss an operator's claim may know of more events than the log does.
        let goesOn =
            record.isClaim ? record.lastEvent >= lastEvent : record.events.lowerBound == lastEvent + 1
        if !goesOn { note(.eventNumbers(at: last)) }
    }

    private mutating func adopt(_ record: SiteLogRecord) {
        (epoch, owner, policy) = (record.epoch, record.owner, record.policy)
        lastEvent = max(lastEvent, record.lastEvent)
        newest =
            switch record.body {
            case .claim, .beat, .batch, .skipped: .owned
            case .handover(let host): .handedOver(to: host)
            case .released: .closed
            }
    }
}
