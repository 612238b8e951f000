import WireProtocol

/// When a datagram came: at the socket, and to be looked at.
struct Arrival: Sendable {
    let at: HostTime
    let now: HostTime
}

/// What a datagram came to, for the room to act on.
enum Reception: Sendable {
    /// It names no link that this peer has, or does not come on its way.
    case unknown
    /// It did not open under the peer's key.
    case forged
    /// Its number was seen before, or nobody can tell.
    case repeated
    /// It is new, and was read as far as the peer's budget went.
    case taken(Consequence)

    /// What the peer cannot do by itself.
    struct Consequence: Sendable {
        /// It came to its seat by this, for the first time or again.
        var hasCome = false
        /// It says goodbye, at this moment.
        var farewell: (reason: GoodbyeReason, at: HostTime)?
        /// It was beyond its budget for too long.
        var isTooFast = false
    }
}

/// A datagram's steps. The link is in the hands of whoever takes a datagram, and is passed on from step to step: until
/// it is put back, nothing here may look at ``Peer/attachment``.
extension Peer {
    /// Takes a sealed datagram.
    mutating func receive(
        _ datagram: UnsafeMutableRawBufferPointer, _ header: DatagramHeader, from source: PeerAddress,
        to own: OwnAddress, _ arrival: Arrival, cipher: some DatagramCipher, to actions: inout [Action],
        sink: inout some MotionSink
    ) -> Reception {
        guard var link = attachment.takeLink() else { return .unknown }
        let reception = link.update { link in
            open(
                datagram, header, from: source, to: own, on: &link, arrival, cipher: cipher, to: &actions, sink: &sink)
        }
        attachment = .linked(consume link)
        return reception
    }

    /// Takes a browser's datagram, which bears no seal: it must come on the connection that its seat was given to.
    mutating func receive(
        unsealed datagram: UnsafeRawBufferPointer, _ header: DatagramHeader, from conversation: ConversationID,
        _ arrival: Arrival, to actions: inout [Action], sink: inout some MotionSink
    ) -> Reception {
        guard conversation == self.conversation, var link = attachment.takeLink() else { return .unknown }
        let reception = link.update { take(datagram, header, on: &$0, arrival, to: &actions, sink: &sink) }
        attachment = .linked(consume link)
        return reception
    }

    /// Opens a datagram, judges its number, books it, and only then reads it.
    private mutating func open(
        _ datagram: UnsafeMutableRawBufferPointer, _ header: DatagramHeader, from source: PeerAddress,
        to own: OwnAddress, on link: inout Link, _ arrival: Arrival, cipher: some DatagramCipher,
        to actions: inout [Action], sink: inout some MotionSink
    ) -> Reception {
        guard link.connection == header.connection, case .udp(let keys) = link.way else { return .unknown }
        guard cipher.open(datagram, headerLength: DatagramHeader.size, key: keys.motion, number: header.number)
        else { return .forged }
        var consequence = Reception.Consequence()
        guard
            let isNewest = book(
                header.number, bytes: datagram.count, on: &link, arrival, &consequence, to: &actions)
        else { return .repeated }
        link.path.noteArrival(
            from: source, to: own, bytes: datagram.count, isNewest: isNewest, probesSent: motion.clock.probesSent)
        let content = UnsafeRawBufferPointer(
            rebasing: datagram[DatagramHeader.size..<datagram.count - sealTagLength])
        take(content, header.number, on: &link, arrival, &consequence, to: &actions, sink: &sink)
        return .taken(consequence)
    }

    /// The same for a datagram that needs no opening.
    private mutating func take(
        _ datagram: UnsafeRawBufferPointer, _ header: DatagramHeader, on link: inout Link, _ arrival: Arrival,
        to actions: inout [Action], sink: inout some MotionSink
    ) -> Reception {
        guard link.connection == header.connection, case .reliable = link.way else { return .unknown }
        var consequence = Reception.Consequence()
        guard book(header.number, bytes: datagram.count, on: &link, arrival, &consequence, to: &actions) != nil
        else { return .repeated }
        let content = UnsafeRawBufferPointer(rebasing: datagram[DatagramHeader.size...])
        take(content, header.number, on: &link, arrival, &consequence, to: &actions, sink: &sink)
        return .taken(consequence)
    }

    /// Judges and books an authenticated datagram: whether it is the newest; `nil` when its content was seen before.
    private mutating func book(
        _ number: UInt32, bytes: Int, on link: inout Link, _ arrival: Arrival,
        _ consequence: inout Reception.Consequence, to actions: inout [Action]
    ) -> Bool? {
        let verdict = link.book(number, bytes: bytes, arrivedAt: arrival.at)
        guard verdict == .newest || verdict == .reordered else { return nil }
        // Until its content is read, a datagram of a paused peer may be one more copy of its goodbye.
        if link.pausedAfter == nil {
            consequence.hasCome = hear(at: arrival.at, on: link.wayReport, to: &actions)
        }
        return verdict == .newest
    }

