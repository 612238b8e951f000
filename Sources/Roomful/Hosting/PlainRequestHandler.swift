import NIOCore
import NIOHTTP1

/// Answers whoever comes by plain HTTPS: there is no page here yet, only the way in for native controllers.
final class PlainRequestHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// What the pipeline calls it.
    static let name = "roomful.plain"

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let request) = unwrapInboundIn(data) else { return }
        let isControl = request.uri == "/control"
        let text =
            isControl
            ? "This is the way in for native controllers (WebSocket, without an Origin).\n"
            : "This is a Roomful room. Join it with: roomful join NAME\n"
        let status: HTTPResponseStatus = isControl ? .forbidden : .notFound
        let body = ByteBuffer(string: text)
        let headers: HTTPHeaders = [
            "content-type": "text/plain; charset=utf-8", "content-length": "\(body.readableBytes)",
            "connection": "close", "x-content-type-options": "nosniff",
        ]
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error _: any Error) { context.close(promise: nil) }
}
