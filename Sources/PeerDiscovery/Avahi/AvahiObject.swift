internal import CAvahi
internal import Synchronization

/// A C object of libavahi that is freed exactly once, and counted as long as it lives.
///
/// Closed by its owner, children before their client or server, because freeing that frees whatever still hangs on it.
@AvahiThread
class AvahiObject {
    /// Nil before the constructor has returned, and after `close()`.
    private(set) final var pointer: OpaquePointer?
    private final let kind: AvahiCensus.Kind
    private final let free: (OpaquePointer) -> Void

    init(_ kind: AvahiCensus.Kind, free: @escaping (OpaquePointer) -> Void) {
        self.kind = kind
        self.free = free
    }

    /// Whether what Avahi calls back still concerns anyone.
    final var isOpen: Bool { pointer != nil }

    /// What Avahi hands back to callbacks. The owner keeps the object alive until it has closed it.
    final var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    final func adopt(_ pointer: OpaquePointer?) {
        guard let pointer else { return }
        self.pointer = pointer
        AvahiCensus.add(1, to: kind)
    }

    final func close() {
        guard let pointer else { return }
        self.pointer = nil
        free(pointer)
        AvahiCensus.add(-1, to: kind)
    }
}

/// How many objects of each kind this process holds, in libavahi or in a responder's process, for whoever suspects a leak.
package enum AvahiCensus {
    package enum Kind: Int, Sendable, CaseIterable {
        case client, server, process, entryGroup, serviceBrowser, serviceResolver
    }

    private static let counts = Mutex([Int](repeating: 0, count: Kind.allCases.count))

    static func add(_ change: Int, to kind: Kind) { counts.withLock { $0[kind.rawValue] += change } }

    package static func living(_ kind: Kind) -> Int { counts.withLock { $0[kind.rawValue] } }

    package static var total: Int { counts.withLock { $0.reduce(0, +) } }
}
