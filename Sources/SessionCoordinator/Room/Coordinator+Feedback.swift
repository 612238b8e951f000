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
        if feedbackCursor == 0 { settleAgenda() }
        while let index = agenda.firstDue(from: feedbackCursor, at: now.nanoseconds) {
            feedbackCursor = index + 1
            let written = peers.update(index) { peer in
                peer.feedbackDue() <= now.nanoseconds
                    ? peer.writeFeedback(into: buffer, now: now, cipher: cipher) : nil
            }
            guard let written, let written else { continue }
            agenda.touch(index)
            return written
        }
        while let place = leaving.firstIndex(where: { $0.due <= now.nanoseconds }) {
            let count = leaving[place].write(into: buffer, now: now, cipher: cipher)
            let address = leaving[place].address
            if leaving[place].remaining == 0 || count == nil { leaving.remove(at: place) }
            if let address, let count { return (.address(address), count) }
        }
        feedbackCursor = 0
        settleAgenda()
        return nil
    }

    /// Whether every farewell has left.
    public var hasSaidGoodbye: Bool { leaving.isEmpty }

    /// Keeps a link until its farewells are sent; the oldest gives way when too many leave at once.
    mutating func retire(_ link: PartingLink) {
        guard link.address != nil else { return }
        if leaving.count >= 1_024 { leaving.removeFirst() }
        leaving.append(link)
    }
}
