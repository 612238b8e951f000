import WireProtocol

/// What an owner writes, and when.
extension Participant {
    /// Batches that a departure waits for, at most: a room that never falls silent is handed over all the same.
    private static let batchesBeforeDeparture = 8

    mutating func offer(_ item: SiteItem, _ now: HostTime) {
        account.offered += 1
        let number = account.offered
        guard case .owning(let tenure) = state, !tenure.hasStopped else {
            account.abandoned += 1
            return outputs.append(.lost([number], .notOwner))
        }
        guard item.sealed.count <= SiteLogRecord.maximumItemSize else {
            account.dropped += 1
            return outputs.append(.lost([number], .tooLarge))
        }
        drop(buffer.offer(CommitBuffer.Waiting(number: number, item: item, offeredAt: now)))
    }

    private mutating func drop(_ numbers: [UInt64]) {
        guard !numbers.isEmpty else { return }
        account.dropped += UInt64(numbers.count)
        droppedSinceBatch = UInt32(clamping: UInt64(droppedSinceBatch) + UInt64(numbers.count))
        outputs.append(.lost(numbers, .noPlace))
    }

    mutating func proceed(_ now: HostTime) {
        drop(buffer.expire(now))
        guard case .owning(var tenure) = state else { return }
        if tenure.mayBegin(now) { tenure.actsFrom = nil }
        state = .owning(tenure)
        guard let due = writeDueAt(tenure), due <= now else { return }
        if var flight = tenure.flight {
            if configuration.follows(.rewriteUnanswered) { flight = rewritten(flight) }
            send(&flight, now)
            tenure.flight = flight
        } else {
            writeNext(&tenure, now)
        }
        state = .owning(tenure)
    }

    private mutating func writeNext(_ tenure: inout Tenure, _ now: HostTime) {
        let policy = nextPolicy(now)
        if let departure = tenure.departure, buffer.waiting.isEmpty || tenure.lastBatches >= Self.batchesBeforeDeparture
        {
            // From here on it does not act: the record may be in the log before anybody says so.
            tenure.hasStopped = true
            switch departure {
            case .handover(let host): write(.handover(to: host), policy: policy, items: [], &tenure, now)
            case .release: write(.released, policy: policy, items: [], &tenure, now)
            }
        } else if !buffer.waiting.isEmpty {
            if tenure.departure != nil { tenure.lastBatches += 1 }
            let items = buffer.takeBatch()
            let batch = CommitBatch(dropped: droppedSinceBatch, items: items.map(\.item))
            droppedSinceBatch = 0
            write(.batch(batch), policy: policy, items: items, &tenure, now)
        } else {
            write(.beat, policy: policy, items: [], &tenure, now)
        }
    }

    mutating func write(
        _ body: SiteLogRecord.Body, policy: CutPolicy, items: [CommitBuffer.Waiting], _ tenure: inout Tenure,
        _ now: HostTime
    ) {
        let events = UInt64(items.count { $0.item.isEvent })
        let record = SiteLogRecord(
            epoch: tenure.epoch, owner: me, policy: policy, lastEvent: view.lastEvent + events, chain: view.chain,
            body: body)
        var flight = makeFlight(record, after: view.last, items: items, now)
        send(&flight, now)
        (tenure.flight, tenure.wroteAt) = (flight, now)
    }

    /// When something is to be sent: again, or anew.
    func writeDueAt(_ tenure: Tenure) -> HostTime? {
        guard view.trouble == nil, view.known == view.last || tenure.flight != nil else { return nil }
        if let flight = tenure.flight { return flight.isRefused ? nil : resendDueAt(flight) }
        if !buffer.waiting.isEmpty || tenure.departure != nil { return tenure.wroteAt }
        let beat = tenure.wroteAt + timing.beat
        return tenure.playsOn ? beat : min(beat, tenure.provenAt + timing.fence)
    }

    /// When the owner stops acting, to say so once.
    func fenceEnd(_ tenure: Tenure) -> HostTime? {
        guard case .acting = told, !tenure.playsOn, !tenure.hasStopped else { return nil }
        return tenure.provenAt + timing.fence
    }

    /// The policy that the next record states.
    ///
    /// It yields only from a record on that it surely can write: an owner that played on for an hour first catches up. And
    /// it goes back to `play` only by a record that the log has taken, so that no standby ever goes by an older word.
    func nextPolicy(_ now: HostTime) -> CutPolicy {
        // Nor before a record of its own stands behind what was discarded unread: until then it plays on by the word before.
        guard configuration.whenCut == .yield, view.newest != .lost, case .owning(let tenure) = state,
            standbys.hasHealthy(besides: me.host, within: timing.gone, now: now)
        else { return .play }
        return tenure.policy == .yield || now - tenure.provenAt < timing.fence ? .yield : .play
    }

    /// ``RejectedRule/rewriteUnanswered``.
    private mutating func rewritten(_ flight: Flight) -> Flight {
        let items = flight.items + buffer.takeBatch()
        guard items.count <= SiteLogRecord.maximumItems, items.count > flight.items.count else { return flight }
        var record = flight.record
        record.body = .batch(CommitBatch(items: items.map(\.item)))
        record.lastEvent = view.lastEvent + UInt64(items.count { $0.item.isEvent })
        return makeFlight(record, after: flight.request.expected, items: items, flight.firstSentAt)
    }
}
