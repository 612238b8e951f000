public import WireProtocol

extension ControllerLink {
    /// Writes and seals the next datagram at the front of `buffer`, if one is due.
    ///
    /// To be called until it returns `nil`. Numbers never wrap: the last ones stay unused.
    ///
    /// - Parameter buffer: at least `WireFormat.maximumDatagramSize` bytes.
    public mutating func nextDatagram(
        into buffer: UnsafeMutableRawBufferPointer, cipher: some DatagramCipher, now: DeviceTime
    ) -> SentDatagram? {
        precondition(buffer.count >= WireFormat.maximumDatagramSize, "a datagram needs its full room")
        advance(to: now.nanoseconds)
        guard let opened, let due = datagramDue, due <= timing.now, opened.nextNumber < .max else { return nil }
        let number = opened.nextNumber
        let header = DatagramHeader(kind: .motion, connection: opened.epoch.connection, number: number)
        let (contentEnd, content) = write(header, to: buffer)
        let size = contentEnd + sealTagLength
        cipher.seal(
            UnsafeMutableRawBufferPointer(rebasing: buffer[..<size]), headerLength: DatagramHeader.size,
            key: opened.epoch.sendKey, number: number)
        roundTrip.sent(number, at: timing.now)
        uplink.sent(at: timing.now)
        timing.sent(hasSamples: content.samples > 0, hasFresh: content.fresh > 0, pace: pace)
        timing.leavesFresh = streams.contains { $0.freshCount > 0 }
        timing.leavesUrgent = streams.contains { $0.hasUrgent }
        let isHeartbeat = content.isEmpty
        tally.sent(number, bytes: size, isHeartbeat: isHeartbeat)
        finishSending()
        return SentDatagram(number: number, size: size, isHeartbeat: isHeartbeat, runs: content.runs)
    }

    /// Uses up the number, and one copy of the goodbye when the link is being left.
    private mutating func finishSending() {
        switch phase {
        case .open(var opened):
            opened.nextNumber += 1
            phase = .open(opened)
        case .leaving(var opened, let reason, let copiesLeft, _):
            opened.nextNumber += 1
            if copiesLeft > 1 {
                let nextAt = timing.now.saturatingAdd(pace.goodbye)
                phase = .leaving(opened, reason, copiesLeft: copiesLeft - 1, nextAt: nextAt)
            } else {
                phase = reason == .paused ? .paused(opened) : .ended(reason)
            }
        case .closed, .paused, .ended: break
        }
    }

    /// Writes header and content; in two parts, so that messages always leave room for fresh samples.
    private mutating func write(
        _ header: DatagramHeader, to buffer: UnsafeMutableRawBufferPointer
    ) -> (end: Int, content: DatagramContent) {
        var content = DatagramContent(isRecorded: configuration.recordsRuns)
        let end = WireFormat.maximumDatagramSize - sealTagLength
        let wanted = min(streams.reduce(0) { $0 + wantedByFresh($1) }, end / 2)
        var front = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: buffer[..<(end - wanted)]))
        header.write(to: &front)
        front.write(timing.device(timing.now).nanoseconds)
        let bare = front.count
        if case .leaving(_, let reason, _, _) = phase {
            _ = front.writeGoodbye(reason, lastSent: header.number)
            _ = front.writeTally(tallyWithThisDatagram)
        }
        writeAnswers(to: &front)
        inbox.writeReceipt(to: &front)
        if owedAnswers.isEmpty, !inbox.owesReceipt { owesSince = nil }
        outbox.write(to: &front, now: timing.now, retryAfter: messageRetry)
        data.write(to: &front)
        if owesTally, wanted > 0 || front.count > bare, front.writeTally(tallyWithThisDatagram) {
            timing.talliedAt = timing.now
        }
        content.isEmpty = front.count == bare
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[front.count..<end])
        return (front.count + writeStreams(into: rest, number: header.number, content: &content), content)
    }

    /// Now and then the host is told how much was sent in all, with whatever else there is to say: every 5 s.
    private var owesTally: Bool {
        guard case .open = phase else { return false }
        return timing.talliedAt.map { timing.now >= $0.saturatingAdd(5_000_000_000) } ?? true
    }

    /// What was sent once the datagram that is being written has left.
    private var tallyWithThisDatagram: SenderTally {
        var tally = sentInAll
        tally.datagrams += 1
        return tally
    }

    /// What was sent since the host first knew this run of the program: a controller's word at its goodbye.
    public var sentInAll: SenderTally {
        var (samples, confirmed) = (0, 0)
        for stream in streams {
            samples += stream.counts.appended
            confirmed += stream.counts.acknowledged
        }
        return SenderTally(
            links: tally.links, datagrams: UInt64(tally.sentDatagrams - tally.sentBefore),
            samples: UInt64(samples - tally.samplesBefore), confirmed: UInt64(confirmed - tally.confirmedBefore))
    }

    private mutating func writeAnswers(to writer: inout ByteWriter) {
        while let answer = owedAnswers.first {
            guard writer.writeProbeAnswer(id: answer.id, receivedAt: answer.receivedAt, grain: pace.clockGrain)
            else { return }
            owedAnswers.removeFirst()
        }
    }
}
