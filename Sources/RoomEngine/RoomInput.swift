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
    /// A controller asks for a seat; the material is made fresh for it, whether it gets one or not.
    case invite(Invitation, from: ConversationID, over: Transport, LinkMaterial)
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
    /// Time passes.
    case advance
    /// The room closes: everyone is told.
    case close
}

/// One question to the engine, as its shell numbers them.
public struct RequestID: Hashable, Sendable {
    public var rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// Somebody who reads one sensor's motion in batches, as the shell numbers them.
public struct ListenerID: Hashable, Sendable {
    public var rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}