    /// Reads what was booked: all of it, or, of a peer beyond its budget, next to nothing.
    private mutating func take(
        _ content: UnsafeRawBufferPointer, _ number: UInt32, on link: inout Link, _ arrival: Arrival,
        _ consequence: inout Reception.Consequence, to actions: inout [Action], sink: inout some MotionSink
    ) {
        guard let payload = try? Payload(reading: content) else { return link.ledger.bookUnreadable() }
        if link.budget.admit(payload.counts, at: arrival.at.nanoseconds) {
            read(payload, number, on: &link, arrival, &consequence, to: &actions, sink: &sink)
        } else {
            link.ledger.bookRateLimited()
            readLittle(payload, on: &link, arrival, &consequence)
        }
    }

    /// What a peer sends beyond its budget is neither read nor acknowledged, but for what makes less work: its goodbye.
    /// Who goes on like that loses the seat.
    private func readLittle(
        _ payload: Payload, on link: inout Link, _ arrival: Arrival, _ consequence: inout Reception.Consequence
    ) {
        for block in payload.blocks {
            guard case .goodbye(let reason, let lastSent) = block else { continue }
            link.ledger.learn(lastSent: lastSent)
            // Its tally is not read: what a peer beyond its budget says stays unconfirmed.
            if reason != .paused { return consequence.farewell = (reason, arrival.now) }
        }
        consequence.isTooFast = link.budget.isExhausted
    }

    private mutating func read(
        _ payload: Payload, _ number: UInt32, on link: inout Link, _ arrival: Arrival,
        _ consequence: inout Reception.Consequence, to actions: inout [Action], sink: inout some MotionSink
    ) {
        if let last = link.pausedAfter, number > last, !payload.saysGoodbye {
            link.pausedAfter = nil
            motion.restartClock()
            if hear(at: arrival.at, on: link.wayReport, to: &actions) { consequence.hasCome = true }
        }
        noteTiming(number, sentAt: payload.sentAt, on: &link, arrival, sink: &sink)
        // A goodbye takes effect after all else in its datagram: the last samples count too.
        var farewell: GoodbyeReason?
        var isCutShort = false
        for block in payload.blocks {
            switch block {
            case .stream(let block):
                guard link.budget.admitBlock(at: arrival.at.nanoseconds) else {
                    isCutShort = true
                    continue
                }
                let revived = motion.take(
                    block, of: index, admittedAt: admittedAt, on: &link, arrivedAt: arrival.at, now: arrival.now,
                    sink: &sink)
                if let revived { report(.good, stream: revived, on: link.wayReport, at: arrival.at, to: &actions) }
            case .probeAnswer(let id, let receivedAt, let grain):
                motion.takeAnswer(
                    id: id, receivedAt: receivedAt, sentAt: payload.sentAt, grain: grain, arrival, of: index,
                    path: &link.path, sink: &sink)
            case .message(let id, let body):
                if messages.admit(id) { act(on: body, on: &link, at: arrival.at, to: &actions) }
            case .receipt(let next): messages.acknowledge(below: next, at: arrival.at)
            case .data(let channel, let sequence, let body):
                guard messages.isNewest(sequence, on: channel) else { continue }
                link.budget.spendData()
                actions.append(.data(index, channel: channel, Array(body)))
            case .goodbye(let reason, let lastSent):
                link.ledger.learn(lastSent: lastSent)
                farewell = reason
            case .tally(let tally): learn(tally, isFinal: payload.endsForGood)
            case .acknowledgement, .probe, .account: break
            }
        }
        if isCutShort {
            link.ledger.bookRateLimited()
            consequence.isTooFast = link.budget.isExhausted
        }
        guard let farewell else { return }
        if farewell == .paused {
            // A pause that something newer has overtaken is over already.
            guard number == link.ledger.highest else { return }
            if link.pausedAfter == nil { link.budget.spendPause() }
            link.pausedAfter = number
        }
        consequence.farewell = (farewell, arrival.at)
    }

    private mutating func noteTiming(
        _ number: UInt32, sentAt: Int64, on link: inout Link, _ arrival: Arrival, sink: inout some MotionSink
    ) {
        link.oneWay = motion.noteArrival(
            sentAt: sentAt, arrival, isNewest: number == link.ledger.highest, of: index, sink: &sink)
        if motion.clock.changes != link.clockChanges {
            (link.jitter, link.transit) = (InterarrivalJitter(), TransitMeter())
            link.clockChanges = motion.clock.changes
        }
        link.jitter.book(sentAt: sentAt, arrivedAt: arrival.at)
        let transit = arrival.at.nanoseconds.saturatingSubtract(sentAt)
        link.queueing = link.transit.book(
            transit: transit, arrivedAt: arrival.at.nanoseconds, rise: motion.transitRise)
        minute.note(queueing: link.queueing)
        minute.note(waited: arrival.now.nanoseconds.saturatingSubtract(arrival.at.nanoseconds))
        sink.noteDelay(
            of: index, FrameStamps(sentAt: sentAt, arrivedAt: arrival.at), queueing: link.queueing,
            oneWay: link.oneWay)
    }
}
