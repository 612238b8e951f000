import ControlPort
import Datagrams
import Foundation
import Identity
import NIOCore
import NIOEmbedded
import RoomEngine
import RoomRecords
import SessionCoordinator
import SiteRecords
import WireProtocol

@testable import WebFront

/// One connection to a room's port, in memory: the real pipeline, the real site, the real engine. No token is known to
/// the other side, as none can be guessed.
final class FuzzedSite {
    /// Where a reading of the socket ends: bytes come in any pieces.
    private static let seam = Array("¦".utf8)

    /// As TLS does: an end takes a while, and until then anything may still be said.
    private final class SlowEnd: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        /// From now on it ends at once.
        var isHurried = false

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            guard !isHurried else { return context.close(mode: mode, promise: promise) }
            let context = NIOLoopBound(context, eventLoop: context.eventLoop)
            context.value.eventLoop.scheduleTask(in: .milliseconds(500)) {
                context.value.close(mode: mode, promise: promise)
            }
        }
    }

    private let end: SlowEnd
    private let channel: EmbeddedChannel
    private let desk: FuzzedDesk
    private let conversations: Conversations
    private let site: WebSite

    init(arrival: WebArrival) {
        end = SlowEnd()
        channel = EmbeddedChannel(handler: end)
        let desk = FuzzedDesk()
        self.desk = desk
        conversations = Conversations(
            capacity: 8,
            greeting: RoomGreeting(room: String(repeating: "0f", count: 16), name: "Fuzz", game: nil, policy: "open"),
            post: { desk.take($0) })
        let policy = WebPolicy(
            gameToken: .random(), operatorToken: .random(), isKnown: { $0 == "games.local" },
            allowedOrigins: ["http://localhost:5173"])
        site = WebSite(
            room: NoRoom(), policy: policy, pages: WebPages(folder: nil, game: "keepcalm"), conversations: conversations
        )
        guard let stranger = try? SocketAddress(ipAddress: "192.168.1.9", port: 50_000),
            (try? channel.connect(to: stranger).wait()) != nil, let id = conversations.admit(channel)
        else { preconditionFailure("the first connection is refused") }
        let connection = PortConnection(id: id, arrival: arrival, conversations: conversations)
        guard (try? ControlServer.speakHTTP(on: channel, as: connection, site)) != nil else {
            preconditionFailure("a pipeline cannot be made")
        }
    }

    /// Says all this, and waits for what comes of it.
    ///
    /// - Returns: what the room said.
    @discardableResult
    func hear(_ bytes: [UInt8]) -> [UInt8] {
        var answers: [UInt8] = []
        for piece in Self.pieces(of: bytes) {
            guard channel.isActive else { break }
            _ = try? channel.writeInbound(ByteBuffer(bytes: filled(piece, from: answers)))
            desk.turn(conversations)
            OwnThread.run()
            channel.embeddedEventLoop.run()
            while let answer = try? channel.readOutbound(as: ByteBuffer.self) { answers += answer.readableBytesView }
            precondition(answers.count < 4 << 20, "a few kilobytes are answered with megabytes")
        }
        channel.embeddedEventLoop.advanceTime(by: .seconds(130))
        desk.turn(conversations)
        precondition(answers.isEmpty || answers.starts(with: Array("HTTP/1.1 ".utf8)), "an answer that is none")
        end.isHurried = true
        _ = try? channel.finish(acceptAlreadyClosed: true)
        channel.embeddedEventLoop.run()
        return answers
    }

    private static func pieces(of bytes: [UInt8]) -> [[UInt8]] {
        var pieces: [[UInt8]] = [[]]
        var place = 0
        while place < bytes.count {
            if bytes[place...].starts(with: seam), pieces.count < 64 {
                pieces.append([])
                place += seam.count
            } else {
                pieces[pieces.count - 1].append(bytes[place])
                place += 1
            }
        }
        return pieces
    }

    /// The piece with what only an answer could tell: the newest session's secret in place of `{S}`, its stream's id in
    /// place of `{I}`.
    private func filled(_ piece: [UInt8], from answers: [UInt8]) -> [UInt8] {
        guard piece.contains(UInt8(ascii: "{")) else { return piece }
        let said = String(decoding: answers, as: UTF8.self)
        var text = piece
        for (name, key) in [("{S}", "\"session\":\""), ("{I}", "\"stream\":\"")] {
            guard let place = said.range(of: key, options: .backwards) else { continue }
            let value = said[place.upperBound...].prefix { $0 != "\"" }
            while let range = text.firstRange(of: Array(name.utf8)) { text.replaceSubrange(range, with: value.utf8) }
        }
        return text
    }
}

/// Stands behind the site where it would ask the room; without a token it never does.
private struct NoRoom: HostedRoom {
    let name = "Fuzz"
    let identity = String(repeating: "0f", count: 16)

    func answer(_: OperatorRequest) async throws -> OperatorReply {
        preconditionFailure("a stranger's command got through")
    }
    func answer(_: HostRequest) async throws -> HostReply { preconditionFailure("a stranger speaks as a host") }
    /// Anyone may ask the lobby.
    func guide(_: LobbyRequest, from _: PeerAddress?) async -> LobbyAnswer {
        LobbyAnswer(wait: LobbyAnswer.Wait(place: 1, rooms: 1, again: 1_000))
    }

    func events(after _: Int?, motion _: Bool) async -> RoomEvents {
        preconditionFailure("a stranger follows the events")
    }
    func ask(_: RoomCommand, _: @escaping @Sendable (Result<RoomAnswer, RoomError>) -> Void) -> Bool { false }
    func roomStatus(_: RoomState?) -> RoomStatus { preconditionFailure("a stranger sees the room") }
    func note(_: SiteStanding) {}
    func untilClosed() async {}
    func untilForgotten() async throws { preconditionFailure("a stranger stops the room") }
}
