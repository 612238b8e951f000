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
    /// From where.
    var own: OwnAddress { link.path.own }

    /// Writes and seals the next copy; `nil` when it may not be sent, and never will be.
    mutating func write(
        into buffer: UnsafeMutableRawBufferPointer, now: HostTime, cipher: some DatagramCipher
    ) -> Int? {
        guard case .udp(let keys) = link.way, link.path.allowance >= Peer.smallestFeedback, !link.isWornOut
        else { return nil }
        var writer = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: buffer[..<Peer.smallestFeedback]))
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

/// The farewells that are still to be said. Of a whole room's nobody looks at each for the sake of the next.
struct Farewells: Sendable {
    /// How many are kept, in a room with fewer seats too.
    static let fewest = 1_024

    /// Those that are due at once, in no order.
    private var unsaid: [PartingLink] = []
    /// Each of the others is due a moment after its last datagram, which is the order in which they come here. One that is
    /// said once, to a link that was replaced, may wait behind the others for that moment.
    private var waiting: [PartingLink] = []
    /// Where the first of those stands.
    private var head = 0

    var count: Int { unsaid.count + waiting.count - head }
    var isEmpty: Bool { count == 0 }

    /// When the next one is due, in nanoseconds; `.max` when there is none.
    var due: Int64 {
        guard unsaid.isEmpty else { return .min }
        return head < waiting.endIndex ? waiting[head].due : .max
    }

    /// - Parameter most: with more, the one that waits longest gives way.
    mutating func add(_ link: PartingLink, atMost most: Int) {
        if count >= most, takeWaiting() == nil { unsaid.removeFirst() }
        if link.due == .min { unsaid.append(link) } else { waiting.append(link) }
    }

    /// Takes out one that is due; whoever says it puts it back with ``add(_:atMost:)`` while copies remain.
    mutating func take(at now: Int64) -> PartingLink? {
        guard due <= now else { return nil }
        return unsaid.popLast() ?? takeWaiting()
    }

    private mutating func takeWaiting() -> PartingLink? {
        guard head < waiting.endIndex else { return nil }
        let link = waiting[head]
        head += 1
        // What is gone is let go of in one step for many.
        if head == waiting.endIndex || head >= 64 && 2 * head >= waiting.count {
            waiting.removeFirst(head)
            head = 0
        }
        return link
    }
}
