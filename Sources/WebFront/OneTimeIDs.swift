import Crypto
import Identity
import NIOCore
import Synchronization

/// Hands out ids that are good once, and for 10 s: what an `EventSource`, which can send no header, shows in its place.
final class OneTimeIDs<Value: Sendable>: Sendable {
    private struct Entry {
        var value: Value
        var until: NIODeadline
    }

    private static var patience: TimeAmount { .seconds(10) }
    private let limit: Int
    private let entries = Mutex<[String: Entry]>([:])

    init(limit: Int = 1_024) { self.limit = limit }

    /// An id for the value; `nil` when too many wait already.
    func keep(_ value: Value, now: NIODeadline = .now()) -> String? {
        entries.withLock { entries in
            if entries.count >= limit { entries = entries.filter { $0.value.until > now } }
            guard entries.count < limit else { return nil }
            let id = base64url(SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) })
            entries[id] = Entry(value: value, until: now + Self.patience)
            return id
        }
    }

    /// The value behind an id that is still good; from then on it is not.
    func take(_ id: String, now: NIODeadline = .now()) -> Value? {
        entries.withLock { entries in
            guard let entry = entries.removeValue(forKey: id), entry.until > now else { return nil }
            return entry.value
        }
    }
}
