import NIOCore
import NIOHTTP1
import NIOWebSocket
import SessionCoordinator

/// Which requests become WebSockets, and who then speaks there.
struct WebUpgrade: Sendable {
    let site: WebSite
    let conversation: ConversationID
    let arrival: WebArrival

    private enum Kind { case native, browser, events }

    var upgrader: NIOWebSocketServerUpgrader {
        NIOWebSocketServerUpgrader(
            maxFrameSize: ControlServer.longestMessage, automaticErrorHandling: true,
            shouldUpgrade: { channel, head in
                channel.eventLoop.makeSucceededFuture(isWelcome(head) ? HTTPHeaders() : nil)
            },
            upgradePipelineHandler: { channel, head in
                channel.eventLoop.makeCompletedFuture { try install(head, on: channel) }
            })
    }

    private func kind(_ head: HTTPRequestHead) -> Kind? {
        switch head.uri.split(separator: "?", maxSplits: 1).first {
        // Browsers name their origin; native controllers have none.
        case "/control": head.headers["origin"].isEmpty ? .native : nil
        case "/api/controller": .browser
        case "/api/events": .events
        default: nil
        }
    }

    private func isWelcome(_ head: HTTPRequestHead) -> Bool {
        let request = WebRequest(head, arrival: arrival)
        switch kind(head) {
        // A native controller has compared the pin by now, and comes by whatever name or address it has.
        case .native: return true
        case .browser: return site.policy.refusal(request, mustNameOrigin: true) == nil
        case .events: return site.policy.refusal(request) == nil
        case nil: return false
        }
    }

    private func install(_ head: HTTPRequestHead, on channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(
            NIOWebSocketFrameAggregator(
                minNonFinalFragmentSize: 1, maxAccumulatedFrameCount: 16,
                maxAccumulatedFrameSize: ControlServer.longestMessage))
        try pipeline.addHandler(HeartbeatHandler())
        switch kind(head) {
        case .native:
            try pipeline.addHandler(
                ControlHandler(conversation: conversation, conversations: site.conversations, transport: .udp))
        case .browser:
            try pipeline.addHandler(
                ControlHandler(conversation: conversation, conversations: site.conversations, transport: .wss))
        case .events:
            try pipeline.addHandler(EventSocketHandler(site: site, conversation: conversation, arrival: arrival))
        case nil: preconditionFailure("only what is welcome is upgraded")
        }
    }
}
