package import NIOCore
import Synchronization

/// Counts connections, so that nobody can open any number of them.
package final class OpenConnections: Sendable {
    private let limit: Int
    private let count = Mutex(0)

    package init(limit: Int) { self.limit = limit }

    package func admit(_ channel: any Channel) -> Bool {
        let isAdmitted = count.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
        if isAdmitted {
            channel.closeFuture.whenComplete { _ in self.count.withLock { $0 -= 1 } }
        }
        return isAdmitted
    }
}

/// A stranger's connection that nobody serves: as many are open as there may be.
struct TooManyConnections: Error {}
