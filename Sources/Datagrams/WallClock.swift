import CDatagrams
import Glibc

/// The clock that people and certificates go by.
package enum WallClock {
    /// Whether a time service keeps it right; `nil` where nobody says.
    package static var isSynchronised: Bool? {
        let answer = doctor_clock_is_synchronised()
        if answer >= 0 { return answer == 1 }
        // A service with ProtectClock may not ask the kernel; so systemd-timesyncd says that it has set the clock.
        return access("/run/systemd/timesync/synchronized", F_OK) == 0 ? true : nil
    }
}
