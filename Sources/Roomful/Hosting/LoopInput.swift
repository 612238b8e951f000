import NIOCore
import RoomEngine
import SessionCoordinator
import WireProtocol

/// What other threads hand to the one that owns the room. Nothing else ever reaches it but datagrams and time.
enum LoopInput: Sendable {
    /// An input of the engine's, as it is.
    case input(RoomInput)
    /// A browser's datagram where it lies, stamped where it arrived.
    case datagram(ByteBuffer, ConversationID, arrivedAt: HostTime)
    /// A question, and whom to tell the answer.
    case command(RoomCommand, @Sendable (Result<RoomAnswer, RoomError>) -> Void)
    case close
}
