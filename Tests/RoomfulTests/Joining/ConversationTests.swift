import NIOCore
import NIOEmbedded
import NIOWebSocket
import Testing
import WireProtocol

@testable import Connections
@testable import ControllerClient
@testable import Identity
@testable import RoomServer
@testable import Roomful

@Suite("What a host says on the control connection")
struct ConversationTests {
    private let greeting = RoomGreeting(room: "00", name: "Living Room", game: nil, policy: "open")

    @Test("A host that has pinged and then says nothing for 100 s is gone; one that never does may be silent")
    func pings() throws {
        func connection() -> (channel: EmbeddedChannel, conversation: Watched<Conversation>) {
            let conversation = Watched(Conversation())
            return (EmbeddedChannel(handler: ConversationHandler(conversation)), conversation)
        }
        let ping = WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer())
        let (quiet, never) = connection()
        quiet.embeddedEventLoop.advanceTime(by: .hours(1))
        #expect(!never.value.isClosed)

        let (channel, conversation) = connection()
        for _ in 0..<3 {
            try channel.writeInbound(ping)
            channel.embeddedEventLoop.advanceTime(by: .seconds(75))
        }
        try channel.writeInbound(ping)
        channel.embeddedEventLoop.advanceTime(by: .seconds(79))
        #expect(!conversation.value.isClosed)
        channel.embeddedEventLoop.advanceTime(by: .seconds(21))
        #expect(conversation.value.isClosed)
    }

    @Test("Of each kind the first counts, so a host that repeats itself changes nothing")
    func firstCounts() {
        var conversation = Conversation()
        conversation.hear(.refused(Refusal(.full, message: "full")))
        conversation.hear(.refused(Refusal(.locked, message: "locked")))
        #expect(conversation.answer == .refused(Refusal(.full, message: "full")))
    }

    @Test("A place in the queue changes: there the newest counts")
    func newestPlace() {
        var conversation = Conversation()
        for place in [3, 2] { conversation.hear(.waiting(Waiting(timeout: 30_000, place: place))) }
        #expect(conversation.waiting?.place == 2)
    }

    @Test("A new name comes out printable; the newest counts, and one that is none changes nothing")
    func newestName() {
        var conversation = Conversation()
        for name in ["Ada", "Captain\u{1B}\n", ""] { conversation.hear(.renamed(Renamed(name: name))) }
        #expect(conversation.newName == "Captain")
    }

    @Test("That the room is recorded is said with the seat, and after it; of a silent host it is not taken for so")
    func recorded() throws {
        guard case .seated(var seated) = ScriptedHost.seat(1) else { return #expect(Bool(false)) }
        let silent = try Admission(seated)
        seated.recorded = true
        let told = try Admission(seated)
        #expect(!silent.seat.isRecorded && told.seat.isRecorded)
        var conversation = Conversation()
        #expect(conversation.isRecorded == nil)
        for recorded in [true, false] { conversation.hear(.recording(RecordingNotice(recorded: recorded))) }
        #expect(conversation.isRecorded == false)
    }

    @Test(
        "\"Replaced\" is the controller's own doing while an attempt of it may be on its way, and nobody else's after that"
    )
    func ownAttempts() {
        let began = ContinuousClock.now
        var attempts = RejoinAttempts()
        #expect(!attempts.explainReplacement(at: began), "another program with the same identity")
        attempts.begin(at: began)
        #expect(attempts.explainReplacement(at: began + .seconds(59)))
        #expect(!attempts.explainReplacement(at: began + .seconds(60)))
        attempts.begin(at: began + .seconds(1))
        attempts.conclude()
        #expect(attempts.explainReplacement(at: began + .seconds(2)), "the first was dropped, the second came through")
        attempts.conclude()
        #expect(!attempts.explainReplacement(at: began + .seconds(2)))
    }

    @Test("A name with terminal escapes and bidirectional controls comes out printable and short")
    func printableNames() {
        var conversation = Conversation()
        var forged = greeting
        forged.name = "\u{1B}[31mEvil\u{202E}\n" + String(repeating: "é", count: 100)
        conversation.hear(.hello(forged))
        let name = conversation.greeting?.name ?? ""
        #expect(name.hasPrefix("[31mEvilé"))
        #expect(name.utf8.count <= 63)
    }

    @Test("A character is kept whole or left out, never cut")
    func wholeCharacters() {
        #expect(spoken("ab👨‍👩‍👧", atMost: 5) == "ab")
        #expect(spoken("abc", atMost: 3) == "abc")
    }

    @Test("A host cannot make a controller wait for ever")
    func retryAfter() {
        var conversation = Conversation()
        conversation.hear(.refused(Refusal(.full, message: "", retryAfter: .max)))
        #expect(conversation.answer == .refused(Refusal(.full, message: "", retryAfter: 3_600_000)))
    }
}

@Suite("A seat as the host grants it")
struct AdmissionTests {
    private let key = String(repeating: "ab", count: 32)

    private func seated(_ change: (inout Seated) -> Void = { _ in }) -> Seated {
        var seated = Seated(
            seat: 1, player: 1, color: "#0072B2", name: "Blue",
            link: LinkGrant(port: 7_777, connection: 3, suite: .aes256gcm, motionKey: key, feedbackKey: key),
            secret: key, continues: false, idle: 10_000, grace: 30_000)
        change(&seated)
        return seated
    }

    private func isRefused(_ change: (inout Seated) -> Void) -> Bool {
        do throws(JoinError) {
            _ = try Admission(seated(change))
            return false
        } catch { return error.code == .notARoom }
    }

    @Test("The seat is kept for the idle time and the grace period together")
    func patience() throws {
        let admission = try Admission(seated())
        #expect(admission.patience == .seconds(40))
        #expect(admission.seat == Seat(seat: 1, player: 1, color: "#0072b2", name: "Blue"))
    }

    @Test("Keys, secrets, ports and places that cannot be are refused")
    func nonsense() {
        #expect(isRefused { $0.link.motionKey = "" })
        #expect(isRefused { $0.link.feedbackKey = String(repeating: "zz", count: 32) })
        #expect(isRefused { $0.link.port = 0 })
        #expect(isRefused { $0.secret = "12 34" })
        #expect(isRefused { $0.seat = 0 })
        #expect(isRefused { $0.player = .max })
    }

    @Test("Absurd times are bounded, an absurd colour is grey, and an absurd name is made printable")
    func bounded() throws {
        let admission = try Admission(
            seated {
                $0.idle = .max
                $0.grace = .min
                $0.color = "red; \u{1B}[2J"
                $0.name = "\u{7}Blue"
            })
        #expect(admission.patience == .seconds(86_400))
        #expect(admission.seat.color == "#7f7f7f")
        #expect(admission.seat.name == "Blue")
    }

    @Test("The host's notice on the link moves the controller to another place")
    func moving() throws {
        var seat = try Admission(seated()).seat
        seat.move(to: LinkMessage.SeatNotice(seat: 2, player: 3, color: 0x0A0B0C))
        #expect(seat == Seat(seat: 2, player: 3, color: "#0a0b0c", name: "Blue"))
    }
}
