public import WireProtocol

/// Where a feedback goes.
public enum FeedbackDestination: Hashable, Sendable {
    /// Sealed, to where the peer was heard last.
    case address(PeerAddress)
    /// Unsealed, on a browser's connection.
    case conversation(ConversationID)
}

extension Coordinator {
    /// Writes and seals the next feedback that is due, if any. Called until `nil`, after each round of inputs.
    ///
    /// - Parameter buffer: at least `WireFormat.maximumDatagramSize` bytes.
    /// - Returns: where it goes and its length.
    public mutating func nextFeedback(
        into buffer: UnsafeMutableRawBufferPointer, now: HostTime, cipher: some DatagramCipher
    ) -> (destination: FeedbackDestination, count: Int)? {
        var own = OwnAddress.unknown
        return nextFeedback(into: buffer, now: now, cipher: cipher, leavingFrom: &own)
    }

    /// The same, which says also from which of this machine's addresses it is to leave: the one that the peer dialled.
    package mutating func nextFeedback(
        into buffer: UnsafeMutableRawBufferPointer, now: HostTime, cipher: some DatagramCipher,
        leavingFrom own: inout OwnAddress
    ) -> (destination: FeedbackDestination, count: Int)? {
        if feedbackCursor == 0 { settleAgenda() }
        while let index = agenda.firstDue(from: feedbackCursor, at: now.nanoseconds) {
            feedbackCursor = index + 1
            var due = Int64.max
            let written = peers.update(index) { [times] peer -> (destination: FeedbackDestination, count: Int)? in
                guard peer.feedbackDue() <= now.nanoseconds else { return nil }
                defer { due = peer.deadline(times) }
                return peer.writeFeedback(into: buffer, now: now, cipher: cipher, leavingFrom: &own)
            }
            guard let written, let written else { continue }
            agenda.note(due, of: index)
            return written
        }
        while var link = leaving.take(at: now.nanoseconds) {
            guard let count = link.write(into: buffer, now: now, cipher: cipher), let address = link.address
            else { continue }
            own = link.own
            if link.remaining > 0 { retire(link) }
            return (.address(address), count)
        }
        feedbackCursor = 0
        settleAgenda()
        return nil
    }

    /// Whether every farewell has left.
    public var hasSaidGoodbye: Bool { leaving.isEmpty }

    /// Keeps a link until its farewells are sent; the oldest gives way when more leave at once than can sit here.
    mutating func retire(_ link: PartingLink) {
        guard link.address != nil else { return }
        leaving.add(link, atMost: max(Farewells.fewest, configuration.seats))
    }
}
