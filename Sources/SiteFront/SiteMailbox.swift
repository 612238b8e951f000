import RoomRecords
import SiteBroker
import SiteRecords
import Synchronization

/// What the library's threads put down for a room's way to its site, who then takes it.
///
/// Confirmations are as many as the window is wide. Of commands so many wait as are refused in words where all places are
/// taken; what comes on top of them is not heard.
final class SiteMailbox: Sendable {
    struct Mail {
        var outcomes: [(EventSpool.Record, Result<AppendReceipt, BrokerError>)] = []
        var wantsMotion = false
        /// Why the connection is of no use any more.
        var failure: BrokerError?
    }

    private let mail = Mutex(Mail())
    /// Rings when there is something to take, or to do.
    let bell: AsyncStream<Void>
    private let ringing: AsyncStream<Void>.Continuation
    /// Commands that wait, at most.
    static let mostAsks = 256
    let asks: AsyncStream<BrokerMessage>
    private let asking: AsyncStream<BrokerMessage>.Continuation
    /// What other hosts ask, the same.
    let hostAsks: AsyncStream<BrokerMessage>
    private let hostAsking: AsyncStream<BrokerMessage>.Continuation

    init() {
        (bell, ringing) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (asks, asking) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.mostAsks))
        (hostAsks, hostAsking) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.mostAsks))
    }

    func ring() { ringing.yield() }

    func note(_ record: EventSpool.Record, _ outcome: Result<AppendReceipt, BrokerError>) {
        mail.withLock { $0.outcomes.append((record, outcome)) }
        ring()
    }

    func want() {
        mail.withLock { $0.wantsMotion = true }
        ring()
    }

    func close() { fail(BrokerError(.closed, "the broker has ended the connection")) }

    func fail(_ error: BrokerError) {
        mail.withLock { $0.failure = $0.failure ?? error }
        ring()
    }

    /// Takes a command; of one that is longer than any, only that it came.
    func ask(_ message: BrokerMessage) {
        guard Self.isAsked(message) else { return }
        var message = message
        if message.payload.count > OperatorRequest.longestLine { message.payload = [] }
        asking.yield(message)
    }

    /// Another host's question is as long as what a player taught: the broker's own limit is its end.
    func askAsHost(_ message: BrokerMessage) {
        guard Self.isAsked(message) else { return }
        hostAsking.yield(message)
    }

    /// Whoever asks waits for the answer in an inbox. A broker also puts here, for a user who may not ask, what a consumer of
    /// the site's stream is to be sent: that bears the place where it would be acknowledged.
    private static func isAsked(_ message: BrokerMessage) -> Bool { message.reply?.hasPrefix("_INBOX") == true }

    func take() -> Mail {
        mail.withLock { mail in
            defer { mail = Mail() }
            return mail
        }
    }

    /// Before another connection: what the last one said is of no use.
    func empty() { _ = take() }
}
