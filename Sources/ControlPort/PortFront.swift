package import NIOCore
package import NIOHTTP1
package import WireProtocol

/// One connection to the room's port, as whoever answers on it knows it.
package struct PortConnection: Sendable {
    package let id: ConversationID
    package let arrival: WebArrival
    package let conversations: Conversations

    package init(id: ConversationID, arrival: WebArrival, conversations: Conversations) {
        self.id = id
        self.arrival = arrival
        self.conversations = conversations
    }
}

/// What answers at a room's port beside the room's own way in for native controllers: pages, games, browsers.
///
/// It is given to the port when that opens, so a port without a front never stands open.
package protocol PortFront: Sendable {
    /// Takes a connection's requests, from the first on, and answers them; it goes when a WebSocket begins.
    ///
    /// - Parameter headers: stands before the parser, and is to be told what has become whole.
    func requests(on connection: PortConnection, headers: HeaderLimit)
        -> any ChannelInboundHandler & RemovableChannelHandler

    /// Whether a request may become a WebSocket. What is not welcome is answered as a request.
    func welcomes(_ head: HTTPRequestHead, on connection: PortConnection) -> Bool

    /// Takes a WebSocket over that was welcome. Called on the channel's loop; frames come whole.
    func begin(
        _ head: HTTPRequestHead, on connection: PortConnection, _ pipeline: ChannelPipeline.SynchronousOperations)
        throws
}
