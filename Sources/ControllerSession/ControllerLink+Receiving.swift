public import WireProtocol

extension ControllerLink {
    /// Takes a datagram that came from the network: opens it in place, and says what there is to act on.
    ///
    /// Only what opens under the link's key touches anything; all else is counted and forgotten.
    ///
    /// - Parameters:
    ///   - arrivedAt: when it came at the socket, on the device's clock; may be earlier than `now`.
    public mutating func receive(
        _ datagram: UnsafeMutableRawBufferPointer, cipher: some DatagramCipher, arrivedAt: DeviceTime, now: DeviceTime
    ) -> [LinkEvent] {
        advance(to: now.nanoseconds)
        tally.feedback.arrivals += 1
        guard datagram.count <= WireFormat.maximumDatagramSize,
            datagram.count >= WireFormat.contentStart + sealTagLength,
            let header = try? DatagramHeader(reading: UnsafeRawBufferPointer(datagram)), header.kind == .feedback
        else {
            tally.feedback.malformed += 1
            return []
        }
        guard let opened, header.connection == opened.epoch.connection else {
            tally.feedback.unknown += 1
            return []
        }
        let opens = cipher.open(
            datagram, headerLength: DatagramHeader.size, key: opened.epoch.receiveKey, number: header.number)
        guard opens else {
            tally.feedback.badAuth += 1
            return []
        }
        guard isFresh(header.number) else { return [] }
        let content = DatagramHeader.size..<datagram.count - sealTagLength
        do throws(FrameError) {
            let payload = try Payload(reading: UnsafeRawBufferPointer(rebasing: datagram[content]))
            return take(payload, arrivedAt: arrivedAt)
        } catch {
            heard(at: timing.own(arrivedAt))
            tally.feedback.unreadable += 1
            return []
        }
    }

    /// Books an authentic number; whether the datagram is to be acted on.
    private mutating func isFresh(_ number: UInt32) -> Bool {
        tally.feedback.authenticated += 1
        let highest = window.highest
        switch window.admit(number) {
        case .fresh:
            tally.feedback.unique += 1
            if let highest, number < highest { tally.feedback.reordered += 1 }
            return true
        case .duplicate:
            tally.feedback.duplicate += 1
            return false
        case .stale:
            tally.feedback.tooOld += 1
            return false
        }
    }

    /// - Parameter deafSince: since when the host takes nothing in any more, by what it says here: from then on it counts as
    ///   silent.
    private mutating func heard(at time: Int64, deafSince: Int64? = nil) {
        timing.lonelyRepeats = 0
        guard var opened else { return }
        opened.isHeard = true
        if let deafSince, deafSince <= time {
            opened.heardAt = max(opened.heardAt, deafSince)
        } else {
            if opened.silence == .noticed {
                silence.healed(after: time.saturatingSubtract(opened.heardAt), at: timing.now)
            } else {
                silence.heard(at: timing.now)
            }
            opened.heardAt = max(opened.heardAt, time)
            opened.silence = .none
        }
        self.opened = opened
    }

    /// Since when the host's account should have risen again.
    private var deafSince: Int64? {
        uplink.unansweredSince?.saturatingAdd(roundTrip.patience(interval: 0))
    }

    /// Acts on the blocks; the account first, since it says what the acknowledgements do not.
    private mutating func take(_ payload: Payload, arrivedAt: DeviceTime) -> [LinkEvent] {
        var events: [LinkEvent] = []
        var horizon: UInt32?
        let waited = queueing.add(sentAt: payload.sentAt, arrivedAt: timing.own(arrivedAt))
        for block in payload.blocks {
            if case .account(let highest, let unique) = block, believe(highest, unique, arrivedAt) {
                horizon = highest
            }
        }
        heard(at: timing.own(arrivedAt), deafSince: horizon == nil ? nil : deafSince)
        for block in payload.blocks {
            switch block {
            case .acknowledgement(let acknowledgement):
                guard let place = streams.firstIndex(where: { $0.id == acknowledgement.stream }) else { continue }
                streams[place].acknowledge(acknowledgement, lossHorizon: horizon)
            case .probe(let id):
                guard owedAnswers.count < Self.answersAtMost else { continue }
                owedAnswers.append((id, arrivedAt))
                owe()
            case .message(let id, let body):
                owe()
                guard inbox.admit(id) else { continue }
                guard let message = try? LinkMessage(reading: body) else {
                    tally.feedback.unreadable += 1
                    continue
                }
                if case .haptic(let haptic) = message, haptic.timeToLive > .zero, waited > haptic.timeToLive {
                    // It waited in a socket, as where this program stood still: nobody is to feel it now.
                    try? send(.hapticReceipt(HapticReceipt(id: haptic.id, outcome: .refused(.expired))))
                } else {
                    events.append(.message(message))
                }
            case .receipt(let next):
                outbox.acknowledge(below: next)
            case .data(let channel, let sequence, let body):
                guard data.admit(sequence, channel: channel) else { continue }
                events.append(.data(channel: channel, bytes: Array(body)))
            case .goodbye(let reason, _):
                phase = .ended(reason)
                events.append(.goodbye(reason))
            case .account, .stream, .probeAnswer, .tally:
                // The first was read above; the others do not travel this way.
                continue
            }
        }
        return events
    }

    /// Probes that may wait for their answers; a host sends one at a time, or a wave of eight.
    private static var answersAtMost: Int { 16 }

    private mutating func owe() { owesSince = owesSince ?? timing.now }

    /// Takes the host's account; false when it claims what was never sent.
    private mutating func believe(_ highest: UInt32, _ unique: UInt32, _ arrivedAt: DeviceTime) -> Bool {
        guard unique > 0 else { return false }
        guard let opened, highest < opened.nextNumber, unique - 1 <= highest else {
            tally.feedback.unreadable += 1
            return false
        }
        if let account = tally.account, account.highest > highest { return false }
        if tally.account?.highest != highest { uplink.answered() }
        tally.account = ControllerReport.Account(highest: highest, unique: unique)
        roundTrip.answered(highest: highest, sent: opened.nextNumber, at: timing.own(arrivedAt))
        loss.account(highest: highest, unique: unique)
        return true
    }
}
