import Connections
import ControlPort
import Datagrams
import Foundation
import NIOCore
import NIOHTTP1
import WebFront
import WireProtocol

/// Serves the doctor's page and how its trial stands: one answer a connection.
final class PhoneTrialHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// What the page is told of the device that asks.
    struct State: Hashable, Codable {
        var udp: Bool
        var secondsLeft: Int
    }

    private static let pages = WebPages(folder: nil, game: nil, site: .doctor)
    private let desk: PhoneTrialDesk
    private var hasAnswered = false

    init(_ desk: PhoneTrialDesk) { self.desk = desk }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = unwrapInboundIn(data), !hasAnswered else { return }
        hasAnswered = true
        let request = WebRequest(head, arrival: .loopback)
        let answer = request.path == "/state" ? state(context.channel) : Self.pages.answer(request)
        guard case .whole(var document) = answer else { return context.close(promise: nil) }
        // Only while pages are being written do they come from a folder (`ROOMFUL_PAGES`).
        if let file = document.file { document.body = file.read(from: 0) }
        send(document, withBody: head.method != .HEAD, context)
    }

    private func state(_ channel: any Channel) -> WebAnswer {
        let device = channel.remoteAddress.flatMap { PeerAddress($0) }
        let left = desk.end - .now
        return .json(
            State(
                udp: device.map { desk.trial.hasReached(.udp, $0) } ?? false,
                secondsLeft: max(0, Int(left.components.seconds))))
    }

    private func send(_ document: WebDocument, withBody: Bool, _ context: ChannelHandlerContext) {
        var headers = document.headers
        // Browsers heed it only in a secure context, and complain about it elsewhere.
        headers.remove(name: "cross-origin-opener-policy")
        headers.replaceOrAdd(name: "content-length", value: "\(document.body.readableBytes)")
        headers.replaceOrAdd(name: "connection", value: "close")
        let channel = context.channel
        let head = HTTPResponseHead(version: .http1_1, status: document.status, headers: headers)
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
        if withBody { channel.write(HTTPServerResponsePart.body(.byteBuffer(document.body)), promise: nil) }
        channel.writeAndFlush(HTTPServerResponsePart.end(nil)).whenComplete { _ in channel.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error _: any Error) { context.close(promise: nil) }
}
