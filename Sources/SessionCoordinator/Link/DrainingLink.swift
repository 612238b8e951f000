import WireProtocol

/// A link that has ended, while what was still under way on it may come: copies of its goodbye, and stragglers.
///
/// They are booked in the account that they belong to. They move nobody's seat, path or clock, and are not answered.
struct DrainingLink: Sendable {
    enum Owner: Sendable {
        /// It was the link of a peer that has left.
        case gone(Peer)
        /// The peer of this stay got another link; `run`: which of its program's runs it was. When another has begun
        /// since, nobody's streams go on here, however many links came between.
        case replaced(Link, of: UInt64, at: PeerIndex, run: Int)
    }

    var owner: Owner
    let connection: ConnectionID
    let until: HostTime

    /// How many may drain at once.
    static let most = 1_024
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
