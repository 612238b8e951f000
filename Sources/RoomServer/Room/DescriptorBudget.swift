import Foundation
import Synchronization

/// How many files and connections this process may have open, so that its rooms together stay below: at the limit
/// nobody can be turned away any more, and a server spins over connections that it cannot take.
enum DescriptorBudget {
    /// Connections that a room was given, until it gives them back.
    final class Grant: Sendable {
        let connections: Int
        private let isHeld = Atomic(true)

        fileprivate init(_ connections: Int) { self.connections = connections }

        deinit { release() }

        /// Gives them back, whoever still holds this; once.
        func release() {
            guard isHeld.exchange(false, ordering: .relaxed) else { return }
            DescriptorBudget.granted.withLock { $0 -= connections }
        }
    }

    /// What is left for operators, databases, and connections that are being closed.
    static let reserve = 24
    /// What all rooms of this process were given.
    private static let granted = Mutex(0)

    /// As many connections as a room may hold that wants so many, beside those of the rooms that were there before.
    ///
    /// - Parameter needed: without so many it is no room: what others were given and do not use, it gets all the same.
    static func grant(wanted: Int, needed: Int = 1) -> Grant {
        granted.withLock { granted in
            let grant = Grant(connections(wanted: wanted, needed: needed, beside: granted))
            granted += grant.connections
            return grant
        }
    }

    /// Raises the process's own limit for it, as far as the system's allows. What other rooms have open of what they
    /// were given counts twice: a room may get too few by that, but never too many.
    private static func connections(wanted: Int, needed: Int, beside granted: Int) -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return wanted }
        let used = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? reserve
        let all = rlim_t(used + granted + wanted + reserve)
        if limit.rlim_cur < all {
            limit.rlim_cur = min(all, limit.rlim_max)
            _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return wanted }
        }
        let unused = Int(clamping: limit.rlim_cur) - used - reserve
        return max(1, min(wanted, max(unused - granted, min(needed, unused))))
    }
}
