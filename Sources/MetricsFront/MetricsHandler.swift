import Connections
import NIOCore
import NIOHTTP1
import RoomEngine
import RoomRecords
import Synchronization
import WireProtocol

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
    private static let patience: TimeAmount = .seconds(1)
    private let room: any HostedRoom
    private let isKnown: @Sendable (String) -> Bool
    private var hasAnswered = false

    /// - Parameter isKnown: whether a DNS name, in lower case, is one by which this machine may be asked.
    init(_ room: any HostedRoom, isKnown: @escaping @Sendable (String) -> Bool) {
        self.room = room
        self.isKnown = isKnown
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let request) = unwrapInboundIn(data), !hasAnswered else { return }
        hasAnswered = true
        let path = request.uri.split(separator: "?", omittingEmptySubsequences: false).first.map(String.init) ?? ""
        // A page elsewhere may point a name of its own at this machine, and read what its browser is answered.
        let host = request.headers["host"].count > 1 ? nil : request.headers.first(name: "host")
        guard host.map(isOurs) ?? (request.version.minor == 0) else {
            let answer = Answer(
                status: .misdirectedRequest, text: "Ask by this machine's address, or by --metrics's name.\n")
            return Self.send(answer, to: context.channel, withBody: request.method != .HEAD)
        }
        let isKnown = path == "/metrics" || path == "/healthz"
        guard isKnown, request.method == .GET || request.method == .HEAD else {
            let answer = Answer(
                status: isKnown ? .methodNotAllowed : .notFound, text: "Here are /metrics and /healthz, by GET.\n")
            return Self.send(answer, to: context.channel, withBody: true)
        }
        let (channel, room, withBody) = (context.channel, room, request.method == .GET)
        ask(path == "/healthz" ? .alive : .status(minute: false), on: channel.eventLoop).whenSuccess { answer in
            switch answer {
            case .success(.done)?: Self.send(Answer(status: .ok, text: "ok\n"), to: channel, withBody: withBody)
            case .success(.status(let status))?:
                let text = MetricsText.of(room.roomStatus(status))
                let type = "text/plain; version=0.0.4; charset=utf-8"
                Self.send(Answer(status: .ok, type: type, text: text), to: channel, withBody: withBody)
            case .failure(let error)?:
                let answer = Answer(status: .serviceUnavailable, text: "\(error)\n")
                Self.send(answer, to: channel, withBody: withBody)
            default:
                let answer = Answer(status: .serviceUnavailable, text: "the room did not answer within 1 s\n")
                Self.send(answer, to: channel, withBody: withBody)
            }
        }
    }

    private func isOurs(_ host: String) -> Bool {
        guard let name = Endpoint.name(ofHost: host) else { return false }
        return name == "localhost" || PeerAddress(host: name, port: 0) != nil || isKnown(name)
    }

    /// What the room's thread answers, or `nil` when it does not within the time: whoever waits for a thread that hangs
    /// must not hang with it.
    private func ask(
        _ command: RoomCommand, on loop: any EventLoop
    ) -> EventLoopFuture<Result<RoomAnswer, RoomError>?> {
        let promise = loop.makePromise(of: Result<RoomAnswer, RoomError>?.self)
        let race = Race()
        let limit = loop.scheduleTask(in: Self.patience) { if race.isFirst() { promise.succeed(nil) } }
        let isPosted = room.ask(command) { result in
            guard race.isFirst() else { return }
            limit.cancel()
            promise.succeed(result)
        }
        if !isPosted, race.isFirst() {
            limit.cancel()
            promise.succeed(nil)
        }
        return promise.futureResult
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

    func errorCaught(context: ChannelHandlerContext, error _: any Error) { context.close(promise: nil) }
}

/// Lets one of several go first, and only one.
private final class Race: Sendable {
    private let isDecided = Mutex(false)

    func isFirst() -> Bool {
        isDecided.withLock { isDecided in
            defer { isDecided = true }
            return !isDecided
        }
    }
}
