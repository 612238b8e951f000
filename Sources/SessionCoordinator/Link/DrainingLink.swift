import WireProtocol

/// A link that has ended, while what was still under way on it may come: copies of its goodbye, and stragglers.
///
/// They are booked in the account that they belong to. They move nobody's seat, path or clock, and are not answered.
struct DrainingLink: Sendable {
    enum Owner: Sendable {
        /// It was the link of a peer that has left.
        case gone(Peer)
        /// The peer of this stay got another link; `run`: which of its program's runs it was, `nil` for one that was
        /// told to begin anew once more before anything of it came. When another has begun since, nobody's streams go
        /// on here, however many links came between.
        case replaced(Link, of: UInt64, at: PeerIndex, run: Int?)
    }

    var owner: Owner
    let connection: ConnectionID
    let until: HostTime
}

/// The links that drain. One is found by what a datagram says of itself, and nobody looks at the others for it: anybody may
/// send such datagrams.
struct DrainingLinks: Sendable {
    /// How many are kept beside those of a full house that closes.
    static let beside = 1_024

    private var links: [ConnectionID: DrainingLink] = [:]
    /// The last link of a stay that is over.
    private var gone: [UInt64: ConnectionID] = [:]
    /// In the order in which they end.
    private var order: [(connection: ConnectionID, until: HostTime)] = []

    /// When the next one ends.
    var nextEnd: HostTime? { order.first?.until }

    /// - Parameter most: with more, the one that ends first gives way.
    mutating func add(_ link: DrainingLink, atMost most: Int) {
        if order.count >= most { removeFirst(1) }
        // An id that is given again within the time is the later link's.
        if case .gone(let before)? = links[link.connection]?.owner { gone[before.stay] = nil }
        if case .gone(let peer) = link.owner { gone[peer.stay] = link.connection }
        links[link.connection] = link
        order.append((link.connection, link.until))
    }

    mutating func expire(now: HostTime) {
        let count = order.prefix { $0.until <= now }.count
        if count > 0 { removeFirst(count) }
    }

    private mutating func removeFirst(_ count: Int) {
        for (connection, until) in order.prefix(count) {
            // An id that was given again within the time is the later link's.
            guard links[connection]?.until == until, let link = links.removeValue(forKey: connection) else { continue }
            if case .gone(let peer) = link.owner { gone[peer.stay] = nil }
        }
        order.removeFirst(count)
    }

    subscript(connection: ConnectionID) -> DrainingLink? { links[connection] }

    /// What came has changed its owner's account.
    mutating func update(_ connection: ConnectionID, _ owner: DrainingLink.Owner) { links[connection]?.owner = owner }

    /// Which is the last link of a stay that is over.
    func connection(ofGone stay: UInt64) -> ConnectionID? { gone[stay] }
}

extension Link {
    /// The content of a sealed straggler, if it opens under this link's key.
    func open(
        _ datagram: UnsafeMutableRawBufferPointer, _ header: DatagramHeader, cipher: some DatagramCipher
    ) -> UnsafeRawBufferPointer? {
        guard case .udp(let keys) = way,
            cipher.open(datagram, headerLength: DatagramHeader.size, key: keys.motion, number: header.number)
        else { return nil }
        return UnsafeRawBufferPointer(rebasing: datagram[DatagramHeader.size..<datagram.count - sealTagLength])
    }

    /// The content of a browser's straggler, if it came on this link's connection.
    func open(unsealed datagram: UnsafeRawBufferPointer, from conversation: ConversationID) -> UnsafeRawBufferPointer? {
        guard case .reliable = way, self.conversation == conversation else { return nil }
        return UnsafeRawBufferPointer(rebasing: datagram[DatagramHeader.size...])
    }
}

/// What comes after its stream's player has gone is nobody's motion.
struct AfterwardsSink: MotionSink {
    mutating func streamBegan(
        _: StreamKey, epoch _: UInt8, _: StreamDeclaration, at _: HostTime, admittedAt _: HostTime?
    ) {}
    mutating func accept(
        _: Sample, index _: UInt32, of _: StreamKey, arrivedAt _: HostTime, now _: HostTime
    ) -> ArrivalVerdict { .late }
    mutating func streamAbandoned(_: StreamKey, below _: UInt32) {}
    mutating func clockChanged(of _: PeerIndex, to _: ClockMapping) {}
    mutating func noteDelay(of _: PeerIndex, _: FrameStamps, queueing _: Int64, oneWay _: Int64?) {}
}
