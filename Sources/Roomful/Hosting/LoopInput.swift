import InputMerge
import NIOCore
import SessionCoordinator
import WireProtocol

/// What other threads ask of the one that owns the room. Nothing else ever reaches it but datagrams and time.
enum LoopInput: Sendable {
    case invite(Invitation, ConversationID, over: Transport, LinkMaterial)
    /// A browser's datagram, stamped where it arrived.
    case datagram(ByteBuffer, ConversationID, arrivedAt: HostTime)
    case sensor(SensorReport, ConversationID)
    case disconnected(ConversationID)
    case status(LinkStatus, ConversationID)
    case goodbye(Farewell, ConversationID)
    case command(RoomCommand, @Sendable (Result<RoomAnswer, RoomError>) -> Void)
    case close
}

/// What an operator or a game may ask.
enum RoomCommand: Hashable, Sendable {
    /// Whether the loop turns at all.
    case alive
    case status(minute: Bool)
    case peers(String?, minute: Bool)
    case departed
    case frames(String?)
    case offer(OfferTerms)
    case endOffer(OfferID, Refusal)
    case accept(String?)
    case decline(String?, message: String?)
    case kick(String, message: String?)
    case lock
    case unlock
    case identify(String)
    case rezero(String)
    case move(String, seat: Int)
    case swap(String, String)
    case rename(String, to: String)
    case play(String, intensity: Double, sharpness: Double, duration: Duration, answering: String?)
    case send([UInt8], String)
    case sendNewest([UInt8], channel: UInt8, String)
    case hello
    case motion(of: Int)
    case teaching(TeachingCommand)
    case deliver(MotionDelivery, of: String, stream: StreamID, to: AsyncStream<MotionBatch>.Continuation)
}

/// What the loop answers.
enum RoomAnswer: Sendable {
    case done
    case peers([PeerStatus])
    case latency([PeerLatency])
    case status(LoopStatus)
    case players([RoomEvent.Player])
    case motion(RoomEvent.Motion?)
    case taught([TaughtSummary])
    /// The one that stands now.
    case offer(OfferID)
}

/// The part of a room's status that its loop knows.
struct LoopStatus: Sendable {
    var freeSeats: Int
    var isLocked: Bool
    var peers: [PeerStatus]
    var waiting: [String]
    var strangers: RoomStatus.Strangers
}
