import RoomOwnership

/// What a log must be, read by somebody who was there when each record was taken.
///
/// Epochs grow and each has one owner, nobody writes who is not the owner, events are numbered without hole or repetition,
/// nothing is in it twice, and what was told to be committed is.
struct SiteLogLaw: Sendable {
    private var taken: [LogEntry] = []
    private var epoch: OwnershipEpoch = 0
    private var owner: OwnerID?
    private var lastEvent: UInt64 = 0
    /// Where each thing stands.
    private var places: [UInt64: UInt64] = [:]
    private var promised: Set<UInt64> = []
    /// Records were discarded unread: who claims the room then does not know whether its own last one was taken, and leaves
    /// out the numbers of that one's events.
    private var isFlooded = false

    func bytes(of sequence: UInt64) -> [UInt8]? {
        sequence > 0 && sequence <= UInt64(taken.count) ? taken[Int(sequence - 1)].bytes : nil
    }

    mutating func appended(_ entry: LogEntry, isSplit: Bool, _ now: Moment, _ report: inout SiteReport) {
        guard entry.sequence == UInt64(taken.count) + 1 else {
            return report.broken("record \(entry.sequence) was taken after \(taken.count)", at: now)
        }
        taken.append(entry)
        guard let record = try? SiteLogRecord(decoding: entry.bytes) else { return report.note("strange records") }
        if record.isClaim {
            if record.epoch <= epoch { report.broken("epoch \(record.epoch) was claimed after \(epoch)", at: now) }
            (epoch, owner) = (record.epoch, record.owner)
            report.note("epochs")
            if case .claim(let cause) = record.body { report.note("claims, \(cause)") }
        } else if record.epoch != epoch || record.owner != owner {
            report.broken("a record of epoch \(record.epoch) was taken in epoch \(epoch)", at: now)
        }
        let events = record.events
        let goesOn =
            isFlooded && record.isClaim ? events.lowerBound > lastEvent : events.lowerBound == lastEvent + 1
        if !goesOn {
            report.broken("event \(events.lowerBound) was taken after \(lastEvent)", at: now)
        }
        lastEvent = record.lastEvent
        guard case .batch(let batch) = record.body else { return }
        for item in batch.items { stands(item, at: entry.sequence, now, &report) }
    }

    private mutating func stands(_ item: SiteItem, at sequence: UInt64, _ now: Moment, _ report: inout SiteReport) {
        let thing = item.sealed.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        if let before = places[thing] {
            report.broken("thing \(thing) stands in records \(before) and \(sequence)", at: now)
        }
        places[thing] = sequence
        report.note("things in the log")
    }

    mutating func committed(_ things: [UInt64], _ now: Moment, _ report: inout SiteReport) {
        for thing in things {
            if places[thing] == nil { report.broken("thing \(thing) was told to be committed and is not", at: now) }
            if !promised.insert(thing).inserted { report.broken("thing \(thing) was committed twice", at: now) }
        }
    }

    /// What a stranger wrote.
    mutating func scribbled(_ entry: LogEntry) { taken.append(entry) }

    mutating func flooded(_ entries: [LogEntry]) {
        taken += entries
        isFlooded = true
    }

    /// What was acknowledged is what the log holds.
    func close(_ log: [LogEntry], _ now: Moment, _ report: inout SiteReport) {
        if log != taken {
            report.broken("the log holds \(log.count) records of the \(taken.count) that it took", at: now)
        }
    }
}
