import Glibc
import WireProtocol

/// The host's monotonic clock: what every ``HostTime`` of a room was read from.
enum HostClock {
    static func now() -> HostTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return HostTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}
