import CNATS
import Dispatch
import Foundation
import SiteRecords

/// One connection to a broker, until it ends; whoever wants another one opens it.
///
/// Calls may wait for the socket, 3 s at most, so a room's thread makes none. What comes from the broker is handed over on
/// threads of libnats: receivers only put it somewhere.
package final class BrokerConnection: Sendable {
    package static let patience: Duration = .seconds(3)

    package let place: BrokerPlace
    /// The longest payload that the broker takes, in bytes.
    package let longestPayload: Int
    /// Where answers come to: this and a token.
    let inbox: String
    let requests: BrokerRequests
    private let handle: BrokerHandle

    /// Connects; blocks for some seconds at most.
    ///
    /// - Parameters:
    ///   - name: what the broker's operator sees of us.
    ///   - closed: called once, when the connection ends by itself.
    /// - Throws: ``BrokerError``, without anything secret in it.
    package init(
        _ place: BrokerPlace, name: String, closed: @escaping @Sendable () -> Void = {}
    ) throws(BrokerError) {
        if let problem = nats_problem() { throw BrokerError(.noLibrary, String(cString: problem)) }
        let requests = BrokerRequests()
        let handle = BrokerHandle {
            requests.end()
            closed()
        }
        let number = BrokerCallbacks.add(.closed { handle.closed() })
        var pointer: OpaquePointer?
        let (status, words) = Self.open(place, name, number, &pointer)
        guard status == nats_fine, let pointer else {
            BrokerCallbacks.remove(number)
            throw BrokerError(connecting: status, words: words, to: place)
        }
        handle.take(pointer)
        self.place = place
        self.requests = requests
        self.handle = handle
        inbox = "\(place.inbox).\(Self.token())"
        longestPayload = Int(clamping: nats_longest_payload(pointer))
        do {
            try hear(inbox + ".*", atMost: 4_096) { requests.answer($0) }
        } catch {
            close()
            throw error
        }
    }

    deinit { close() }

    /// The same, without blocking whoever waits.
    static func open(
        _ place: BrokerPlace, name: String, closed: @escaping @Sendable () -> Void = {}
    ) async throws(BrokerError) -> BrokerConnection {
        let outcome: Result<BrokerConnection, BrokerError> = await withCheckedContinuation { continuation in
            onThreadOfItsOwn {
                continuation.resume(
                    returning: Result { () throws(BrokerError) in
                        try BrokerConnection(place, name: name, closed: closed)
                    })
            }
        }
        return try outcome.get()
    }

    /// The global queue has a thread for each processor, and whoever is there waits for whoever waits for a broker.
    static func onThreadOfItsOwn(_ work: @escaping @Sendable () -> Void) {
        DispatchQueue(label: "roomful.broker").async(execute: work)
    }

    private static func open(
        _ place: BrokerPlace, _ name: String, _ number: UInt, _ pointer: inout OpaquePointer?
    ) -> (Int32, String) {
        let texts = [
            place.address.description, name, place.user, place.password, place.token, place.credentials,
            place.authorities,
        ].map { $0.map { strdup($0) } ?? nil }
        defer { for text in texts { free(text) } }
        var choices = nats_choices()
        choices.url = UnsafePointer(texts[0])
        choices.name = UnsafePointer(texts[1])
        choices.user = UnsafePointer(texts[2])
        choices.password = UnsafePointer(texts[3])
        choices.token = UnsafePointer(texts[4])
        choices.credentials = UnsafePointer(texts[5])
        choices.authorities = UnsafePointer(texts[6])
        choices.is_secure = place.address.isSecure
        choices.patience_ms = 2_000
        let status = nats_open_connection(&choices, BrokerCallbacks.closed, BrokerCallbacks.closure(number), &pointer)
        return (status, words(status))
    }

    /// 16 digits that nobody guesses: who knows an inbox could answer in another's place.
    static func token() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 36)
        return digits + String(UInt64.random(in: .min ... .max), radix: 36)
    }

    // MARK: Speaking and hearing

    /// - Throws: ``BrokerError`` when the connection has ended, or the payload is longer than ``longestPayload``.
    package func publish(
        _ payload: [UInt8], to subject: String, reply: String? = nil, headers: [(String, String)] = []
    ) throws(BrokerError) {
        guard payload.count <= longestPayload else {
            throw BrokerError(.refused, "\(payload.count) bytes are more than the broker takes: \(longestPayload)")
        }
        let status = handle.use { pointer in
            let texts = headers.flatMap { [strdup($0.0), strdup($0.1)] }
            defer { for text in texts { free(text) } }
            let names = texts.map { UnsafePointer($0) } + [nil]
            return payload.withUnsafeBytes { bytes in
                nats_publish(pointer, subject, reply, names, bytes.baseAddress, Int32(bytes.count))
            }
        }
        guard let status else { throw BrokerError(.closed, "the connection to \(place.address) has ended") }
        guard status == nats_fine else {
            throw BrokerError(.closed, "\(place.address) takes nothing (\(Self.words(status)))")
        }
    }

    /// Hears a subject until the connection ends.
    ///
    /// - Parameters:
    ///   - most: so many messages wait in the library; what comes on top of them is dropped.
    ///   - receive: called on a thread of the library's; only puts the message somewhere.
    package func hear(
        _ subject: String, atMost most: Int, _ receive: @escaping @Sendable (BrokerMessage) -> Void
    ) throws(BrokerError) {
        guard handle.hear(subject, atMost: most, receive) else {
            throw BrokerError(.closed, "the connection to \(place.address) has ended")
        }
    }

    /// What the broker said last of this connection: that its user may not do something.
    var lastWords: String? {
        handle.use { nats_connection_words($0).map { String(cString: $0) } } ?? nil
    }

    /// Waits until the broker has taken what was published; blocks.
    @discardableResult
    package func flush() -> Bool { handle.use { nats_flush($0, 1_000) == nats_fine } ?? false }

    /// What the library says of a failure on this thread, without the line of its source: `(conn.c:2088): No server …`.
    private static func words(_ status: Int32) -> String {
        let said = nats_last_words(status).map { String(cString: $0) } ?? ""
        guard said.hasPrefix("("), let end = said.firstRange(of: "): ") else { return said }
        return String(said[end.upperBound...])
    }

    /// Ends the connection; who waits for an answer is told.
    package func close() {
        handle.letGo()
        requests.end()
    }
}
