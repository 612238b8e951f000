import Connections
import Datagrams
import Foundation
import Identity
package import NIOCore
import NIOWebSocket
import RoomEngine
import SessionCoordinator
import Synchronization
package import WireProtocol

/// The control connections of a room, by number: at most as many as were agreed, the idle oldest giving way.
package final class Conversations: Sendable {
    private struct Entry {
        var line: any ConversationLine
        /// The other end of its connection.
        var source: PeerAddress?
        /// Has anything been asked, or WebSocket been agreed on?
        var isOpen = false
        /// The hash value of the invitation that came: enough to know it again; `nil` before one has.
        var invitation: Int?
        let seat = SeatMark()
        /// Who wants to know that it does not follow to another room.
        var refusals: AsyncStream<Refusal>.Continuation?

        var hasInvited: Bool { invitation != nil }
    }

    private struct State {
        var entries: [UInt64: Entry] = [:]
        /// Those that have not invited yet.
        var strangers = Crowd<UInt64>()
        var next: UInt64 = 1
        var greeting: RoomGreeting
        var isRecorded = false
    }

    private let state: Mutex<State>
    /// The most connections at once.
    package let capacity: Int
    private let strangerCapacity: Int
    /// Places beyond the capacity for this machine's own: games, and whoever runs the room.
    private static let ownPlaces = 16
    /// What is said first to whoever connects: a `hello`, or why there is none while the room is not this host's.
    package var greeting: ControlMessage {
        refusalForNow.map { .refused($0) } ?? .hello(state.withLock { $0.greeting })
    }
    private let post: @Sendable (ControlInput) -> Bool
    private let absence: @Sendable () -> String?
    /// How long browsers' datagrams may gather where many come, before their connections are read again.
    let gather: Duration

    /// - Parameters:
    ///   - capacity: the most connections at once.
    ///   - gather: how long browsers' datagrams may gather where many come, to be read together.
    ///   - absence: why nobody is greeted at this moment, in a sentence; `nil` where the room is this host's.
    ///   - post: hands an input to the room's thread; false when it has too many.
    package init(
        capacity: Int, greeting: RoomGreeting, gather: Duration = .zero,
        absence: @escaping @Sendable () -> String? = { nil }, post: @escaping @Sendable (ControlInput) -> Bool
    ) {
        self.capacity = capacity
        self.gather = gather
        self.absence = absence
        strangerCapacity = max(128, capacity / 2)
        state = Mutex(State(greeting: greeting))
        self.post = post
    }

    /// Greets otherwise from now on: the room has changed.
    package func greet(with greeting: RoomGreeting) { state.withLock { $0.greeting = greeting } }

    private var refusalForNow: Refusal? { absence().map { Refusal(.closing, message: $0, retryAfter: 2_000) } }

    /// Takes a new connection; `nil` when there is no room for it at all. Where there are too many, one of those gives way that
    /// have not invited, of the machine that has most of them.
    package func admit(_ channel: any Channel) -> ConversationID? {
        let source = channel.remoteAddress.flatMap { PeerAddress($0) }
        let entered = state.withLock { enter(Entry(line: SilentLine(channel: channel), source: source), &$0) }
        guard let (conversation, displaced) = entered else { return nil }
        displaced?.giveWay()
        let handshake = channel.eventLoop.scheduleTask(in: ControlServer.handshakeLimit) { [weak self] in
            if self?.isOpen(conversation) == false { channel.close(promise: nil) }
        }
        channel.closeFuture.whenComplete { [weak self] _ in
            handshake.cancel()
            self?.forget(conversation)
        }
        return conversation
    }

    private typealias Entered = (conversation: ConversationID, displaced: (any ConversationLine)?)

    /// Takes a place, for which somebody may have to give way; `nil` where there is none.
    private func enter(_ entry: Entry, _ state: inout State) -> Entered? {
        var displaced: (any ConversationLine)?
        if state.entries.count >= capacity || state.strangers.count >= strangerCapacity {
            if let oldest = state.strangers.giveWay(to: entry.source) {
                displaced = state.entries.removeValue(forKey: oldest)?.line
            } else {
                let isOwn = entry.source?.isLoopback == true && state.entries.count < capacity + Self.ownPlaces
                guard isOwn else { return nil }
            }
        }
        let id = state.next
        state.next += 1
        state.entries[id] = entry
        state.strangers.join(id, from: entry.source)
        return (ConversationID(rawValue: id), displaced)
    }

    /// The other side did what it came for in time: a request, or a WebSocket, on which one can speak from now on.
    package func opened(_ conversation: ConversationID, _ line: (any ConversationLine)? = nil) {
        state.withLock { state in
            state.entries[conversation.rawValue]?.isOpen = true
            if let line { state.entries[conversation.rawValue]?.line = line }
        }
    }

    /// It has shown a token: it does not give way to strangers any more.
    package func trust(_ conversation: ConversationID) {
        state.withLock { $0.strangers.leave(conversation.rawValue) }
    }

    /// What made it more than a stranger has ended: it gives way like any other from now on.
    package func distrust(_ conversation: ConversationID) {
        state.withLock { state in
            guard let entry = state.entries[conversation.rawValue] else { return }
            state.strangers.join(conversation.rawValue, from: entry.source)
        }
    }

    /// The other end of its connection.
    package func source(of conversation: ConversationID) -> PeerAddress? {
        state.withLock { $0.entries[conversation.rawValue]?.source }
    }

    /// Whether it has a seat.
    package func isSeated(_ conversation: ConversationID) -> Bool {
        seat(of: conversation).isTaken
    }

    /// Whether it sits, for who asks often; nobody's, once it is gone.
    func seat(of conversation: ConversationID) -> SeatMark {
        state.withLock { $0.entries[conversation.rawValue]?.seat } ?? SeatMark()
    }

    /// Takes a conversation that has no connection of its own; `nil` when there are too many, or its first one has ended.
    ///
    /// - Parameter connection: on which it was asked for: it comes from there, whatever else its controller connects from.
    package func begin(_ line: any ConversationLine, on connection: ConversationID) -> ConversationID? {
        let entered = state.withLock { state -> Entered? in
            // Without it nobody would know where it comes from, and no share would be counted.
            guard let first = state.entries[connection.rawValue] else { return nil }
            // It does not give way to what it asks for.
            let isStranger = state.strangers.contains(connection.rawValue)
            state.strangers.leave(connection.rawValue)
            defer { if isStranger { state.strangers.join(connection.rawValue, from: first.source) } }
            return enter(Entry(line: line, source: first.source, isOpen: true), &state)
        }
        entered?.displaced?.giveWay()
        return entered?.conversation
    }

    /// Hands on a datagram of a browser that has a seat: one that finds no room is lost as on any network.
    package func hand(_ datagram: ByteBuffer, of conversation: ConversationID, arrivedAt: HostTime) {
        guard datagram.readableBytes <= WireFormat.maximumDatagramSize else { return }
        _ = post(.datagram(datagram, conversation, arrivedAt: arrivedAt))
    }

    /// A message came. Returns what to answer at once, if anything.
    package func heard(
        _ message: ControlMessage, from conversation: ConversationID, over transport: Transport
    ) -> ControlMessage? {
        let accepted: Bool
        switch message {
        case .invite(let invitation):
            if let refusal = refusalForNow { return .refused(refusal) }
            // What no room takes never comes to its thread, and into no recording: it may be of any length.
            if let refusal = invitation.refusal {
                say(.refused(refusal), to: conversation)
                close(conversation)
                return nil
            }
            let value = invitation.hashValue
            let (isFirst, isRepeated, source) = state.withLock { state -> (Bool, Bool, PeerAddress?) in
                let entry = state.entries[conversation.rawValue]
                state.entries[conversation.rawValue]?.invitation = entry?.invitation ?? value
                state.strangers.leave(conversation.rawValue)
                return (entry?.hasInvited == false, entry?.invitation == value, entry?.source)
            }
            // A POST whose answer was lost is sent again.
            if isRepeated, transport == .post { return nil }
            guard isFirst else {
                return .refused(Refusal(.badInvitation, message: "One invitation a connection."))
            }
            accepted = post(
                .input(
                    .invite(
                        invitation, from: conversation, over: transport, .random(for: invitation), source: source)))
        // Of whoever has not asked for a seat the room wants to know nothing, and writes nothing down.
        case .status where !hasInvited(conversation), .goodbye where !hasInvited(conversation),
            .sensor where !hasInvited(conversation):
            return nil
        case .status(let status): accepted = post(.input(.status(status, from: conversation)))
        case .goodbye(var farewell):
            farewell.reason = FarewellReason(rawValue: spoken(farewell.reason.rawValue, atMost: 32))
            farewell.message = farewell.message.map { spoken($0, atMost: 200) }
            accepted = post(.input(.goodbye(farewell, from: conversation)))
        case .sensor(var report):
            report.permission = report.permission.map { spoken($0, atMost: 32) }
            accepted = post(.input(.sensor(report, from: conversation)))
        case .unrecognised(let type): return .unknown(type: type)
        case .unknown(let type):
            if type == "offer" {
                note(
                    Refusal(.wrongVersion, message: "Its program is of a version that cannot follow to another room."),
                    from: conversation)
            }
            return nil
        case .refused(let refusal) where isOffered(conversation):
            note(refusal.spokenSafely, from: conversation)
            return nil
        case .hello, .waiting, .seated, .refused, .renamed, .buttons, .recording, .offer:
            return .unknown(type: message.type)
        }
        if accepted { return nil }
        return .refused(Refusal(.full, message: "The host is too busy.", retryAfter: 2_000))
    }

    /// Tells a controller with a seat of one in another room.
    ///
    /// - Returns: why it does not follow, if it says so; ends with its connection.
    package func hand(_ offer: RoomOffer, to conversation: ConversationID) -> AsyncStream<Refusal> {
        let (refusals, continuation) = AsyncStream.makeStream(of: Refusal.self, bufferingPolicy: .bufferingOldest(1))
        let line = state.withLock { state -> (any ConversationLine)? in
            state.entries[conversation.rawValue]?.refusals?.finish()
            state.entries[conversation.rawValue]?.refusals = continuation
            return state.entries[conversation.rawValue]?.line
        }
        if let line { line.say(.offer(offer)) } else { continuation.finish() }
        return refusals
    }

    private func isOffered(_ conversation: ConversationID) -> Bool {
        state.withLock { $0.entries[conversation.rawValue]?.refusals != nil }
    }

    private func note(_ refusal: Refusal, from conversation: ConversationID) {
        state.withLock { state in
            guard let refusals = state.entries[conversation.rawValue]?.refusals else { return }
            refusals.yield(refusal)
            refusals.finish()
            state.entries[conversation.rawValue]?.refusals = nil
        }
    }

    /// Whether an invitation of its was taken to the room.
    package func hasInvited(_ conversation: ConversationID) -> Bool {
        state.withLock { $0.entries[conversation.rawValue]?.hasInvited ?? true }
    }

    package func say(_ message: ControlMessage, to conversation: ConversationID) {
        var message = message
        switch message {
        case .seated(var seated):
            seat(of: conversation).isTaken = true
            seated.recorded = state.withLock { $0.isRecorded } ? true : nil
            message = .seated(seated)
        case .goodbye, .refused: seat(of: conversation).isTaken = false
        default: break
        }
        line(conversation)?.say(message)
    }

    /// Tells everyone with a seat whether the room is recorded from now on; whoever gets one later hears it with the seat.
    package func tell(isRecorded: Bool) {
        let lines = state.withLock { state -> [any ConversationLine] in
            guard state.isRecorded != isRecorded else { return [] }
            state.isRecorded = isRecorded
            return state.entries.values.filter(\.seat.isTaken).map(\.line)
        }
        for line in lines { line.say(.recording(RecordingNotice(recorded: isRecorded))) }
    }

    /// Sends browsers their feedback; those of one thread in one go, as to wake it costs more than to write one.
    package func send(_ feedback: [(datagram: ByteBuffer, conversation: ConversationID)]) {
        let lines = state.withLock { state in feedback.map { state.entries[$0.conversation.rawValue]?.line } }
        var batches: [(loop: any EventLoop, letters: [(any ConversationLine, ByteBuffer)])] = []
        for case (let line?, (let datagram, _)) in zip(lines, feedback) {
            guard let loop = line.loop else {
                line.send(datagram)
                continue
            }
            if let place = batches.firstIndex(where: { $0.loop === loop }) {
                batches[place].letters.append((line, datagram))
            } else {
                batches.append((loop, [(line, datagram)]))
            }
        }
        for (loop, letters) in batches { loop.execute { for (line, datagram) in letters { line.send(datagram) } } }
    }
    package func close(_ conversation: ConversationID) { line(conversation)?.close() }

    /// Ends them all at once: who does not answer the end is waited for, but not one after another.
    func closeAll() async {
        let lines = state.withLock { state in state.entries.values.map(\.line) }
        await withDiscardingTaskGroup { group in
            for line in lines { group.addTask { await line.drop() } }
        }
    }

    private func line(_ conversation: ConversationID) -> (any ConversationLine)? {
        state.withLock { $0.entries[conversation.rawValue]?.line }
    }

    private func isOpen(_ conversation: ConversationID) -> Bool {
        state.withLock { $0.entries[conversation.rawValue]?.isOpen ?? true }
    }

    /// Its connection is gone: the room hears so of those that asked for a seat, as it knows no others.
    package func forget(_ conversation: ConversationID) {
        let wasKnown = state.withLock { state in
            state.strangers.leave(conversation.rawValue)
            state.entries[conversation.rawValue]?.refusals?.finish()
            return state.entries.removeValue(forKey: conversation.rawValue)?.hasInvited == true
        }
        if wasKnown { _ = post(.input(.disconnected(conversation))) }
    }
}

/// Whether a conversation was given a seat.
final class SeatMark: Sendable {
    private let mark = Atomic(false)

    var isTaken: Bool {
        get { mark.load(ordering: .relaxed) }
        set { mark.store(newValue, ordering: .relaxed) }
    }
}
