import NIOCore
import Synchronization

/// Counts connections, so that nobody can open any number of them.
final class OpenConnections: Sendable {
    private let limit: Int
    private let count = Mutex(0)

    init(limit: Int) { self.limit = limit }

    func admit(_ channel: any Channel) -> Bool {
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
