import Foundation
import NIOCore
import WireProtocol

/// One side's half of a call: messages as lines, none longer than ``CallMessage/longestLine``, and no more than a few.
struct CallReader: Sendable {
    /// What the other side did that no call needs.
    enum Nonsense: Error { case tooLong, tooMany, unreadable }

    /// A call has six messages a side at most; who sends more than this wants something else.
    private static let mostMessages = 16
    private var lines = LineReader(limit: CallMessage.longestLine)
    private var count = 0

    /// The messages that are complete now.
    mutating func take(_ buffer: ByteBuffer) throws(Nonsense) -> [CallMessage] {
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

extension CallMessage {
    /// The message as it travels, with its line's end.
    var line: ByteBuffer {
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
    var spokenSafely: Refusal {
        Refusal(
            RefusalReason(rawValue: spoken(reason.rawValue, atMost: 32)), message: spoken(message, atMost: 200),
            retryAfter: retryAfter.map { min(max(0, $0), 3_600_000) })
    }
}
