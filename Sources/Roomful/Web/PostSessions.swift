import Crypto
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import SessionCoordinator
import Synchronization
import WireProtocol

/// Browsers that cannot use WebSocket: each POSTs what it has to say, and hears by server-sent events.
final class PostSessions: Sendable {
    private struct Session {
        var conversation: ConversationID
        /// The connection of its stream.
        var connection: ConversationID?
        var messages = SecondCount(limit: 40)
        /// One a reading, where the way is short.
        var batches = SecondCount(limit: 250)
        var datagrams = SecondCount(limit: 1_000)
        var line: PostLine
    }

    private let conversations: Conversations
    private let sessions = Mutex<[String: Session]>([:])
    /// Sessions whose stream has not been opened yet.
    private let unopened = OneTimeIDs<String>(limit: 256)
    private static let mostSessions = 2_048

    init(_ conversations: Conversations) { self.conversations = conversations }

    /// Begins a session: its secret, and the id by which its stream is opened.
    func open() -> WebAnswer {
        let secret = base64url(SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) })
        let line = PostLine()
        guard let id = unopened.keep(secret), sessions.withLock({ $0.count }) < Self.mostSessions,
            let conversation = conversations.begin(line)
        else { return .refusal(.serviceUnavailable, "full", "Too many controllers are connected; try again soon.") }
        sessions.withLock { $0[secret] = Session(conversation: conversation, line: line) }
        line.whenLate { [weak self] in self?.end(secret) }
        return .json(["session": secret, "stream": id])
    }

    /// Opens a session's stream; the session lasts as long as it does.
    func stream(_ request: WebRequest, on connection: ConversationID) -> WebAnswer {
        guard let secret = request.query("stream").flatMap({ unopened.take($0) }),
            let session = sessions.withLock({ sessions in
                sessions[secret]?.connection = connection
                return sessions[secret]
            })
        else {
            return .refusal(.gone, "expired", "A stream's id is good once, and for 10 s: open a new session.")
        }
        let greeting = conversations.greeting
        return .stream { [self] channel in
            session.line.open(channel)
            session.line.say(greeting)
            channel.closeFuture.whenComplete { [weak self] _ in self?.end(secret) }
        }
    }

    /// What the browser says: a control message, or datagrams.
    func take(_ request: WebRequest) -> WebAnswer {
        let arrivedAt = HostClock.now()
        guard let secret = request.headers.first(name: "roomful-session"),
            let (session, isWithinRate) = sessions.withLock({ sessions -> (Session, Bool)? in
                let isMessage = request.headers.first(name: "content-type")?.hasPrefix("application/json") == true
                let admitted = isMessage ? sessions[secret]?.messages.admit() : sessions[secret]?.batches.admit()
                guard let isWithinRate = admitted, let session = sessions[secret] else {
                    return nil
                }
                return (session, isWithinRate)
            })
        else { return .refusal(.unauthorized, "noSession", "This session has ended: open a new one.") }
        guard isWithinRate else {
            return .refusal(.tooManyRequests, "tooFast", "At most 40 messages and 250 batches a second.")
        }
        if request.headers.first(name: "content-type")?.hasPrefix("application/json") == true {
            let json = Data(request.body.readableBytesView)
            guard let message = try? JSONDecoder().decode(ControlMessage.self, from: json) else {
                return .refusal(.badRequest, "badMessage", "That is no control message of this version.")
            }
            if case .invite = message, let connection = session.connection { conversations.trust(connection) }
            if let answer = conversations.heard(message, from: session.conversation, over: .post) {
                session.line.say(answer)
            }
            return .done
        }
        var body = request.body
        while let length = body.readInteger(as: UInt16.self) {
            guard let datagram = body.readSlice(length: Int(length)) else {
                return .refusal(.badRequest, "truncated", "A datagram ends before its length says.")
            }
            guard sessions.withLock({ $0[secret]?.datagrams.admit() }) == true else {
                return .refusal(.tooManyRequests, "tooFast", "At most 1,000 datagrams a second.")
            }
            conversations.heard(datagram: datagram, from: session.conversation, arrivedAt: arrivedAt)
        }
        return .done
    }

    private func end(_ secret: String) {
        guard let session = sessions.withLock({ $0.removeValue(forKey: secret) }) else { return }
        session.line.close()
        conversations.forget(session.conversation)
    }
}

/// How the host speaks to such a browser: nothing is lost that is said before the stream opens, up to a bound.
final class PostLine: ConversationLine {
    private struct State {
        var channel: (any Channel)?
        var waiting: [ByteBuffer] = []
        var isClosed = false
    }

    private static let mostWaiting = 64
    private static let openingLimit: TimeAmount = .seconds(12)
    private static let pulse: TimeAmount = .seconds(5)
    private let state = Mutex(State())

    /// Calls back once, if the stream is not opened in time.
    func whenLate(_ late: @escaping @Sendable () -> Void) {
        MultiThreadedEventLoopGroup.singleton.next().scheduleTask(in: Self.openingLimit) { [self] in
            if state.withLock({ $0.channel == nil }) { late() }
        }
    }

    func open(_ channel: any Channel) {
        let (waiting, isClosed) = state.withLock { state in
            state.channel = channel
            defer { state.waiting = [] }
            return (state.waiting, state.isClosed)
        }
        for text in waiting { write(text, to: channel) }
        if isClosed { return channel.close(promise: nil) }
        let pulses = channel.eventLoop.scheduleRepeatedTask(initialDelay: Self.pulse, delay: Self.pulse) { [self] _ in
            write(ByteBuffer(string: ": \n\n"), to: channel)
        }
        channel.closeFuture.whenComplete { _ in pulses.cancel() }
    }

    func say(_ message: ControlMessage) {
        guard let json = try? JSONEncoder().encode(message) else { return }
        send(text: ByteBuffer(string: "event: message\ndata: " + String(decoding: json, as: UTF8.self) + "\n\n"))
    }

    func send(_ datagram: ByteBuffer) {
        guard let channel = state.withLock({ $0.channel }), channel.isWritable else { return }
        let base64 = Data(datagram.readableBytesView).base64EncodedString()
        write(ByteBuffer(string: "event: frame\ndata: \(base64)\n\n"), to: channel)
    }

    func close() {
        let channel = state.withLock { state in
            state.isClosed = true
            return state.channel
        }
        guard let channel else { return }
        channel.eventLoop.execute {
            channel.writeAndFlush(HTTPServerResponsePart.end(nil)).whenComplete { _ in channel.close(promise: nil) }
            channel.closeSoon()
        }
    }

    func drop() async { try? await state.withLock({ $0.channel })?.close() }

    private func send(text: ByteBuffer) {
        let channel = state.withLock { state in
            if state.channel == nil, state.waiting.count < Self.mostWaiting { state.waiting.append(text) }
            return state.channel
        }
        if let channel { write(text, to: channel) }
    }

    private func write(_ text: ByteBuffer, to channel: any Channel) {
        channel.eventLoop.execute {
            // Who reads nothing is let go, before what it is told piles up.
            guard channel.isWritable else { return channel.close(promise: nil) }
            channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(text)), promise: nil)
        }
    }
}
