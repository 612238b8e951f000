import Foundation
import NIOCore
import NIOEmbedded
import NIOHTTP1
import RoomEngine
import Synchronization
import Testing
import WireProtocol

@testable import ControlPort
@testable import WebFront

@Suite("Sessions of browsers that POST")
struct PostSessionTests {
    private static let capacity = 16

    /// The room, which hears of invitations.
    private final class Asked: Sendable {
        private let conversations = Mutex<[ConversationID]>([])
        var last: ConversationID? { conversations.withLock { $0.last } }

        func take(_ input: ControlInput) -> Bool {
            if case .input(.invite(_, let conversation, _, _, _)) = input {
                conversations.withLock { $0.append(conversation) }
            }
            return true
        }
    }

    private func connect(_ host: String, to conversations: Conversations) throws -> ConversationID {
        let channel = EmbeddedChannel()
        try channel.connect(to: SocketAddress(ipAddress: host, port: 50_000)).wait()
        return try #require(conversations.admit(channel))
    }

    private func request(_ uri: String, _ headers: HTTPHeaders = [:], _ body: String = "") -> WebRequest {
        WebRequest(
            HTTPRequestHead(version: .http1_1, method: .POST, uri: uri, headers: headers),
            body: ByteBuffer(string: body), arrival: .tls)
    }

    @Test(
        "A seated session's newest six connections give way to nobody, until it ends; its others do from the beginning")
    func connections() throws {
        let asked = Asked()
        let conversations = Conversations(
            capacity: Self.capacity, greeting: RoomGreeting(room: "", name: "Hall", game: nil, policy: "open"),
            post: { asked.take($0) })
        let posts = PostSessions(conversations)
        let first = try connect("192.168.1.9", to: conversations)
        guard case .whole(let document) = posts.open(on: first) else { return #expect(Bool(false)) }
        let ids = try JSONDecoder().decode([String: String].self, from: Data(document.body.readableBytesView))
        let (secret, id) = try (#require(ids["session"]), #require(ids["stream"]))
        let stream = EmbeddedChannel()
        try stream.connect(to: SocketAddress(ipAddress: "192.168.1.9", port: 50_001)).wait()
        try stream.pipeline.syncOperations.configureHTTPServerPipeline()
        let held = try #require(conversations.admit(stream))
        guard case .stream(let begin) = posts.stream(request("/api/controller/stream?stream=\(id)"), on: held) else {
            return #expect(Bool(false))
        }
        try stream.writeInbound(ByteBuffer(string: "GET /api/controller/stream HTTP/1.1\r\nHost: room\r\n\r\n"))
        stream.write(HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok)), promise: nil)
        begin(stream)

        let invitation = Invitation(
            controller: String(repeating: "0", count: 32), process: String(repeating: "0", count: 16), name: "Blue",
            streams: [StreamOffer(StreamDeclaration())], haptics: false)
        let json = String(decoding: try JSONEncoder().encode(ControlMessage.invite(invitation)), as: UTF8.self)
        let own: HTTPHeaders = ["roomful-session": secret]
        _ = posts.take(request("/", ["roomful-session": secret, "content-type": "application/json"], json), on: first)
        let conversation = try #require(asked.last)
        #expect(conversations.source(of: conversation) != nil)
        conversations.say(
            .seated(
                Seated(
                    seat: 1, player: 1, color: "000000", name: "Blue",
                    link: LinkGrant(port: 1, connection: 1, suite: nil, motionKey: "", feedbackKey: ""), secret: "",
                    continues: false, idle: 1, grace: 1)), to: conversation)

        let connections = try (0..<12).map { _ in try connect("192.168.1.9", to: conversations) }
        for connection in connections { _ = posts.take(request("/", own), on: connection) }
        func left() -> [Bool] { connections.map { conversations.source(of: $0) != nil } }
        for other in 0..<40 { _ = try connect("192.168.2.\(other)", to: conversations) }
        #expect(left() == Array(repeating: false, count: 6) + Array(repeating: true, count: 6))
        // Its stream ends, and with it the session.
        stream.close(promise: nil)
        stream.embeddedEventLoop.run()
        #expect(posts.take(request("/", own), on: connections[11]).isRefusal)
        for other in 0..<40 { _ = try connect("192.168.2.\(other)", to: conversations) }
        #expect(left() == Array(repeating: false, count: 12))
    }
}

extension WebAnswer {
    fileprivate var isRefusal: Bool {
        if case .whole(let document) = self { document.status.code >= 400 } else { false }
    }
}
