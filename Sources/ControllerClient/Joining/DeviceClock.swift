// The compiler takes `timespec` for whichever module includes its header first, and that may be either.
import CoreFoundation
import Glibc
import WireProtocol

/// The controller's monotonic clock: what its samples are stamped with.
enum DeviceClock {
    static func now() -> DeviceTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return DeviceTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// The steps in which it moves, as far as they are longer than samples' stamps tell, which are whole microseconds: the
    /// shortest of some that it was seen to make.
    static let grain: Duration = {
        var (shortest, before) = (Duration.seconds(1), DeviceClock.now())
        for _ in 0..<4 {
            var next = DeviceClock.now()
            while next == before { next = DeviceClock.now() }
            (shortest, before) = (min(shortest, next - before), next)
        }
        return shortest < .microseconds(1) ? .zero : shortest
    }()

    /// The processor time of this thread, in nanoseconds.
    static func threadNanoseconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
    }

    /// Holds up this thread.
    static func sleep(_ duration: Duration) {
        let nanoseconds = max(0, duration.wholeNanoseconds)
        var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        nanosleep(&time, nil)
    }
}
