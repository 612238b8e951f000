package import NIOCore
package import RoomEngine
package import WireProtocol

/// What control connections hand to the room.
package enum ControlInput: Sendable {
    /// An input of the engine's, as it is; in a place of its own, as thousands of datagrams a second pass by it.
    indirect case input(RoomInput)
    /// A browser's datagram where it lies, stamped where it arrived.
    case datagram(ByteBuffer, ConversationID, arrivedAt: HostTime)
}
