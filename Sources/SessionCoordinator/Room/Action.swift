public import WireProtocol

/// What the shell is to do, in order. Each action stands alone; nothing to do is an empty list.
public enum Action: Hashable, Sendable {
    /// Say this on the control connection.
    case answer(ConversationID, ControlMessage)
    /// Close the control connection once everything said there has left.
    case close(ConversationID)
    /// Commit these changes to disk, then say this (a seat is answered only once it is safe).
    case commit([LeaseChange], thenAnswer: ConversationID?, ControlMessage?)
    /// This peer's samples drive these players from now on; none when it left.
    case assign(PeerIndex, [PlayerNumber])
    /// A program that the host does not know speaks for this peer from now on: what was learnt of its streams and of
    /// its clock is void. Its players stay.
    case restart(PeerIndex)
    /// Something that a game or an operator wants to know.
    case occurred(Occurrence, at: HostTime)
    /// The player asks that the way the controller is held now be straight ahead.
    case rezero(PeerIndex)
    /// The controller's own program says something to the game, reliably.
    case message(PeerIndex, [UInt8])
    /// The same, newest wins.
    case data(PeerIndex, channel: UInt8, [UInt8])
    /// The host's invitation to an idle controller has ended.
    case offerEnded(OfferID, OfferOutcome)
}

/// One control connection, as the shell numbers them.
public struct ConversationID: Hashable, Sendable {
    public var rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// What happens in a room, in the words of the event schema.
public enum Occurrence: Hashable, Sendable {
    case player(PlayerChange)
    case link(LinkChange)
    case haptic(HapticOutcome)
    case room(RoomChange)
    /// An invitation waits for the operator.
    case asking(controller: ControllerID, name: String)

    public struct PlayerChange: Hashable, Sendable {
        public enum State: String, Hashable, Sendable, Codable { case joined, lost, back, left, renamed }
        public var state: State
        public var player: PlayerNumber
        public var peer: PeerIndex
        public var name: String
        /// 0xRRGGBB.
        public var color: UInt32
    }

    public struct LinkChange: Hashable, Sendable {
        public enum State: String, Hashable, Sendable, Codable { case good, poor, silent }
        public var state: State
        public var player: PlayerNumber
        public var peer: PeerIndex
        /// The stream from which nothing comes, or something again, while the link as a whole lives; `nil` when the link
        /// itself changed.
        public var stream: StreamID?
        public var transport: Transport
        /// One-way delay of the last datagram in nanoseconds; `nil` while the clock is `none`.
        public var delay: Int64?
        /// `nil` where nothing is numbered, so that nobody can know.
        public var samplesMissing: UInt64?
        public var datagramsMissing: UInt64?
    }

    public struct HapticOutcome: Hashable, Sendable {
        public enum Outcome: Hashable, Sendable {
            /// At this moment on the host's clock, mapped from the controller's, ± ns; `nil` while its clock is not known:
            /// then it is the moment at which the receipt came.
            case played(at: HostTime, uncertaintyNanoseconds: Int64?)
            case refused(HapticReceipt.Refusal)
            /// No receipt came before the seat was given up.
            case lost
        }
        public var id: UInt32
        public var player: PlayerNumber
        public var peer: PeerIndex
        /// When the command first left the host; `nil` when it never did.
        public var sentAt: HostTime?
        public var outcome: Outcome
    }

    public enum RoomChange: String, Hashable, Sendable, Codable { case locked, unlocked, closing }
}
