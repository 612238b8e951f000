public import SessionCoordinator
public import WireProtocol

/// Everything that can happen to a room, as values that can be written down.
///
/// The same inputs at the same times give the same outputs, to the byte: tests, simulators, fuzzers and recordings are
/// lists of these.
public enum RoomInput: Hashable, Sendable {
    /// A sealed datagram, as it came from the network; it reached the socket at `arrivedAt`.
    case datagram([UInt8], from: PeerAddress, arrivedAt: HostTime)
    /// An unsealed frame of the paper's format.
    case legacyFrame([UInt8], from: PeerAddress, arrivedAt: HostTime)
    /// A browser's datagram, as it came on its connection.
    case browserDatagram([UInt8], from: ConversationID, arrivedAt: HostTime)
    /// A controller asks for a seat; the material is made fresh for it, whether it gets one or not. `source` is the other
    /// end of its connection.
    case invite(Invitation, from: ConversationID, over: Transport, LinkMaterial, source: PeerAddress?)
    /// A browser says how its own sensor is.
    case sensor(SensorReport, from: ConversationID)
    /// A controller says how many datagrams it sent.
    case status(LinkStatus, from: ConversationID)
    /// A controller says goodbye on its control connection.
    case goodbye(Farewell, from: ConversationID)
    /// A control connection is gone.
    case disconnected(ConversationID)
    /// An operator, a game or a page asks something; exactly one answer goes out under the same id.
    case command(RoomCommand, RequestID)
    /// Whether anybody listens to players' motion.
    case motionIsWanted(Bool)
    /// Nobody reads the batches of this listener any more.
    case listenerIsGone(ListenerID)
    /// Datagrams that were nobody's, of which a recording keeps only the counts.
    case strangers(StrangerCounts)
    /// Time passes.
    case advance
    /// The room closes: everyone is told, and when it means to be open again, if it does.
    case close(backIn: Duration?)
}

/// One question to the engine, as its shell numbers them.
public struct RequestID: Hashable, Sendable {
    /// The shell's own number; no two open questions have the same.
    public var rawValue: UInt64
    /// The question to which the shell gave this number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// Somebody who reads one sensor's motion in batches, as the shell numbers them.
public struct ListenerID: Hashable, Sendable {
    /// The shell's own number; the engine only hands it back.
    public var rawValue: UInt64
    /// The listener to whom the shell gave this number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}
