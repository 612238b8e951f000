import Foundation
import SiteRecords
import Synchronization

/// Reads a stream in order from a place on, and goes on as it grows: each record once, none passed over.
///
/// A consumer without acknowledgements numbers its deliveries; where a number is missing or nothing is heard for too long,
/// another one is begun after the last record that came. The broker waits for a slow reader (flow control).
package struct StreamReader {
    /// Where to begin.
    package enum Start: Hashable, Sendable {
        case all, new
        case sequence(UInt64)
        /// RFC 3339.
        case time(String)
    }

    private enum Item: Sendable {
        case message(BrokerMessage)
        case tick
    }

    /// The broker speaks at least so often.
    private static let heartbeat: Duration = .seconds(2)
    private static let mostWaiting = 65_536

    private let connection: BrokerConnection
    private let stream: String
    private let filter: String?
    private let created: String?
    /// The last record that was handed on.
    private var last: UInt64 = 0
    private var start: Start
    private var delivered: UInt64 = 0
    private var silentTicks = 0

    /// - Parameter created: which stream it is (``StreamFacts/created``); `nil` for any.
    package init(
        _ connection: BrokerConnection, stream: String, filter: String? = nil, from start: Start,
        created: String? = nil
    ) {
        self.connection = connection
        self.stream = stream
        self.filter = filter
        self.created = created
        self.start = start
    }

    /// Hands on one record after the other until `body` says no.
    ///
    /// - Throws: ``BrokerError`` when the connection ends or the stream is gone, or what `body` throws.
    package mutating func read(_ body: (StreamRecord) async throws -> Bool) async throws {
        while try await round(body) {
            // Another stream's records begin at 1: a number of this one would pass over some.
            if let created, try await connection.stream(stream)?.created != created {
                throw BrokerError(.noStream, "the stream is another one than before")
            }
            // The last consumer lost its place: the next one begins after what has come.
            start = last > 0 ? .sequence(last + 1) : start
        }
    }

    /// - Returns: false when `body` has seen enough; true when another consumer is to be begun.
    private mutating func round(_ body: (StreamRecord) async throws -> Bool) async throws -> Bool {
        let (items, feed) = AsyncStream.makeStream(of: Item.self, bufferingPolicy: .bufferingOldest(Self.mostWaiting))
        defer { feed.finish() }
        let inbox = "\(connection.place.inbox).\(BrokerConnection.token())"
        try connection.hear(inbox, atMost: Self.mostWaiting) { feed.yield(.message($0)) }
        _ = try await connection.api("CONSUMER.CREATE.\(stream)", request(inbox))
        (delivered, silentTicks) = (0, 0)
        let clock = Ticking(every: Self.heartbeat) { feed.yield(.tick) }
        defer { clock.stop() }
        for await item in items {
            switch item {
            case .tick:
                guard !connection.hasEnded else {
                    throw BrokerError(.closed, "\(connection.place.address) has ended the connection")
                }
                silentTicks += 1
                if silentTicks > 3 {
                    _ = try await connection.api("STREAM.INFO.\(stream)")
                    return true
                }
            case .message(let message):
                silentTicks = 0
                switch try take(message) {
                case .nothing: break
                case .lost: return true
                case .record(let record):
                    guard try await body(record) else { return false }
                }
            }
        }
        throw CancellationError()
    }

    private enum Taken { case nothing, lost, record(StreamRecord) }

    private mutating func take(_ message: BrokerMessage) throws(BrokerError) -> Taken {
        if let status = message.status {
            guard status == 100 else { return .lost }
            if let place = message.reply ?? message.stalled { try connection.publish([], to: place) }
            return message.lastOfConsumer.map { $0 > delivered } == true ? .lost : .nothing
        }
        guard let delivery = message.reply.flatMap({ Delivery(reply: $0) }) else { return .nothing }
        guard delivery.number == delivered + 1 else { return .lost }
        (delivered, last) = (delivery.number, delivery.sequence)
        return .record(
            StreamRecord(
                sequence: delivery.sequence, subject: message.subject, payload: message.payload, time: delivery.time))
    }

    private func request(_ inbox: String) -> [String: Any] {
        var configuration: [String: Any] = [
            "deliver_subject": inbox, "ack_policy": "none", "replay_policy": "instant", "flow_control": true,
            "idle_heartbeat": Int(Self.heartbeat / .nanoseconds(1)), "max_deliver": 1, "mem_storage": true,
            "num_replicas": 1,
        ]
        configuration["filter_subject"] = filter
        switch start {
        case .all: configuration["deliver_policy"] = "all"
        case .new: configuration["deliver_policy"] = "new"
        case .sequence(let number):
            configuration["deliver_policy"] = "by_start_sequence"
            configuration["opt_start_seq"] = max(number, 1)
        case .time(let time):
            configuration["deliver_policy"] = "by_start_time"
            configuration["opt_start_time"] = time
        }
        return ["stream_name": stream, "config": configuration]
    }
}

/// Calls back again and again until it is stopped.
private final class Ticking: Sendable {
    private let isOver = Mutex(false)
    private let period: Duration
    private let tick: @Sendable () -> Void

    init(every period: Duration, _ tick: @escaping @Sendable () -> Void) {
        (self.period, self.tick) = (period, tick)
        next()
    }

    private func next() {
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Int(period / .milliseconds(1)))) { [self] in
            guard !isOver.withLock({ $0 }) else { return }
            tick()
            next()
        }
    }

    func stop() { isOver.withLock { $0 = true } }
}
