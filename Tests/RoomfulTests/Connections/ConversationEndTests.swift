import NIOCore
import NIOEmbedded
import RoomEngine
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

    /// What was said, as words.
    private final class KeptLine: ConversationLine {
        private let words = Mutex<[String]>([])
        var all: [String] { words.withLock { $0 } }

        func say(_ message: ControlMessage) {
            words.withLock { words in
                switch message {
                case .refused(let refusal): words.append(refusal.reason.rawValue)
                case .seated(let seated): words.append(seated.recorded == true ? "seated, recorded" : "seated")
                case .recording(let notice): words.append(notice.recorded ? "recorded" : "not recorded")
                default: words.append(message.type)
                }
            }
        }
        func send(_: ByteBuffer) {}
        func close() { words.withLock { $0.append("end") } }
        func drop() async {}
    }

    /// What was posted, as words.
    private final class Post: Sendable {
        private let words = Mutex<[String]>([])
        var all: [String] { words.withLock { $0 } }
        private let places = Mutex<[PeerAddress?]>([])
        /// Where invitations came from.
        var sources: [PeerAddress?] { places.withLock { $0 } }

        func take(_ input: ControlInput) -> Bool {
            if case .input(.invite(_, _, _, _, let source)) = input { places.withLock { $0.append(source) } }
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

    /// A connection from 192.168.1.9.
    private func connect(to conversations: Conversations) throws -> ConversationID {
        let channel = EmbeddedChannel()
        try channel.connect(to: SocketAddress(ipAddress: "192.168.1.9", port: 50_000)).wait()
        return try #require(conversations.admit(channel))
    }

    @Test("Of a connection on which nobody asked for a seat it hears nothing, not even its end")
    func ends() throws {
        let post = Post()
        let conversations = conversations(post)
        let connection = try connect(to: conversations)
        for _ in 0..<1_000 { conversations.forget(try #require(conversations.begin(NoLine(), on: connection))) }
        #expect(post.all.isEmpty)
        let asked = try #require(conversations.begin(NoLine(), on: connect(to: conversations)))
        #expect(conversations.heard(Self.invitation, from: asked, over: .udp) == nil)
        conversations.forget(asked)
        conversations.forget(asked)
        #expect(post.all == ["invite", "end"])
    }

    @Test("Who has a seat hears that a recording begins or ends, once; who gets one meanwhile hears it with that")
    func recorded() throws {
        let conversations = conversations(Post())
        let lines = [KeptLine(), KeptLine(), KeptLine()]
        let connection = try connect(to: conversations)
        let seats = try lines.map { try #require(conversations.begin($0, on: connection)) }
        let seated = ControlMessage.seated(
            Seated(
                seat: 1, player: 1, color: "#000000", name: "Blue",
                link: LinkGrant(port: 1, connection: 1, suite: nil, motionKey: "", feedbackKey: ""), secret: "",
                continues: false, idle: 1, grace: 1))
        conversations.say(seated, to: seats[0])
        for isRecorded in [true, true] { conversations.tell(isRecorded: isRecorded) }
        conversations.say(seated, to: seats[1])
        conversations.tell(isRecorded: false)
        conversations.say(seated, to: seats[2])
        #expect(lines[0].all == ["seated", "recorded", "not recorded"])
        #expect(lines[1].all == ["seated, recorded", "not recorded"])
        #expect(lines[2].all == ["seated"])
    }

    @Test("While the room is not this host's it hears of nobody, and all are told why")
    func absent() throws {
        let post = Post()
        let conversations = conversations(post, absence: "Not mine.")
        let told = ControlMessage.refused(Refusal(.closing, message: "Not mine.", retryAfter: 2_000))
        #expect(conversations.greeting == told)
        let asked = try #require(conversations.begin(NoLine(), on: connect(to: conversations)))
        #expect(conversations.heard(Self.invitation, from: asked, over: .udp) == told)
        conversations.forget(asked)
        #expect(post.all.isEmpty)
    }

    @Test("Who has no connection of its own comes from where it was asked for, before its stream is open and after")
    func source() throws {
        let post = Post()
        let conversations = conversations(post)
        let connection = try connect(to: conversations)
        let asked = try #require(conversations.begin(NoLine(), on: connection))
        conversations.forget(connection)
        #expect(conversations.begin(NoLine(), on: connection) == nil, "nobody knows where it comes from")
        #expect(conversations.heard(Self.invitation, from: asked, over: .post) == nil)
        #expect(post.sources == [PeerAddress(ipv4: 0xC0A8_0109, port: 50_000)])
    }

    @Test("Who was trusted gives way again once that has ended; where nobody does, this machine's own still come in")
    func places() throws {
        let conversations = conversations(Post())
        func connect(_ host: String) -> ConversationID? {
            let channel = EmbeddedChannel()
            try? channel.connect(to: SocketAddress(ipAddress: host, port: 50_000)).wait()
            return conversations.admit(channel)
        }
        let all = try (0..<8).map { _ in try #require(connect("192.168.1.9")) }
        for one in all { conversations.trust(one) }
        #expect(connect("192.168.1.8") == nil && conversations.begin(NoLine(), on: all[0]) == nil)
        conversations.trust(try #require(connect("127.0.0.1")))
        conversations.distrust(all[3])
        #expect(connect("192.168.1.8") != nil)
        #expect(conversations.source(of: all[3]) == nil && conversations.source(of: all[2]) != nil)
    }

    @Test("What has asked for no seat yet gives way, and nothing gives way to what itself asks for")
    func unasked() throws {
        let conversations = conversations(Post())
        let connection = try connect(to: conversations)
        let lines = try (0..<40).map { _ in
            let line = KeptLine()
            _ = try #require(conversations.begin(line, on: connection))
            return line
        }
        #expect(lines.count { $0.all == ["end"] } == 40 - 7 && conversations.source(of: connection) != nil)
    }

    @Test("An invitation that is POSTed again, as its answer was lost, is the same; any other second one is refused")
    func postedAgain() throws {
        let post = Post()
        let conversations = conversations(post)
        let connection = try connect(to: conversations)
        let asked = try #require(conversations.begin(NoLine(), on: connection))
        for _ in 0..<3 { #expect(conversations.heard(Self.invitation, from: asked, over: .post) == nil) }
        #expect(post.all == ["invite"])
        guard case .invite(var other) = Self.invitation else { return #expect(Bool(false)) }
        other.name = "Red"
        let refusal = ControlMessage.refused(Refusal(.badInvitation, message: "One invitation a connection."))
        #expect(conversations.heard(.invite(other), from: asked, over: .post) == refusal)
        let socket = try #require(conversations.begin(NoLine(), on: connection))
        #expect(conversations.heard(Self.invitation, from: socket, over: .wss) == nil)
        #expect(conversations.heard(Self.invitation, from: socket, over: .wss) == refusal)
        #expect(post.all == ["invite", "invite"])
    }

    /// Invitations that no room takes, each as long as a message may be.
    private static var endless: [Invitation] {
        guard case .invite(let fair) = invitation else { return [] }
        let long = String(repeating: "a", count: 60_000)
        return [
            { $0.name = long }, { $0.controller = long }, { $0.process = long }, { $0.context = long },
            { $0.streams = Array(repeating: $0.streams[0], count: 500) },
            { $0.streams[0].measures = Array(repeating: "acceleration", count: 4_000) },
            { $0.streams[0].location = long },
            { $0.streams[0].buttonGestures = Array(repeating: "jump", count: 8_000) },
        ].map { (change: (inout Invitation) -> Void) in
            var invitation = fair
            change(&invitation)
            return invitation
        }
    }

    @Test(
        "What no room takes, of any length, never reaches one, nor a recording; it is refused, and its connection ends")
    func endless() throws {
        let post = Post()
        let conversations = conversations(post)
        let connection = try connect(to: conversations)
        for invitation in Self.endless {
            let line = KeptLine()
            let asked = try #require(conversations.begin(line, on: connection))
            #expect(conversations.heard(.invite(invitation), from: asked, over: .post) == nil)
            #expect(line.all == ["badInvitation", "end"] && !conversations.hasInvited(asked))
            conversations.forget(asked)
        }
        #expect(post.all.isEmpty)
    }
}
