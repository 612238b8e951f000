import ControlPort
import Crypto
import Identity
import NIOCore
import Synchronization
import WireProtocol

/// Hands out ids that are good once, and for 10 s: what an `EventSource`, which can send no header, shows in its place.
final class OneTimeIDs<Value: Sendable>: Sendable {
    private struct Entry {
        var value: Value
        var until: NIODeadline
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var crowd = Crowd<String>()
    }

    private static var patience: TimeAmount { .seconds(10) }
    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int = 1_024) { self.limit = limit }

    /// An id for the value. When too many wait already, the oldest of the machine that has most of them is good no more.
    ///
    /// - Parameter address: who asks for it; `nil` where nobody knows.
    /// - Returns: the id, and the value whose id is good no more.
    func keep(
        _ value: Value, for address: PeerAddress?, now: NIODeadline = .now()
    ) -> (id: String, displaced: Value?) {
        state.withLock { state in
            if state.entries.count >= limit {
                for (id, entry) in state.entries where entry.until <= now {
                    state.entries[id] = nil
                    state.crowd.leave(id)
                }
            }
            var displaced: Value?
            if state.entries.count >= limit, let oldest = state.crowd.giveWay(to: address) {
                displaced = state.entries.removeValue(forKey: oldest)?.value
            }
            let id = base64url(SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) })
            state.entries[id] = Entry(value: value, until: now + Self.patience)
            state.crowd.join(id, from: address)
            return (id, displaced)
        }
    }

    /// The value behind an id that is still good; from then on it is not.
    func take(_ id: String, now: NIODeadline = .now()) -> Value? {
        state.withLock { state in
            state.crowd.leave(id)
            guard let entry = state.entries.removeValue(forKey: id), entry.until > now else { return nil }
            return entry.value
        }
    }
}
