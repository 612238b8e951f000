import Foundation
import NIOCore
import NIOHTTP1

/// Answers one request and closes.
final class MetricsHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private struct Answer: Sendable {
        var status: HTTPResponseStatus
        var type = "text/plain; charset=utf-8"
        var text: String
    }

    /// The room's thread must answer within this time to count as alive.
    private static let patience: Duration = .seconds(1)
    private let room: Room

    init(_ room: Room) { self.room = room }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let request) = unwrapInboundIn(data) else { return }
        let path = request.uri.split(separator: "?", omittingEmptySubsequences: false).first.map(String.init) ?? ""
        let isGet = request.method == .GET || request.method == .HEAD
        guard isGet, path == "/metrics" || path == "/healthz" else {
            let isKnown = path == "/metrics" || path == "/healthz"
            let answer = Answer(
                status: isKnown ? .methodNotAllowed : .notFound, text: "Here are /metrics and /healthz, by GET.\n")
            return Self.send(answer, to: context.channel, withBody: true)
        }
        let (channel, room) = (context.channel, room)
        let promise = channel.eventLoop.makePromise(of: Answer.self)
        promise.completeWithTask { await Self.answer(path, room) }
        promise.futureResult.whenSuccess { Self.send($0, to: channel, withBody: request.method == .GET) }
    }

    private static func answer(_ path: String, _ room: Room) async -> Answer {
        let status = await withTaskGroup(of: RoomStatus?.self) { group in
            group.addTask { await room.liveStatus() }
            group.addTask {
                try? await Task.sleep(for: patience)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        guard let status else {
            return Answer(status: .serviceUnavailable, text: "the room did not answer within 1 s\n")
        }
        if path == "/healthz" { return Answer(status: .ok, text: "ok\n") }
        return Answer(status: .ok, type: "text/plain; version=0.0.4; charset=utf-8", text: MetricsText.of(status))
    }

    private static func send(_ answer: Answer, to channel: any Channel, withBody: Bool) {
        let body = ByteBuffer(string: answer.text)
        let headers: HTTPHeaders = [
            "content-type": answer.type, "content-length": "\(body.readableBytes)", "connection": "close",
            "cache-control": "no-store", "x-content-type-options": "nosniff",
        ]
        let head = HTTPResponseHead(version: .http1_1, status: answer.status, headers: headers)
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
        if withBody { channel.write(HTTPServerResponsePart.body(.byteBuffer(body)), promise: nil) }
        channel.writeAndFlush(HTTPServerResponsePart.end(nil)).whenComplete { _ in channel.close(promise: nil) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error _: any Error) { context.close(promise: nil) }
}
