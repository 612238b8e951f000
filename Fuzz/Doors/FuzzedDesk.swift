import ControlPort
import NIOCore
import RoomEngine
import SessionCoordinator
import Synchronization
import WireProtocol

/// The room behind the doors: an engine that is handed what the connections heard, and whose words they say.
final class FuzzedDesk: Sendable {
    private struct State: Sendable {
        var engine: Engine
        var now = HostTime(nanoseconds: 1_000_000_000)
        var invited: Set<ConversationID> = []
    }

    private let state: Mutex<State>

    init() {
        let configuration = EngineConfiguration(
            room: RoomConfiguration(seats: 2, policy: .open), answersGesturesWithHaptics: true)
        state = Mutex(State(engine: Engine(configuration: configuration, now: HostTime(nanoseconds: 1_000_000_000))))
    }

    func take(_ input: ControlInput) -> Bool {
        state.withLock { state in
            switch input {
            case .input(let input):
                if case .invite(_, let conversation, _, _, _) = input {
                    precondition(state.invited.insert(conversation).inserted, "two invitations on one connection")
                }
                state.engine.handle(input, at: state.now, cipher: NoCipher())
            case .datagram(let datagram, let conversation, _):
                precondition(datagram.readableBytes <= WireFormat.maximumDatagramSize, "a datagram is too long")
                let now = state.now
                datagram.withUnsafeReadableBytes {
                    state.engine.receive(unsealed: $0, from: conversation, arrivedAt: now, now: now)
                }
            }
        }
        return true
    }

    /// A few turns of the room's thread, and what they say on the connections.
    func turn(_ conversations: Conversations) {
        let outputs = state.withLock { state in
            var outputs: [RoomOutput] = []
            for _ in 0..<4 {
                state.now = state.now + .milliseconds(10)
                state.engine.advance(to: state.now)
                outputs += state.engine.takeOutputs()
            }
            for part in state.engine.load { precondition(part.count <= part.most, "\(part.what): \(part.count)") }
            return outputs
        }
        for output in outputs {
            switch output {
            case .say(let conversation, let message): conversations.say(message, to: conversation)
            case .commit(_, thenSay: let conversation?, let message?): conversations.say(message, to: conversation)
            case .close(let conversation): conversations.close(conversation)
            default: break
            }
        }
    }
}

/// Nothing is sealed here: browsers come inside TLS.
struct NoCipher: DatagramCipher {
    func seal(_: UnsafeMutableRawBufferPointer, headerLength _: Int, key _: LinkKey, number _: UInt32) {}
    func open(_: UnsafeMutableRawBufferPointer, headerLength _: Int, key _: LinkKey, number _: UInt32) -> Bool { false }
}
