import Foundation
import Identity
package import NIOCore
package import WireProtocol

/// One side's half of a call: messages as lines, none longer than ``CallMessage/longestLine``, and no more than a few.
package struct CallReader: Sendable {
    /// What the other side did that no call needs.
    package enum Nonsense: Error { case tooLong, tooMany, unreadable }

    /// A call has six messages a side at most; who sends more than this wants something else.
    private static let mostMessages = 16
    private var lines = LineReader(limit: CallMessage.longestLine)
    private var count = 0

    /// The messages that are complete now.
    package mutating func take(_ buffer: ByteBuffer) throws(Nonsense) -> [CallMessage] {
        let complete: [[UInt8]]
        do { complete = try lines.take(buffer) } catch { throw .tooLong }
        count += complete.count
        guard count <= Self.mostMessages else { throw .tooMany }
        var messages: [CallMessage] = []
        for line in complete {
            guard let message = try? JSONDecoder().decode(CallMessage.self, from: Data(line)) else { throw .unreadable }
            messages.append(message)
        }
        return messages
    }
}

/// What the other side of a call says, message by message.
package struct CallTalk {
    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private var reader = CallReader()
    private var ready: ArraySlice<CallMessage> = []
    private let channel: any Channel
    package private(set) var deadline: Scheduled<Void>?

    package init(_ inbound: NIOAsyncChannelInboundStream<ByteBuffer>, on channel: any Channel) {
        self.inbound = inbound.makeAsyncIterator()
        self.channel = channel
    }

    /// Ends the call unless the next message is there by then, whatever trickles in.
    package mutating func expect(within limit: TimeAmount) {
        let channel = channel
        deadline = channel.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
    }

    /// `nil` when the other side has hung up.
    package mutating func next() async throws -> CallMessage? {
        while ready.isEmpty {
            guard let buffer = try await inbound.next(isolation: #isolation) else { return nil }
            ready = try reader.take(buffer)[...]
        }
        deadline?.cancel()
        return ready.removeFirst()
    }

    /// The other side closed the connection before it said who it is.
    struct HungUp: Error {}

    /// The first message, by which a waiting controller says who it is.
    package mutating func greeting() async throws -> ControllerGreeting {
        guard let first = try await next() else { throw HungUp() }
        guard case .pad(var greeting) = first, ControllerID(greeting.controller) != nil else {
            throw CallReader.Nonsense.unreadable
        }
        greeting.name = spoken(greeting.name, atMost: 63)
        return greeting
    }
}

extension CallMessage {
    /// The message as it travels, with its line's end.
    package var line: ByteBuffer {
        var buffer = ByteBuffer()
        guard let json = try? JSONEncoder().encode(self) else {
            preconditionFailure("a message of ours can be written")
        }
        buffer.writeBytes(json)
        buffer.writeInteger(UInt8(ascii: "\n"))
        return buffer
    }
}

extension Refusal {
    /// A stranger's refusal, fit for a terminal.
    package var spokenSafely: Refusal {
        Refusal(
            RefusalReason(rawValue: spoken(reason.rawValue, atMost: 32)), message: spoken(message, atMost: 200),
            retryAfter: retryAfter.map { min(max(0, $0), 3_600_000) })
    }
}
