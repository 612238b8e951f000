package import ControlPort
package import NIOCore
package import NIOHTTP1
import WireProtocol

/// The site at the room's port: requests, and the WebSockets of browsers and games.
extension WebSite: PortFront {
    private enum Kind { case browser, events }

    package func requests(on connection: PortConnection, headers: HeaderLimit)
        -> any ChannelInboundHandler & RemovableChannelHandler
    {
        WebHandler(site: self, connection: connection, headers: headers)
    }

    package func welcomes(_ head: HTTPRequestHead, on connection: PortConnection) -> Bool {
        let request = WebRequest(head, arrival: connection.arrival)
        switch Self.kind(head) {
        case .browser: return policy.refusal(request, mustNameOrigin: true) == nil
        case .events: return policy.refusal(request) == nil
        case nil: return false
        }
    }

    package func begin(
        _ head: HTTPRequestHead, on connection: PortConnection, _ pipeline: ChannelPipeline.SynchronousOperations
    ) throws {
        switch Self.kind(head) {
        case .browser: try ControlHandler(connection, transport: .wss).begin(on: pipeline)
        case .events:
            try pipeline.addHandler(
                EventSocketHandler(
                    site: self, conversation: connection.id,
                    arrival: WebRequest(head, arrival: connection.arrival).arrival))
        case nil: preconditionFailure("only what is welcome is upgraded")
        }
    }

    private static func kind(_ head: HTTPRequestHead) -> Kind? {
        switch head.uri.split(separator: "?", maxSplits: 1).first {
        case "/api/controller": .browser
        case "/api/events": .events
        default: nil
        }
    }
}
