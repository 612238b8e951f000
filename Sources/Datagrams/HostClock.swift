import Dispatch
package import WireProtocol

/// The host's monotonic clock (CLOCK_MONOTONIC): what every ``HostTime`` of a room was read from.
package enum HostClock {
    package static func now() -> HostTime {
        HostTime(nanoseconds: Int64(clamping: DispatchTime.now().uptimeNanoseconds))
    }
}
