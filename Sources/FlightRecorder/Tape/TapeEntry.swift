package import RoomEngine
package import SessionCoordinator
package import WireProtocol

/// One thing on a tape, in the order in which the room's thread did it.
///
/// What came from the network is kept as it stood when it was **opened**: no key is needed to read it, and none is kept.
package enum TapeEntry: Hashable, Sendable {
    /// A datagram that opened under its link's key, without its tag.
    case datagram([UInt8], from: TapeSource, arrivedAt: HostTime)
    /// A frame of the paper's format; its address is its name in the room.
    case legacyFrame([UInt8], from: PeerAddress, arrivedAt: HostTime)
    case browserDatagram([UInt8], from: ConversationID, arrivedAt: HostTime)
    /// Datagrams that were nobody's: so many, since the last entry.
    case strangers(StrangerCounts)
    /// Any other input.
    case input(RoomInput)
    /// Time passed, feedback left, outputs were taken.
    case turn
    /// The same amid a backlog: what had arrived later was not read yet.
    case turnAmid(heardUntil: HostTime)
    /// What the last turn told of players' motion, as a digest.
    case motions(MotionDigest)
    /// How the room stood when its recording began in the middle of an evening; before everything else on such a
    /// tape, with the four that follow.
    case roomStands(RoomStanding)
    /// What the player of a controller that sat there then brought along; before its seat.
    case brings(PlayerTalents, ControllerID)
    /// How a seat stood then.
    case stands(Standing)
    /// Who waited then for a seat, or for the operator.
    case waits(WaitingStanding)
    /// An invitation of the host's that was open then.
    case offers(OfferStanding)
    /// How a peer's clock stands to the host's: told where the tape does not hold what that was learnt from.
    case clock(ClockMapping, of: PeerIndex)
    /// Here something is missing: no memory was free for it. What follows is exact no more.
    case hole(TapeHole)

    /// Whether outputs were taken.
    package var isTurn: Bool {
        switch self {
        case .turn, .turnAmid: true
        default: false
        }
    }
}

/// Where sealed datagrams came from, as a number: addresses are only ever compared.
package struct TapeSource: Hashable, Sendable {
    package var number: UInt32
    package init(number: UInt32) { self.number = number }

    /// An address that stands for it in a replay: a network of its own in 2001:db8::/32 (RFC 3849), which is nobody's.
    package var address: PeerAddress {
        PeerAddress(high: 0x2001_0DB8_0000_0000 | UInt64(number), low: 1, port: 1)
    }
}

/// What a recording lost, and when.
package struct TapeHole: Hashable, Sendable {
    package var from: HostTime
    package var to: HostTime
    package var entries: UInt64
    package var bytes: UInt64

    package init(from: HostTime, to: HostTime, entries: UInt64, bytes: UInt64) {
        self.from = from
        self.to = to
        self.entries = entries
        self.bytes = bytes
    }
}

extension TapeHole: Taped {
    func write(to pen: inout TapePen) {
        pen.put(from)
        pen.put(to)
        pen.number(entries)
        pen.number(bytes)
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        self.init(
            from: try tape.take(), to: try tape.take(), entries: try tape.number(), bytes: try tape.number())
    }
}
