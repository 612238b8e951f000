public import WireProtocol

extension Coordinator {
    /// Takes a datagram from the network: opens it, then judges its number, then books it, and only then reads it.
    ///
    /// Whatever does not open under a seated peer's key is counted and forgotten: it is never answered and nothing is
    /// kept for it. Effects on seats and messages wait in ``takeActions()``; samples go straight to `sink`.
    ///
    /// - Parameters:
    ///   - datagram: the bytes as they came; opened in place.
    ///   - arrivedAt: when they reached the socket; may lie before the time of the last ``advance(to:)``.
    ///   - now: when they are looked at.
    public mutating func receive(
        _ datagram: UnsafeMutableRawBufferPointer, from source: PeerAddress, arrivedAt: HostTime, now: HostTime,
        cipher: some DatagramCipher, sink: inout some MotionSink
    ) {
        guard datagram.count <= WireFormat.maximumDatagramSize,
            datagram.count >= DatagramHeader.size + 8 + sealTagLength,
            let header = try? DatagramHeader(reading: UnsafeRawBufferPointer(datagram)), header.kind == .motion
        else {
            strangers.malformed += 1
            return
        }
        let index = Int(header.connection.index)
        guard peers.isSeated(index), let key = motionKey(of: index, header.connection) else {
            strangers.unknown += 1
            return
        }
        guard cipher.open(datagram, headerLength: DatagramHeader.size, key: key, number: header.number) else {
            strangers.badAuth += 1
            return
        }
        guard let isNewest = book(header.number, bytes: datagram.count, of: index, arrivedAt: arrivedAt) else { return }
        peers[index].link!.noteArrival(
            from: source, bytes: datagram.count, isNewest: isNewest, probesSent: peers[index].clock.probesSent)
        let content = UnsafeRawBufferPointer(
            rebasing: datagram[DatagramHeader.size..<datagram.count - sealTagLength])
        take(content, header.number, of: index, arrivedAt: arrivedAt, now: now, sink: &sink)
    }

    /// Takes a browser's datagram, which came inside TLS and so bears no seal: it must come on the connection that its
    /// seat was given to.
    public mutating func receive(
        unsealed datagram: UnsafeRawBufferPointer, from conversation: ConversationID, arrivedAt: HostTime,
        now: HostTime, sink: inout some MotionSink
    ) {
        guard datagram.count <= WireFormat.maximumDatagramSize, datagram.count >= DatagramHeader.size + 8,
            let header = try? DatagramHeader(reading: datagram), header.kind == .browserMotion
        else {
            strangers.malformed += 1
            return
        }
        let index = Int(header.connection.index)
        guard peers.isSeated(index), peers[index].conversation == conversation, let link = peers[index].link,
            link.connection == header.connection, link.transport.isReliable
        else {
            strangers.unknown += 1
            return
        }
        guard book(header.number, bytes: datagram.count, of: index, arrivedAt: arrivedAt) != nil else { return }
        let content = UnsafeRawBufferPointer(rebasing: datagram[DatagramHeader.size...])
        take(content, header.number, of: index, arrivedAt: arrivedAt, now: now, sink: &sink)
    }

    /// Reads what was booked: all of it, or, of a peer beyond its rate, next to nothing.
    private mutating func take(
        _ content: UnsafeRawBufferPointer, _ number: UInt32, of index: PeerIndex, arrivedAt: HostTime, now: HostTime,
        sink: inout some MotionSink
    ) {
        guard let payload = try? Payload(reading: content) else {
            peers[index].link!.ledger.bookUnreadable()
            return
        }
        if peers[index].link!.budget.admit(payload.counts, at: arrivedAt.nanoseconds) {
            read(payload, number, of: index, arrivedAt: arrivedAt, now: now, sink: &sink)
        } else {
            peers[index].link!.ledger.bookRateLimited()
            readLittle(payload, of: index, at: now)
        }
    }

    /// What a peer sends beyond its rate is neither read nor acknowledged, but for what makes less work: its goodbye.
    /// Who goes on like that loses the seat.
    private mutating func readLittle(_ payload: Payload, of index: PeerIndex, at now: HostTime) {
        for block in payload.blocks {
            guard case .goodbye(let reason, let lastSent) = block else { continue }
            peers[index].link!.ledger.learn(lastSent: lastSent)
            if reason != .paused { return leave(index, reason, at: now) }
        }
        if peers[index].link!.budget.isExhausted { throwOut(index, at: now) }
    }

