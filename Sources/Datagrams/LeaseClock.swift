internal import Glibc
internal import Synchronization
package import WireProtocol

/// The clock by which a host owns a room for a while: it goes on while the machine sleeps (CLOCK_BOOTTIME).
package enum LeaseClock {
    package static func now() -> HostTime {
        var time = timespec()
        guard clock_gettime(CLOCK_BOOTTIME, &time) == 0 else { return .distantFuture }
        return HostTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}

/// Until when a room's thread may act, by ``LeaseClock``: asked before each turn, from any thread.
///
/// A program that was stopped finds the time over when it wakes, before anybody has told it so.
package final class ActingFence: Sendable {
    private let end = Atomic(Int64.min)

    package init() {}

    /// - Parameter time: `nil` for not at all.
    package func allow(until time: HostTime?) {
        end.store(time?.nanoseconds ?? .min, ordering: .sequentiallyConsistent)
    }

    package var isOpen: Bool {
        let end = end.load(ordering: .sequentiallyConsistent)
        // Who needs no log needs no clock either.
        return end == .max || LeaseClock.now().nanoseconds < end
    }
}
