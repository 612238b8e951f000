import WireProtocol

/// What the log says to what was sent.
extension Participant {
    mutating func take(_ answer: AppendAnswer, to id: DeduplicationID, _ now: HostTime) {
        guard var flight, flight.request.id == id else { return }
        switch answer {
        // Silence and a broken connection mean the same: the time to send it again is the time to send it again.
        case .unknown: break
        case .accepted(flight.sequence)
        where view.last == flight.request.expected || flight.sequence <= view.missedUpTo:
            acknowledge(flight, now)
        case .accepted(let sequence):
            view.exists(max(sequence, flight.sequence), now: now)
            flight.isRefused = true
            self.flight = flight
        case .refused(let last):
            if let last, last < flight.request.expected {
                view.note(.wentBack(had: flight.request.expected, has: last))
                if case .claiming = state { return state = .following }
            }
            view.exists(max(last ?? 0, flight.sequence), now: now)
            flight.isRefused = true
            self.flight = flight
        }
    }

    /// What was sent and has no answer.
    private var flight: Flight? {
        get {
            switch state {
            case .claiming(let flight): flight
            case .owning(let tenure): tenure.flight
            case .following, .closed: nil
            }
        }
        set {
            switch (state, newValue) {
            case (.claiming, .some(let flight)): state = .claiming(flight)
            case (.owning(var tenure), let flight):
                tenure.flight = flight
                state = .owning(tenure)
            case (.claiming, nil), (.following, _), (.closed, _): break
            }
        }
    }

    /// The log holds the record, whoever said so: an answer, the feed or a reading.
    mutating func acknowledge(_ flight: Flight, _ now: HostTime) {
        // As long as a standby waits: longer than any fence.
        let actsFrom = isVouched ? now + timing.take : nil
        if flight.sequence > view.last {
            learn(LogEntry(sequence: flight.sequence, bytes: flight.request.bytes), now)
        } else {
            view.missed(flight.record)
        }
        let proven =
            configuration.follows(.fenceFromAnswer)
            ? now : configuration.follows(.fenceFromResend) ? flight.lastSentAt : flight.firstSentAt
        switch state {
        case .claiming:
            vouchedAt = nil
            state = .owning(
                Tenure(
                    epoch: flight.record.epoch, actsFrom: actsFrom, provenAt: proven, policy: flight.record.policy,
                    wroteAt: flight.firstSentAt))
        case .owning(var tenure):
            (tenure.flight, tenure.provenAt, tenure.policy) = (nil, max(tenure.provenAt, proven), flight.record.policy)
            state = .owning(tenure)
            commit(flight)
            depart(tenure, after: flight.record, now)
        case .following, .closed: break
        }
    }

    private mutating func commit(_ flight: Flight) {
        guard !flight.items.isEmpty else { return }
        account.committed += UInt64(flight.items.count)
        outputs.append(.committed(flight.items.map(\.number)))
    }

    private mutating func depart(_ tenure: Tenure, after record: SiteLogRecord, _ now: HostTime) {
        switch record.body {
        case .handover(to: me.host), .released: state = .closed
        case .handover: (state, ambition, departedAt) = (.following, .standby, tenure.provenAt)
        case .claim, .beat, .batch, .skipped: return
        }
        abandon(tenure, now)
    }

    /// What the tenure had not committed never will be.
    mutating func abandon(_ tenure: Tenure, _ now: HostTime) {
        let numbers = (tenure.flight?.items.map(\.number) ?? []) + buffer.takeAll()
        droppedSinceBatch = 0
        guard !numbers.isEmpty else { return }
        account.abandoned += UInt64(numbers.count)
        outputs.append(.lost(numbers, .notOwner))
    }
}