    private func motionKey(of index: PeerIndex, _ connection: ConnectionID) -> LinkKey? {
        guard let link = peers[index].link, link.connection == connection, !link.transport.isReliable else {
            return nil
        }
        return link.motionKey
    }

    /// Judges and books an authenticated datagram: whether it is the newest; `nil` when its content was seen before.
    private mutating func book(_ number: UInt32, bytes: Int, of index: PeerIndex, arrivedAt: HostTime) -> Bool? {
        let verdict = peers[index].link!.book(number, bytes: bytes, arrivedAt: arrivedAt)
        guard verdict == .newest || verdict == .reordered else { return nil }
        agenda.touch(index)
        noteLife(of: index, at: arrivedAt)
        return verdict == .newest
    }

    /// Until its content is read, a datagram of a paused peer may be one more copy of its goodbye.
    private mutating func noteLife(of index: PeerIndex, at time: HostTime) {
        if peers[index].pausedAfter == nil { heard(index, at: time) }
    }

    /// A sign of life under the peer's present keys.
    mutating func heard(_ index: PeerIndex, at time: HostTime) {
        peers[index].lastHeard = max(peers[index].lastHeard, time.nanoseconds)
        switch peers[index].seat {
        case .active: break
        case .reserved:
            peers[index].seat = .active
            useUpTicket(of: peers[index].lease.controller)
        case .lost:
            peers[index].seat = .active
            useUpTicket(of: peers[index].lease.controller)
            occurred(peers[index].playerChange(.back, peer: index), at: time)
        }
        if peers[index].lease.previousSecretHash != nil {
            peers[index].lease.previousSecretHash = nil
            actions.append(.commit([.keep(peers[index].lease)], thenAnswer: nil, nil))
        }
        if peers[index].linkState == .silent { report(.good, of: index, at: time) }
    }

    private mutating func read(
        _ payload: Payload, _ number: UInt32, of index: PeerIndex, arrivedAt: HostTime, now: HostTime,
        sink: inout some MotionSink
    ) {
        if let last = peers[index].pausedAfter, number > last, !payload.saysGoodbye {
            peers[index].pausedAfter = nil
            // A device that slept may have stopped its clock: what it showed before proves nothing now.
            peers[index].clock.restart()
            heard(index, at: arrivedAt)
        }
        noteTiming(of: index, number, sentAt: payload.sentAt, arrivedAt: arrivedAt, sink: &sink)
        // A goodbye takes effect after all else in its datagram: the last samples count too.
        var farewell: GoodbyeReason?
        for block in payload.blocks {
            switch block {
            case .stream(let block): take(block, of: index, arrivedAt: arrivedAt, now: now, sink: &sink)
            case .probeAnswer(let id, let receivedAt):
                // An echo proves where the peer is whatever its clock says, and a late one is held against nobody.
                let place = peers[index].clock.place(of: id)
                if place != nil || !peers[index].clock.remembers(id) { peers[index].link!.noteEcho(of: place) }
                let answered = peers[index].clock.answer(
                    id: id, receivedAt: receivedAt, sentAt: payload.sentAt, arrivedAt: arrivedAt)
                if answered != nil { tellClock(of: index, now: arrivedAt, sink: &sink) }
            case .message(let id, let body):
                if peers[index].inbox.admit(id) { act(on: body, of: index, at: arrivedAt) }
            case .receipt(let next): peers[index].outbox.acknowledge(below: next)
            case .data(let channel, let sequence, let body):
                if isNewest(sequence, on: channel, of: index) {
                    peers[index].link!.budget.spendData()
                    actions.append(.data(index, channel: channel, Array(body)))
                }
            case .goodbye(let reason, let lastSent):
                peers[index].link!.ledger.learn(lastSent: lastSent)
                farewell = reason
            case .acknowledgement, .probe, .account: break
            }
        }
        if let farewell { leave(index, farewell, saidIn: number, at: arrivedAt) }
    }

    /// A pause that something newer has overtaken is over already.
    private mutating func leave(_ index: PeerIndex, _ reason: GoodbyeReason, saidIn number: UInt32, at time: HostTime) {
        if reason == .paused {
            guard number == peers[index].link!.ledger.highest else { return }
            peers[index].pausedAfter = number
        }
        leave(index, reason, at: time)
    }

