import NIOCore
import NIOHTTP1
import NIOWebSocket
import SessionCoordinator

/// Reads requests whole, has the site answer them, and writes the answers: one at a time, many on one connection.
final class WebHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// What the pipeline calls it.
    static let name = "roomful.web"
    /// A request must be whole by then, whatever trickles in.
    private static let requestLimit: TimeAmount = .seconds(10)
    private static let idleLimit: TimeAmount = .seconds(120)

    private let site: WebSite
    private let conversation: ConversationID
    private let arrival: WebArrival
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()
    private var isTooLong = false
    private var limit: Scheduled<Void>?

    init(site: WebSite, conversation: ConversationID, arrival: WebArrival) {
        self.site = site
        self.conversation = conversation
        self.arrival = arrival
    }

    func handlerRemoved(context _: ChannelHandlerContext) { limit?.cancel() }

    func channelInactive(context: ChannelHandlerContext) {
        limit?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body = ByteBuffer()
            isTooLong = false
            closeUnlessDone(in: Self.requestLimit, context)
        case .body(var part):
            isTooLong = isTooLong || body.readableBytes + part.readableBytes > WebSite.longestBody
            if !isTooLong { body.writeBuffer(&part) }
        case .end:
            guard let head else { return }
            self.head = nil
            limit?.cancel()
            site.conversations.opened(conversation)
            answer(head, context)
        }
    }

    /// A WebSocket that is not welcome is still a request, and is answered as one.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if !(error is NIOWebSocketUpgradeError) { context.close(promise: nil) }
    }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let request = WebRequest(head, body: body, arrival: arrival)
        body = ByteBuffer()
        let channel = context.channel
        // Who asks on and reads nothing would have the answers pile up here.
        guard channel.isWritable else { return context.close(promise: nil) }
        // NIO takes a WebSocket on a connection's first request alone, and proxies use theirs again.
        let isProxied = ["via", "forwarded", "x-forwarded-for"].contains { head.headers.contains(name: $0) }
        let keepsAlive = head.isKeepAlive && !isTooLong && arrival == .tls && !isProxied
        let answer =
            isTooLong
            ? context.eventLoop.makeSucceededFuture(
                WebAnswer.refusal(.payloadTooLarge, "tooLong", "A body has at most \(WebSite.longestBody) bytes."))
            : site.answer(request, from: conversation, on: context.eventLoop)
        let origins = site.policy.crossOriginHeaders(request)
        let this = NIOLoopBound(self, eventLoop: context.eventLoop)
        answer.assumeIsolated().whenSuccess { answer in
            switch answer {
            case .whole(let document):
                let hasBody = head.method != .HEAD && document.status.mayHaveResponseBody
                Self.write(document, adding: origins, to: channel, withBody: hasBody, keepsAlive: keepsAlive)
                this.value.closeIfIdle(channel)
            case .stream(let begin): Self.stream(begin, adding: origins, on: channel)
            }
        }
    }

    private static func write(
        _ document: WebDocument, adding more: HTTPHeaders, to channel: any Channel, withBody: Bool, keepsAlive: Bool
    ) {
        var headers = document.headers
        headers.add(contentsOf: more)
        if document.status.mayHaveResponseBody {
            headers.replaceOrAdd(name: "content-length", value: "\(document.body.readableBytes)")
        }
        if !keepsAlive { headers.replaceOrAdd(name: "connection", value: "close") }
        if !headers.contains(name: "x-content-type-options") {
            headers.add(name: "x-content-type-options", value: "nosniff")
        }
        let head = HTTPResponseHead(version: .http1_1, status: document.status, headers: headers)
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
        if withBody, document.body.readableBytes > 0 {
            channel.write(HTTPServerResponsePart.body(.byteBuffer(document.body)), promise: nil)
        }
        let isWritten = channel.writeAndFlush(HTTPServerResponsePart.end(nil))
        if !keepsAlive { isWritten.whenComplete { _ in channel.close(promise: nil) } }
    }

    private static func stream(
        _ begin: @Sendable (any Channel) -> Void, adding more: HTTPHeaders, on channel: any Channel
    ) {
        var headers: HTTPHeaders = [
            "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store", "x-accel-buffering": "no",
            "x-content-type-options": "nosniff",
        ]
        headers.add(contentsOf: more)
        let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: headers)
        channel.writeAndFlush(HTTPServerResponsePart.head(head), promise: nil)
        begin(channel)
    }

    private func closeUnlessDone(in time: TimeAmount, _ context: ChannelHandlerContext) {
        limit?.cancel()
        let channel = context.channel
        limit = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }

    private func closeIfIdle(_ channel: any Channel) {
        guard head == nil else { return }
        limit?.cancel()
        limit = channel.eventLoop.scheduleTask(in: Self.idleLimit) { channel.close(promise: nil) }
    }
}
