import ControlPort
import Datagrams
import Identity
import NIOCore
import NIOHTTP1
import NIOWebSocket
import WireProtocol

/// Reads requests whole, has the site answer them, and writes the answers: one at a time, many on one connection.
final class WebHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// More than any page asks; each costs a look at the disk or at the room.
    private static let requestsPerSecond = 500
    private static let idleLimit: TimeAmount = .seconds(120)

    private let site: WebSite
    private let conversation: ConversationID
    private let arrival: WebArrival
    private let headers: HeaderLimit
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()
    private var isTooLong = false
    private var limit: Scheduled<Void>?
    private var requests = SecondCount(limit: requestsPerSecond)

    init(site: WebSite, connection: PortConnection, headers: HeaderLimit) {
        self.headers = headers
        self.site = site
        conversation = connection.id
        arrival = connection.arrival
    }

    func handlerRemoved(context _: ChannelHandlerContext) { limit?.cancel() }

    func channelInactive(context: ChannelHandlerContext) {
        limit?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            headers.noteProgress()
            self.head = head
            body = ByteBuffer()
            isTooLong = false
            limit?.cancel()
        case .body(var part):
            headers.noteProgress()
            isTooLong = isTooLong || body.readableBytes + part.readableBytes > WebSite.longestBody
            if !isTooLong { body.writeBuffer(&part) }
        case .end:
            headers.noteEnd()
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
        // What was asked behind a stream or a file comes to light when its connection is gone: a second head behind theirs
        // is what NIO ends the program for.
        guard channel.isActive else { return }
        // Who asks on and reads nothing would have the answers pile up here.
        guard channel.isWritable else { return context.close(promise: nil) }
        // NIO takes a WebSocket on a connection's first request alone, and proxies use theirs again.
        let isTooOften = !requests.admit()
        let isRefused = isTooLong || isTooOften
        let keepsAlive =
            head.isKeepAlive && !isRefused && arrival == .tls && !WebRequest.isPassedOn(head.headers)
        let answer =
            isRefused
            ? context.eventLoop.makeSucceededFuture(
                isTooLong
                    ? WebAnswer.refusal(.payloadTooLarge, "tooLong", "A body has at most \(WebSite.longestBody) bytes.")
                    : WebAnswer.refusal(
                        .tooManyRequests, "tooOften", "At most \(Self.requestsPerSecond) requests a second.")
            )
            : site.answer(request, from: conversation, on: context.eventLoop)
        let origins = site.policy.crossOriginHeaders(request)
        let site = site
        let this = NIOLoopBound(self, eventLoop: context.eventLoop)
        answer.assumeIsolated().whenSuccess { answer in
            guard channel.isActive else { return }
            switch answer {
            case .whole(let document):
                let hasBody = head.method != .HEAD && document.status.mayHaveResponseBody
                if hasBody, let file = document.file, file.size > 0 {
                    Self.writeHead(document, adding: origins, to: channel, keepsAlive: keepsAlive)
                    channel.flush()
                    let isSent = site.goOn {
                        await site.transfers.send(file, on: channel)
                        guard keepsAlive else { return channel.close(promise: nil) }
                        channel.eventLoop.execute { this.value.closeIfIdle(channel) }
                    }
                    if !isSent { channel.close(promise: nil) }
                } else {
                    Self.write(document, adding: origins, to: channel, withBody: hasBody, keepsAlive: keepsAlive)
                    this.value.closeIfIdle(channel)
                }
            case .stream(let begin): Self.stream(begin, adding: origins, on: channel)
            }
        }
    }

    private static func writeHead(
        _ document: WebDocument, adding more: HTTPHeaders, to channel: any Channel, keepsAlive: Bool
    ) {
        var headers = document.headers
        headers.add(contentsOf: more)
        if document.status.mayHaveResponseBody {
            headers.replaceOrAdd(name: "content-length", value: "\(document.length)")
        }
        if !keepsAlive { headers.replaceOrAdd(name: "connection", value: "close") }
        if !headers.contains(name: "x-content-type-options") {
            headers.add(name: "x-content-type-options", value: "nosniff")
        }
        let head = HTTPResponseHead(version: .http1_1, status: document.status, headers: headers)
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
    }

    private static func write(
        _ document: WebDocument, adding more: HTTPHeaders, to channel: any Channel, withBody: Bool, keepsAlive: Bool
    ) {
        writeHead(document, adding: more, to: channel, keepsAlive: keepsAlive)
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

    private func closeIfIdle(_ channel: any Channel) {
        guard head == nil else { return }
        limit?.cancel()
        limit = channel.eventLoop.scheduleTask(in: Self.idleLimit) { channel.close(promise: nil) }
    }
}