    private mutating func noteTiming(
        of index: PeerIndex, _ number: UInt32, sentAt: Int64, arrivedAt: HostTime, sink: inout some MotionSink
    ) {
        peers[index].link!.jitter.book(sentAt: sentAt, arrivedAt: arrivedAt)
        let transit = arrivedAt.nanoseconds.saturatingSubtract(sentAt)
        let queueing = peers[index].link!.transit.book(transit: transit, arrivedAt: arrivedAt.nanoseconds)
        peers[index].link!.queueing = queueing
        peers[index].minute.note(queueing: queueing)
        let isNewest = number == peers[index].link!.ledger.highest
        if peers[index].clock.noteArrival(sentAt: sentAt, arrivedAt: arrivedAt, isNewest: isNewest, known: peers[index].mapping) {
            tellClock(of: index, now: arrivedAt, sink: &sink)
        }
        var oneWay: Int64?
        if let mapping = peers[index].mapping, mapping.state != .none {
            let sent = mapping.hostTime(of: DeviceTime(nanoseconds: sentAt))
            oneWay = arrivedAt.nanoseconds.saturatingSubtract(sent.nanoseconds)
        }
        peers[index].link!.oneWay = oneWay
        sink.noteDelay(
            of: index, FrameStamps(sentAt: sentAt, arrivedAt: arrivedAt), queueing: queueing, oneWay: oneWay)
    }

    mutating func tellClock(of index: PeerIndex, now: HostTime, sink: inout some MotionSink) {
        guard let mapping = peers[index].clock.mapping(now: now), mapping != peers[index].mapping else { return }
        peers[index].mapping = mapping
        sink.clockChanged(of: index, to: mapping)
    }

    private mutating func take(
        _ block: StreamBlock, of index: PeerIndex, arrivedAt: HostTime, now: HostTime, sink: inout some MotionSink
    ) {
        let key = StreamKey(peer: index, stream: block.stream)
        guard let place = stream(for: block, of: index, at: arrivedAt, sink: &sink) else { return }
        let hadHoles = peers[index].streams[place].hasHoles
        if peers[index].streams[place].raise(floor: block.floor) {
            sink.streamAbandoned(key, below: block.floor)
        }
        let codec = peers[index].streams[place].codec
        var taken = 0
        for run in block.runs {
            run.forEach(codec: codec) { sampleIndex, sample in
                guard !peers[index].streams[place].isSettled(sampleIndex) else {
                    peers[index].streams[place].bookRedundant()
                    return
                }
                let verdict = sink.accept(sample, index: sampleIndex, of: key, arrivedAt: arrivedAt, now: now)
                peers[index].streams[place].take(sampleIndex, verdict: verdict)
                taken += 1
            }
        }
        peers[index].link!.budget.spend(samples: taken)
        if taken > 0 { noteSamples(of: index, place, at: arrivedAt) }
        assert(peers[index].streams[place].ledger.isBalanced, "the sample ledger's law is broken")
        if !hadHoles, peers[index].streams[place].hasHoles { peers[index].link!.wantsPromptFeedback = true }
    }

    /// New samples came: the stream lives, though it may have been called dead.
    private mutating func noteSamples(of index: PeerIndex, _ place: Int, at time: HostTime) {
        let newest = peers[index].streams[place].newestArrivedAt ?? .min
        peers[index].streams[place].newestArrivedAt = max(newest, time.nanoseconds)
        guard peers[index].streams[place].isDead else { return }
        peers[index].streams[place].isDead = false
        report(.good, of: index, stream: peers[index].streams[place].declaration.stream, at: time)
    }

    /// Finds the receiver for a block, opening a new epoch where the sender began one; `nil` for what was not declared
    /// or is of an epoch that is over.
    private mutating func stream(
        for block: StreamBlock, of index: PeerIndex, at now: HostTime, sink: inout some MotionSink
    ) -> Int? {
        guard let declaration = peers[index].declarations.first(where: { $0.stream == block.stream }),
            declaration.measures == block.measures
        else {
            peers[index].link!.ledger.bookUnreadable()
            return nil
        }
        let known = peers[index].streams.firstIndex { $0.declaration.stream == block.stream }
        if let known {
            let steps = block.epoch &- peers[index].streams[known].epoch
            if steps == 0 { return known }
            guard steps < 128 else { return nil }
            peers[index].pastSamples.add(peers[index].streams[known].ledger)
            peers[index].streams.remove(at: known)
        }
        peers[index].link!.budget.spendStreamEpoch()
        peers[index].streams.append(StreamReceiver(declaration: declaration, epoch: block.epoch))
        sink.streamBegan(
            StreamKey(peer: index, stream: block.stream), epoch: block.epoch, declaration, at: now,
            admittedAt: peers[index].admittedAt)
        return peers[index].streams.endIndex - 1
    }
}

extension Payload {
    fileprivate var saysGoodbye: Bool {
        blocks.contains { if case .goodbye = $0 { true } else { false } }
    }
}
