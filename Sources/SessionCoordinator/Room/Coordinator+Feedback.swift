public import WireProtocol

/// Where a feedback goes.
public enum FeedbackDestination: Hashable, Sendable {
    /// Sealed, to where the peer was heard last.
    case address(PeerAddress)
    /// Unsealed, on a browser's connection.
    case conversation(ConversationID)
}

extension Coordinator {
    /// 20 feedbacks a second while something is missing or waits; else 5.
    private static let busyInterval: Int64 = 50_000_000
    private static let calmInterval: Int64 = 200_000_000
    /// The least time between two feedbacks to one peer, whatever is urgent.
    private static let leastInterval: Int64 = 5_000_000
    private static let farewellInterval: Int64 = 20_000_000
    /// What a feedback needs at least: less than three times the 33 bytes of the emptiest datagram, so that a
    /// controller without samples is answered too.
    private static let leastFeedback = 64
    static let messageRetry: Duration = .milliseconds(50)

    /// Writes and seals the next feedback that is due, if any. Called until `nil`, after each round of inputs.
    ///
    /// - Parameter buffer: at least ``WireFormat/maximumDatagramSize`` bytes.
    /// - Returns: where it goes and its length.
    public mutating func nextFeedback(
        into buffer: UnsafeMutableRawBufferPointer, now: HostTime, cipher: some DatagramCipher
    ) -> (destination: FeedbackDestination, count: Int)? {
        if feedbackCursor == 0 { settleAgenda() }
        while feedbackCursor < peers.indices.upperBound {
            let index = feedbackCursor
            feedbackCursor += 1
            guard agenda.isDue(index, at: now.nanoseconds), let due = feedbackDue(for: index), due <= now.nanoseconds,
                let destination = peers[index].feedbackDestination
            else { continue }
            if let count = writeFeedback(to: index, into: buffer, now: now, cipher: cipher) {
                return (destination, count)
            }
        }
        while let place = leaving.firstIndex(where: { (Self.farewellDue(on: $0) ?? .max) <= now.nanoseconds }) {
            let address = leaving[place].address
            let count = Self.writeFarewell(on: &leaving[place], into: buffer, now: now, cipher: cipher)
            if (leaving[place].farewell?.remaining ?? 0) == 0 || count == nil { leaving.remove(at: place) }
            if let address, let count { return (.address(address), count) }
        }
        feedbackCursor = 0
        return nil
    }

    /// Whether every farewell has left.
    public var hasSaidGoodbye: Bool { leaving.isEmpty }

    /// When a peer's next feedback is due, in nanoseconds; `nil` when there is nowhere to send it.
    func feedbackDue(for index: PeerIndex) -> Int64? {
        peers.isSeated(index) ? Self.feedbackDue(for: peers[index]) : nil
    }

    private static func feedbackDue(for peer: borrowing Peer) -> Int64? {
        guard peer.seat == .active, let (last, wantsPrompt) = peer.feedbackStanding(atLeast: leastFeedback)
        else { return nil }
        guard let last else { return peer.lastHeard }
        var due = last + calmInterval
        if wantsPrompt || peer.hasHoles { due = last + busyInterval }
        if peer.inbox.owesReceipt { due = min(due, last + busyInterval / 2) }
        if peer.outgoingData != nil { due = min(due, last + leastInterval) }
        if let message = peer.outbox.nextDue(retryAfter: messageRetry) { due = min(due, message) }
        due = min(due, peer.clock.nextProbeDue())
        return max(due, last + leastInterval)
    }

    private mutating func writeFeedback(
        to index: PeerIndex, into buffer: UnsafeMutableRawBufferPointer, now: HostTime, cipher: some DatagramCipher
    ) -> Int? {
        guard let link = peers[index].link else { return nil }
        agenda.touch(index)
        let isSealed = !link.transport.isReliable
        let limit = min(WireFormat.maximumDatagramSize, buffer.count, isSealed ? link.allowance : .max)
        let tag = isSealed ? sealTagLength : 0
        var writer = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: buffer[..<(limit - tag)]))
        let kind: DatagramHeader.Kind = isSealed ? .feedback : .browserFeedback
        let header = DatagramHeader(kind: kind, connection: link.connection, number: link.nextNumber)
        header.write(to: &writer)
        writer.write(now.nanoseconds)
        if peers[index].clock.nextProbeDue() <= now.nanoseconds {
            let id = Self.probeID(peers[index].clock.probesSent, key: link.probeKey, cipher: cipher)
            if writer.writeProbe(id: id) { peers[index].clock.probe(id, sentAt: now) }
        }
        peers[index].inbox.writeReceipt(to: &writer)
        let unique = UInt32(truncatingIfNeeded: link.ledger.unique)
        _ = writer.writeAccount(highest: link.ledger.highest ?? 0, unique: unique)
        // Acknowledgements go first: a long queue of messages must not keep samples waiting.
        for stream in peers[index].streams { _ = stream.writeAcknowledgement(to: &writer) }
        peers[index].outbox.write(to: &writer, now: now.nanoseconds, retryAfter: Self.messageRetry)
        if !peers[index].outbox.hasUnsent { noteHapticsSent(to: index, at: now) }
        if let data = peers[index].outgoingData {
            if writer.writeData(channel: data.channel, sequence: data.sequence, body: data.body) {
                peers[index].outgoingData = nil
            }
        }
        let count = writer.count + tag
        if isSealed {
            cipher.seal(
                UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), headerLength: DatagramHeader.size,
                key: link.feedbackKey, number: header.number)
        }
        peers[index].link!.noteSent(bytes: count, at: now.nanoseconds)
        return count
    }

    /// An id that only the host can know before it is sent: the first bytes of a tag under a key of its own. Who could
    /// guess it could claim to be at an address that is not his, and have feedback sent there.
    private static func probeID(_ place: Int, key: LinkKey, cipher: some DatagramCipher) -> UInt16 {
        withUnsafeTemporaryAllocation(byteCount: sealTagLength, alignment: 8) { tag in
            cipher.seal(tag, headerLength: 0, key: key, number: UInt32(truncatingIfNeeded: place))
            return tag.loadUnaligned(as: UInt16.self)
        }
    }

    static func farewellDue(on link: Link) -> Int64? {
        guard let farewell = link.farewell, farewell.remaining > 0, link.address != nil else { return nil }
        return farewell.remaining == 3 ? .min : (link.feedbackSentAt ?? .min / 2) + farewellInterval
    }

    private static func writeFarewell(
        on link: inout Link, into buffer: UnsafeMutableRawBufferPointer, now: HostTime, cipher: some DatagramCipher
    ) -> Int? {
        guard let farewell = link.farewell, link.allowance >= 64 else { return nil }
        var writer = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: buffer[..<64]))
        let header = DatagramHeader(kind: .feedback, connection: link.connection, number: link.nextNumber)
        header.write(to: &writer)
        writer.write(now.nanoseconds)
        _ = writer.writeGoodbye(farewell.reason, lastSent: link.nextNumber)
        let count = writer.count + sealTagLength
        cipher.seal(
            UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), headerLength: DatagramHeader.size,
            key: link.feedbackKey, number: header.number)
        link.farewell = (farewell.reason, farewell.remaining - 1)
        link.noteSent(bytes: count, at: now.nanoseconds)
        return count
    }

    /// Keeps a link until its farewells are sent; the oldest gives way when too many leave at once.
    mutating func retire(_ link: Link) {
        guard link.address != nil else { return }
        if leaving.count >= 1_024 { leaving.removeFirst() }
        leaving.append(link)
    }
}
