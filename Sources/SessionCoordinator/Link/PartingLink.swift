import WireProtocol

/// What is left of a link whose peer is gone, until its farewells are sent.
struct PartingLink: Sendable {
    private(set) var link: Link
    let reason: GoodbyeReason
    /// How often it will still be said.
    private(set) var remaining: Int
    private let copies: Int

    /// How often a host says goodbye where nothing answers it.
    static let mostCopies = 3

    init(_ link: Link, _ reason: GoodbyeReason, copies: Int = Self.mostCopies) {
        (self.link, self.reason, self.copies, remaining) = (link, reason, copies, copies)
    }

    /// When the next copy is due, in nanoseconds: the first of several at once.
    var due: Int64 {
        if copies == Self.mostCopies, remaining == copies { return .min }
        return (link.feedbackSentAt ?? .min / 2) + RoomTimer.farewellInterval
    }

    /// Where it goes.
    var address: PeerAddress? { link.path.address }

    /// Writes and seals the next copy; `nil` when it may not be sent, and never will be.
    mutating func write(
        into buffer: UnsafeMutableRawBufferPointer, now: HostTime, cipher: some DatagramCipher
    ) -> Int? {
        guard case .udp(let keys) = link.way, link.path.allowance >= 64, !link.isWornOut
        else { return nil }
        var writer = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: buffer[..<64]))
        let header = DatagramHeader(kind: .feedback, connection: link.connection, number: link.nextNumber)
        header.write(to: &writer)
        writer.write(now.nanoseconds)
        _ = writer.writeGoodbye(reason, lastSent: link.nextNumber)
        let count = writer.count + sealTagLength
        cipher.seal(
            UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), headerLength: DatagramHeader.size,
            key: keys.feedback, number: header.number)
        remaining -= 1
        link.noteSent(bytes: count, at: now.nanoseconds)
        return count
    }
}
