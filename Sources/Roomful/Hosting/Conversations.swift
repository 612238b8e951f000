import Foundation
import NIOCore
import NIOWebSocket
import SessionCoordinator
import Synchronization
import WireProtocol

/// The control connections of a room, by number: at most as many as were agreed, the idle oldest giving way.
final class Conversations: Sendable {
    private struct Entry {
        var channel: any Channel
        /// Has WebSocket been agreed on?
        var isOpen = false
        /// Has an invitation come?
        var hasInvited = false
    }

    private struct State {
        var entries: [UInt64: Entry] = [:]
        /// Those that have not invited yet, oldest first.
        var strangers: [UInt64] = []
        var next: UInt64 = 1
    }

    private let state = Mutex(State())
    private let capacity: Int
    private let strangerCapacity: Int
    let greeting: ControlMessage
    private let post: @Sendable (LoopInput) -> Bool

    /// - Parameters:
    ///   - capacity: the most connections at once.
    ///   - post: hands an input to the room's thread; false when it has too many.
    init(capacity: Int, greeting: RoomGreeting, post: @escaping @Sendable (LoopInput) -> Bool) {
        self.capacity = capacity
        strangerCapacity = max(128, capacity / 2)
        self.greeting = .hello(greeting)
        self.post = post
    }

    /// Takes a new connection; `nil` when there is no room for it at all.
    func admit(_ channel: any Channel) -> ConversationID? {
        let (id, displaced) = state.withLock { state -> (UInt64?, (any Channel)?) in
            var displaced: (any Channel)?
            if state.entries.count >= capacity || state.strangers.count >= strangerCapacity {
                guard let oldest = state.strangers.first else { return (nil, nil) }
                displaced = state.entries[oldest]?.channel
                state.strangers.removeFirst()
                state.entries[oldest] = nil
            }
            let id = state.next
            state.next += 1
            state.entries[id] = Entry(channel: channel)
            state.strangers.append(id)
            return (id, displaced)
        }
        displaced?.close(promise: nil)
        guard let id else { return nil }
        let conversation = ConversationID(rawValue: id)
        let handshake = channel.eventLoop.scheduleTask(in: ControlServer.handshakeLimit) { [weak self] in
            if self?.isOpen(conversation) == false { channel.close(promise: nil) }
        }
        channel.closeFuture.whenComplete { [weak self] _ in
            handshake.cancel()
            self?.forget(conversation)
        }
        return conversation
    }

    /// WebSocket was agreed on.
    func opened(_ conversation: ConversationID) {
        state.withLock { $0.entries[conversation.rawValue]?.isOpen = true }
    }

    /// A message came. Returns what to answer at once, if anything.
    func heard(_ message: ControlMessage, from conversation: ConversationID) -> ControlMessage? {
        let accepted: Bool
        switch message {
        case .invite(let invitation):
            let isFirst = state.withLock { state in
                defer { state.entries[conversation.rawValue]?.hasInvited = true }
                state.strangers.removeAll { $0 == conversation.rawValue }
                return state.entries[conversation.rawValue]?.hasInvited == false
            }
            guard isFirst else {
                return .refused(Refusal(.badInvitation, message: "One invitation a connection."))
            }
            accepted = post(.invite(invitation, conversation, .random(for: invitation)))
        case .status(let status): accepted = post(.status(status, conversation))
        case .goodbye(let farewell): accepted = post(.goodbye(farewell, conversation))
        case .unrecognised(let type): return .unknown(type: type)
        case .unknown: return nil
        case .hello, .waiting, .seated, .refused: return .unknown(type: message.type)
        }
        if accepted { return nil }
        return .refused(Refusal(.full, message: "The host is too busy.", retryAfter: 2_000))
    }

    func hasInvited(_ conversation: ConversationID) -> Bool {
        state.withLock { $0.entries[conversation.rawValue]?.hasInvited ?? true }
    }

    func say(_ message: ControlMessage, to conversation: ConversationID) {
        guard let channel = state.withLock({ $0.entries[conversation.rawValue]?.channel }) else { return }
        channel.eventLoop.execute { ControlHandler.write(message, to: channel) }
    }

    func close(_ conversation: ConversationID) {
        guard let channel = state.withLock({ $0.entries[conversation.rawValue]?.channel }) else { return }
        channel.eventLoop.execute { ControlHandler.writeClose(.normalClosure, to: channel) }
    }

    func closeAll() async {
        let channels = state.withLock { state in state.entries.keys.sorted().compactMap { state.entries[$0]?.channel } }
        for channel in channels { try? await channel.close() }
    }

    private func isOpen(_ conversation: ConversationID) -> Bool {
        state.withLock { $0.entries[conversation.rawValue]?.isOpen ?? true }
    }

    private func forget(_ conversation: ConversationID) {
        let wasKnown = state.withLock { state in
            state.strangers.removeAll { $0 == conversation.rawValue }
            return state.entries.removeValue(forKey: conversation.rawValue) != nil
        }
        if wasKnown { _ = post(.disconnected(conversation)) }
    }
}
