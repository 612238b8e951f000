import CNATS
import Dispatch
import Foundation
import SiteRecords
import Synchronization

/// One connection to a broker, until it ends; whoever wants another one opens it.
///
/// Calls may wait for the socket, 3 s at most, so a room's thread makes none. What comes from the broker is handed over on
/// threads of libnats: receivers only put it somewhere.
package final class BrokerConnection: Sendable {
    private struct Handle: @unchecked Sendable {
        // libnats locks its connections and subscriptions itself.
        let pointer: OpaquePointer
    }

    package static let patience: Duration = .seconds(3)

    package let place: BrokerPlace
    /// The longest payload that the broker takes, in bytes.
    package let longestPayload: Int
    /// Where answers come to: this and a token.
    let inbox: String
    let requests: BrokerRequests
    private let handle: Mutex<Handle?>
    private let hearings = Mutex<[UInt: Handle]>([:])
    private let closedNumber: UInt

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
        let number = BrokerCallbacks.add(
            .closed {
                requests.end()
                closed()
            })
        var pointer: OpaquePointer?
        let (status, words) = Self.open(place, name, number, &pointer)
        guard status == nats_fine, let pointer else {
            BrokerCallbacks.remove(number)
            throw BrokerError(connecting: status, words: words, to: place)
        }
        self.place = place
        self.requests = requests
        inbox = "\(place.inbox).\(Self.token())"
        closedNumber = number
        longestPayload = Int(clamping: nats_longest_payload(pointer))
        handle = Mutex(Handle(pointer: pointer))
        do {
            try hear(inbox + ".*", atMost: 4_096) { requests.answer($0) }
        } catch {
            close()
            throw error
        }
    }

    deinit { close() }

    /// The same, without blocking whoever waits.
    package static func open(
        _ place: BrokerPlace, name: String, closed: @escaping @Sendable () -> Void = {}
    ) async throws(BrokerError) -> BrokerConnection {
        let outcome: Result<BrokerConnection, BrokerError> = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    returning: Result { () throws(BrokerError) in
                        try BrokerConnection(place, name: name, closed: closed)
                    })
            }
        }
        return try outcome.get()
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
        let status = handle.withLock { handle -> Int32? in
            guard let handle else { return nil }
            let texts = headers.flatMap { [strdup($0.0), strdup($0.1)] }
            defer { for text in texts { free(text) } }
            let names = texts.map { UnsafePointer($0) } + [nil]
            return payload.withUnsafeBytes { bytes in
                nats_publish(handle.pointer, subject, reply, names, bytes.baseAddress, Int32(bytes.count))
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
        let number = BrokerCallbacks.add(.message(receive))
        let outcome: (status: Int32, subscription: Handle?)? = handle.withLock { handle in
            guard let handle else { return nil }
            var subscription: OpaquePointer?
            let status = nats_hear(
                handle.pointer, subject, Int32(most), 64 << 20, BrokerCallbacks.received,
                BrokerCallbacks.closure(number),
                &subscription)
            return (status, subscription.map { Handle(pointer: $0) })
        }
        guard let outcome, outcome.status == nats_fine, let subscription = outcome.subscription else {
            BrokerCallbacks.remove(number)
            throw BrokerError(.closed, "the connection to \(place.address) has ended")
        }
        hearings.withLock { $0[number] = subscription }
    }

    /// Messages that the library dropped because they were not taken quickly enough.
    package var dropped: Int { hearings.withLock { $0.values.reduce(0) { $0 + Int(nats_dropped($1.pointer)) } } }

    /// What the broker said last of this connection: that its user may not do something.
    package var lastWords: String? {
        handle.withLock { $0.flatMap { nats_connection_words($0.pointer) }.map { String(cString: $0) } }
    }

    /// Waits until the broker has taken what was published; blocks.
    @discardableResult
    package func flush() -> Bool { handle.withLock { $0.map { nats_flush($0.pointer, 1_000) == nats_fine } ?? false } }

    /// What the library says of a failure on this thread, without the line of its source: `(conn.c:2088): No server …`.
    private static func words(_ status: Int32) -> String {
        let said = nats_last_words(status).map { String(cString: $0) } ?? ""
        guard said.hasPrefix("("), let end = said.firstRange(of: "): ") else { return said }
        return String(said[end.upperBound...])
    }

    /// Ends the connection; who waits for an answer is told.
    package func close() {
        BrokerCallbacks.remove(closedNumber)
        let past = handle.withLock { handle in
            defer { handle = nil }
            return handle
        }
        guard let past else { return }
        for (number, hearing) in hearings.withLock({ $0 }) {
            BrokerCallbacks.remove(number)
            nats_stop_hearing(hearing.pointer)
        }
        hearings.withLock { $0 = [:] }
        nats_close_connection(past.pointer)
        requests.end()
    }
}
