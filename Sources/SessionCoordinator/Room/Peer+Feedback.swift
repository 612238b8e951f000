import WireProtocol

extension Peer {
    /// What a feedback needs at least: less than three times the 33 bytes of the emptiest datagram, so that a
    /// controller without samples is answered too.
    static let smallestFeedback = 64

    /// Writes and seals the next feedback, if there is somewhere to send it.
    mutating func writeFeedback(
        into buffer: UnsafeMutableRawBufferPointer, now: HostTime, cipher: some DatagramCipher,
        leavingFrom own: inout OwnAddress
    ) -> (destination: FeedbackDestination, count: Int)? {
        guard var link = attachment.takeLink() else { return nil }
        let written = link.update { writeFeedback(on: &$0, into: buffer, now: now, cipher: cipher) }
        own = link.read { $0.path.own }
        attachment = .linked(consume link)
        return written
    }

    private mutating func writeFeedback(
        on link: inout Link, into buffer: UnsafeMutableRawBufferPointer, now: HostTime, cipher: some DatagramCipher
    ) -> (destination: FeedbackDestination, count: Int)? {
        guard let destination = link.feedbackDestination else { return nil }
        let count: Int
        switch link.way {
        case .udp(let keys):
            let limit = min(WireFormat.maximumDatagramSize, buffer.count, link.path.allowance)
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<(limit - sealTagLength)])
            count = write(.feedback, on: link, probeKey: keys.probe, into: room, now: now, cipher) + sealTagLength
            cipher.seal(
                UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), headerLength: DatagramHeader.size,
                key: keys.feedback, number: link.nextNumber)
        case .reliable(_, let probeKey):
            let room = UnsafeMutableRawBufferPointer(
                rebasing: buffer[..<min(WireFormat.maximumDatagramSize, buffer.count)])
            count = write(.browserFeedback, on: link, probeKey: probeKey, into: room, now: now, cipher)
        }
        link.noteSent(bytes: count, at: now.nanoseconds)
        return (destination, count)
    }

    /// Returns the bytes written.
    private mutating func write(
        _ kind: DatagramHeader.Kind, on link: borrowing Link, probeKey: LinkKey,
        into room: UnsafeMutableRawBufferPointer, now: HostTime, _ cipher: some DatagramCipher
    ) -> Int {
        var writer = ByteWriter(room)
        DatagramHeader(kind: kind, connection: link.connection, number: link.nextNumber).write(to: &writer)
        writer.write(now.nanoseconds)
        if motion.clock.nextProbeDue() <= now.nanoseconds {
            let id = Self.probeID(motion.clock.probesSent, key: probeKey, cipher: cipher)
            if writer.writeProbe(id: id) { motion.noteProbe(id, sentAt: now) }
        }
        messages.writeReceipt(to: &writer)
        let unique = UInt32(truncatingIfNeeded: link.ledger.unique)
        _ = writer.writeAccount(highest: link.ledger.highest ?? 0, unique: unique)
        // Acknowledgements go first: a long queue of messages must not keep samples waiting.
        for stream in motion.streams { _ = stream.writeAcknowledgement(to: &writer) }
        messages.write(to: &writer, now: now)
        return writer.count
    }

    /// An id that only the host can know before it is sent: the first bytes of a tag under a key of its own. Who could
    /// guess it could claim to be at an address that is not his, and have feedback sent there.
    private static func probeID(_ place: Int, key: LinkKey, cipher: some DatagramCipher) -> UInt16 {
        withUnsafeTemporaryAllocation(byteCount: sealTagLength, alignment: 8) { tag in
            cipher.seal(tag, headerLength: 0, key: key, number: UInt32(truncatingIfNeeded: place))
            return tag.loadUnaligned(as: UInt16.self)
        }
    }
}
