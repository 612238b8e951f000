import Foundation
import NIOCore
import NIOEmbedded
import NIOWebSocket
import RoomEngine
import SiteRecords
import Synchronization
import Testing
import WireProtocol

@testable import ControlPort
@testable import Identity
@testable import RoomRecords
@testable import WebFront

@Suite("Commands of one WebSocket", .timeLimit(.minutes(1)))
struct EventSocketTests {
    /// A room whose thread has its turn when the test says so.
    private final class SlowRoom: HostedRoom {
        typealias Reply = @Sendable (Result<RoomAnswer, RoomError>) -> Void

        let name = "Hall"
        let identity = String(repeating: "0f", count: 16)
        private let replies = Mutex<[Reply]>([])

        /// How many commands its thread has in this turn.
        var handedOver: Int { replies.withLock { $0.count } }

        func takeTurn() {
            let due = replies.withLock { replies in
                defer { replies = [] }
                return replies
            }
            for reply in due { reply(.success(.done)) }
        }

        func ask(_: RoomCommand, _ reply: @escaping Reply) -> Bool {
            replies.withLock { $0.append(reply) }
            return true
        }

        func answer(_: OperatorRequest) async throws -> OperatorReply { OperatorReply() }
        func answer(_: HostRequest) async throws -> HostReply { throw RoomError(.closed, "nobody asks") }
        func guide(_: LobbyRequest, from _: PeerAddress?) async -> LobbyAnswer { preconditionFailure("nobody asks") }
        func events(after _: Int?, motion _: Bool) async -> RoomEvents { preconditionFailure("nobody listens") }
        func roomStatus(_: RoomState?) -> RoomStatus { preconditionFailure("nobody asks") }
        func note(_: SiteStanding) {}
        func untilClosed() async {}
        func untilForgotten() async throws {}
    }

    private struct Answer: Decodable { let id: Int }

    /// A game's socket, which has shown its token.
    private static func socket(to room: SlowRoom) async throws -> NIOAsyncTestingChannel {
        let token = AccessToken.random()
        let policy = WebPolicy(
            gameToken: token, operatorToken: .random(), isKnown: { _ in true }, allowedOrigins: [])
        let conversations = Conversations(
            capacity: 8, greeting: RoomGreeting(room: "", name: "Hall", game: nil, policy: "open"), post: { _ in true })
        let site = WebSite(
            room: room, policy: policy, pages: WebPages(folder: nil, game: nil), conversations: conversations)
        let channel = try await NIOAsyncTestingChannel { channel in
            let handler = EventSocketHandler(site: site, conversation: ConversationID(rawValue: 1), arrival: .tls)
            try channel.pipeline.syncOperations.addHandler(handler)
        }
        try await channel.connect(to: SocketAddress(ipAddress: "192.168.1.9", port: 50_000)).get()
        try await say("{\"token\":\"\(token.text)\"}", on: channel)
        return channel
    }

    private static func say(_ json: String, on channel: NIOAsyncTestingChannel) async throws {
        try await channel.writeInbound(WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: json)))
    }

    private static func answers(_ count: Int, on channel: NIOAsyncTestingChannel) async throws -> [Int] {
        var ids: [Int] = []
        while ids.count < count {
            let frame = try await channel.waitForOutboundWrite(as: WebSocketFrame.self)
            ids.append(try JSONDecoder().decode(Answer.self, from: Data(frame.data.readableBytesView)).id)
        }
        return ids
    }

    @Test("Those for the room's thread alone share its turns; one with more to it waits for them, and lets none by")
    func order() async throws {
        let room = SlowRoom()
        let channel = try await Self.socket(to: room)
        for id in 1...3 { try await Self.say("{\"id\":\(id),\"task\":\"play\",\"who\":\"P1\"}", on: channel) }
        try await Self.say("{\"id\":4,\"task\":\"status\"}", on: channel)
        try await Self.say("{\"id\":5,\"task\":\"play\",\"who\":\"P1\"}", on: channel)
        #expect(room.handedOver == 3)
        room.takeTurn()
        let first = try await Self.answers(4, on: channel)
        #expect(first == [1, 2, 3, 4])
        try await until("the last command at the room") { room.handedOver == 1 }
        room.takeTurn()
        let last = try await Self.answers(1, on: channel)
        #expect(last == [5])
        _ = try await channel.finish(acceptAlreadyClosed: true)
    }

    @Test("However many one asks for, it has no more than sixteen of a turn: the others' have their place in it")
    func share() async throws {
        let room = SlowRoom()
        let channel = try await Self.socket(to: room)
        for id in 1...40 { try await Self.say("{\"id\":\(id),\"task\":\"play\",\"who\":\"P1\"}", on: channel) }
        var ids: [Int] = []
        for count in [16, 16, 8] {
            try await until("\(count) commands at the room") { room.handedOver == count }
            room.takeTurn()
            ids += try await Self.answers(count, on: channel)
        }
        #expect(ids == Array(1...40))
        _ = try await channel.finish(acceptAlreadyClosed: true)
    }
}
