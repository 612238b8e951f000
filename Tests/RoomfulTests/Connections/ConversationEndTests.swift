import NIOCore
import RoomEngine
import SessionCoordinator
import Synchronization
import Testing
import WireProtocol

@testable import ControlPort

@Suite("What the room hears of control connections")
struct ConversationEndTests {
    private struct NoLine: ConversationLine {
        func say(_: ControlMessage) {}
        func send(_: ByteBuffer) {}
        func close() {}
        func drop() async {}
    }

    /// What was posted, as words.
    private final class Post: Sendable {
        private let words = Mutex<[String]>([])
        var all: [String] { words.withLock { $0 } }

        func take(_ input: ControlInput) -> Bool {
            let word =
                switch input {
                case .input(let input):
                    switch input {
                    case .invite: "invite"
                    case .disconnected: "end"
                    default: "other"
                    }
                case .datagram: "datagram"
                }
            words.withLock { $0.append(word) }
            return true
        }
    }

    private static let invitation = ControlMessage.invite(
        Invitation(
            controller: String(repeating: "0", count: 32), process: String(repeating: "0", count: 16), name: "Blue",
            streams: [StreamOffer(StreamDeclaration())], haptics: false))

    private func conversations(_ post: Post, absence: String? = nil) -> Conversations {
        Conversations(
            capacity: 8, greeting: RoomGreeting(room: "", name: "Hall", game: nil, policy: "open"),
            absence: { absence }, post: { post.take($0) })
    }

    @Test("Of a connection on which nobody asked for a seat it hears nothing, not even its end")
    func ends() throws {
        let post = Post()
        let conversations = conversations(post)
        for _ in 0..<1_000 { conversations.forget(try #require(conversations.begin(NoLine()))) }
        #expect(post.all.isEmpty)
        let asked = try #require(conversations.begin(NoLine()))
        #expect(conversations.heard(Self.invitation, from: asked, over: .udp) == nil)
        conversations.forget(asked)
        conversations.forget(asked)
        #expect(post.all == ["invite", "end"])
    }

    @Test("While the room is not this host's it hears of nobody, and all are told why")
    func absent() throws {
        let post = Post()
        let conversations = conversations(post, absence: "Not mine.")
        let told = ControlMessage.refused(Refusal(.closing, message: "Not mine.", retryAfter: 2_000))
        #expect(conversations.greeting == told)
        let asked = try #require(conversations.begin(NoLine()))
        #expect(conversations.heard(Self.invitation, from: asked, over: .udp) == told)
        conversations.forget(asked)
        #expect(post.all.isEmpty)
    }
}
