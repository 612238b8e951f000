import Foundation
import NIOCore
import NIOWebSocket
import SessionCoordinator
import Synchronization
import WireProtocol

/// The control connections of a room, by number: at most as many as were agreed, the idle oldest giving way.
final class Conversations: Sendable {
    private struct Entry {
        var line: any ConversationLine
        /// Has anything been asked, or WebSocket been agreed on?
        var isOpen = false
        /// Has an invitation come?
        var hasInvited = false
        /// Was it given a seat?
        var isSeated = false
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
        let (id, displaced) = state.withLock { state -> (UInt64?, (any ConversationLine)?) in
            var displaced: (any ConversationLine)?
            if state.entries.count >= capacity || state.strangers.count >= strangerCapacity {
                guard let oldest = state.strangers.first else { return (nil, nil) }
                displaced = state.entries[oldest]?.line
                state.strangers.removeFirst()
                state.entries[oldest] = nil
            }
            let id = state.next
            state.next += 1
            state.entries[id] = Entry(line: SilentLine(channel: channel))
            state.strangers.append(id)
            return (id, displaced)
        }
        displaced?.close()
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

    /// The other side did what it came for in time: a request, or a WebSocket, on which one can speak from now on.
    func opened(_ conversation: ConversationID, _ line: (any ConversationLine)? = nil) {
        state.withLock { state in
            state.entries[conversation.rawValue]?.isOpen = true
            if let line { state.entries[conversation.rawValue]?.line = line }
        }
    }

    /// It has shown a token: it does not give way to strangers any more.
    func trust(_ conversation: ConversationID) {
        state.withLock { $0.strangers.removeAll { $0 == conversation.rawValue } }
    }

    /// Takes a conversation that has no connection of its own; `nil` when there are too many.
    func begin(_ line: any ConversationLine) -> ConversationID? {
        state.withLock { state in
            guard state.entries.count < capacity else { return nil }
            defer { state.next += 1 }
            state.entries[state.next] = Entry(line: line, isOpen: true)
            return ConversationID(rawValue: state.next)
        }
    }

    /// A browser's datagram came: of one without a seat it goes nowhere, one that finds no room is lost as on any network.
    func heard(datagram: ByteBuffer, from conversation: ConversationID, arrivedAt: HostTime) {
        guard datagram.readableBytes <= WireFormat.maximumDatagramSize,
            state.withLock({ $0.entries[conversation.rawValue]?.isSeated == true })
        else { return }
        _ = post(.datagram(datagram, conversation, arrivedAt: arrivedAt))
    }

    /// A message came. Returns what to answer at once, if anything.
    func heard(
        _ message: ControlMessage, from conversation: ConversationID, over transport: Transport
    ) -> ControlMessage? {
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
            accepted = post(
                .input(.invite(invitation, from: conversation, over: transport, .random(for: invitation))))
        case .status(let status): accepted = post(.input(.status(status, from: conversation)))
        case .goodbye(let farewell): accepted = post(.input(.goodbye(farewell, from: conversation)))
        case .sensor(let report): accepted = post(.input(.sensor(report, from: conversation)))
        case .unrecognised(let type): return .unknown(type: type)
        case .unknown: return nil
        case .hello, .waiting, .seated, .refused, .renamed: return .unknown(type: message.type)
        }
        if accepted { return nil }
        return .refused(Refusal(.full, message: "The host is too busy.", retryAfter: 2_000))
    }

    func hasInvited(_ conversation: ConversationID) -> Bool {
        state.withLock { $0.entries[conversation.rawValue]?.hasInvited ?? true }
    }

    func say(_ message: ControlMessage, to conversation: ConversationID) {
        if case .seated = message { state.withLock { $0.entries[conversation.rawValue]?.isSeated = true } }
        line(conversation)?.say(message)
    }

    func send(_ datagram: ByteBuffer, to conversation: ConversationID) { line(conversation)?.send(datagram) }
    func close(_ conversation: ConversationID) { line(conversation)?.close() }

    func closeAll() async {
        let lines = state.withLock { state in state.entries.keys.sorted().compactMap { state.entries[$0]?.line } }
        for line in lines { await line.drop() }
    }

    private func line(_ conversation: ConversationID) -> (any ConversationLine)? {
        state.withLock { $0.entries[conversation.rawValue]?.line }
    }

    private func isOpen(_ conversation: ConversationID) -> Bool {
        state.withLock { $0.entries[conversation.rawValue]?.isOpen ?? true }
    }

    /// Its connection is gone.
    func forget(_ conversation: ConversationID) {
        let wasKnown = state.withLock { state in
            state.strangers.removeAll { $0 == conversation.rawValue }
            return state.entries.removeValue(forKey: conversation.rawValue) != nil
        }
        if wasKnown { _ = post(.input(.disconnected(conversation))) }
    }
}
