import Connections
import ControlPort
import Crypto
import Datagrams
import Foundation
import Identity
import NIOCore
import NIOHTTP1
import RoomRecords
import Synchronization
import WireProtocol

/// Browsers that cannot use WebSocket: each POSTs what it has to say, and hears by server-sent events.
final class PostSessions: Sendable {
    private struct Session {
        var conversation: ConversationID
        /// The connection of its stream.
        var connection: ConversationID?
        var messages = SecondCount(limit: PostSessions.mostMessages)
        /// One a reading, where the way is short.
        var batches = SecondCount(limit: PostSessions.mostBatches)
        var datagrams = SecondCount(limit: 1_000)
        var line: PostLine
        /// Its connections, the newest last: no strangers' while it has a seat.
        var trusted: [ConversationID] = []
    }

    private let conversations: Conversations
    private let sessions = Mutex<[String: Session]>([:])
    /// Sessions whose stream has not been opened yet.
    private let unopened = OneTimeIDs<String>(limit: 256)
    private static let mostSessions = 2_048
    /// In a second, as is ``mostBatches``.
    private static let mostMessages = 40
    private static let mostBatches = 250
    /// What a browser opens to one host.
    private static let mostTrusted = 6

    init(_ conversations: Conversations) { self.conversations = conversations }

    /// Begins a session: its secret, and the id by which its stream is opened.
    func open(on connection: ConversationID) -> WebAnswer {
        let secret = base64url(SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) })
        let line = PostLine()
        guard sessions.withLock({ $0.count }) < Self.mostSessions,
            let conversation = conversations.begin(line, on: connection)
        else {
            return .refusal(.serviceUnavailable, "full", "Too many controllers are connected; try again soon.")
        }
        sessions.withLock { $0[secret] = Session(conversation: conversation, line: line) }
        line.whenLate { [weak self] in self?.end(secret) }
        let (id, displaced) = unopened.keep(secret, for: conversations.source(of: connection))
        if let displaced { end(displaced) }
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
    func take(_ request: WebRequest, on connection: ConversationID) -> WebAnswer {
        let arrivedAt = HostClock.now()
        let isMessage = request.headers.first(name: "content-type")?.hasPrefix("application/json") == true
        guard let secret = request.headers.first(name: "roomful-session"),
            let (session, isWithinRate) = sessions.withLock({ sessions -> (Session, Bool)? in
                let admitted = isMessage ? sessions[secret]?.messages.admit() : sessions[secret]?.batches.admit()
                guard let isWithinRate = admitted, let session = sessions[secret] else {
                    return nil
                }
                return (session, isWithinRate)
            })
        else { return .refusal(.unauthorized, "noSession", "This session has ended: open a new one.") }
        guard isWithinRate else {
            return .refusal(
                .tooManyRequests, "tooFast",
                "At most \(Self.mostMessages) messages and \(Self.mostBatches) batches a second.")
        }
        if conversations.isSeated(session.conversation) { trust(connection, of: secret) }
        if isMessage {
            let json = Data(request.body.readableBytesView)
            let message: ControlMessage
            do {
                message = try JSONDecoder().decode(ControlMessage.self, from: json)
            } catch {
                return .refusal(.badRequest, "badMessage", ControlMessage.problem(reading: error))
            }
            if let answer = conversations.heard(message, from: session.conversation, over: .post) {
                session.line.say(answer)
            } else if let stream = session.connection, conversations.hasInvited(session.conversation) {
                // Who asks for a seat does not give way to those who ask for nothing.
                conversations.trust(stream)
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
            guard conversations.isSeated(session.conversation) else { continue }
            conversations.hand(datagram, of: session.conversation, arrivedAt: arrivedAt)
        }
        return .done
    }

    /// Its connections, of which a browser opens a few, are no strangers'; of more the oldest is one again.
    private func trust(_ connection: ConversationID, of secret: String) {
        let (isNew, former) = sessions.withLock { sessions -> (Bool, ConversationID?) in
            guard let trusted = sessions[secret]?.trusted, !trusted.contains(connection) else { return (false, nil) }
            sessions[secret]?.trusted.append(connection)
            return (true, trusted.count >= Self.mostTrusted ? sessions[secret]?.trusted.removeFirst() : nil)
        }
        if isNew { conversations.trust(connection) }
        if let former { conversations.distrust(former) }
    }

    private func end(_ secret: String) {
        guard let session = sessions.withLock({ $0.removeValue(forKey: secret) }) else { return }
        for connection in session.trusted { conversations.distrust(connection) }
        session.line.close()
        conversations.forget(session.conversation)
    }
}
