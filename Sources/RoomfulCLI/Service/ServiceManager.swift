import Foundation

/// Whoever started this program as a service and wants to know how it stands: systemd's `sd_notify(3)`, one datagram a
/// message to the socket that `NOTIFY_SOCKET` names.
struct ServiceManager: Sendable {
    private let path: String
    /// Silence after which the program is taken for hung, from `WATCHDOG_USEC`; `nil` where nobody watches.
    let patience: Duration?

    /// - Returns: `nil` where no one asked to be told.
    init?(_ environment: [String: String] = ProcessInfo.processInfo.environment, pid: Int32 = getpid()) {
        guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@"), path.utf8.count < 108
        else {
            return nil
        }
        self.path = path
        let isForUs = environment["WATCHDOG_PID"].map { $0 == "\(pid)" } ?? true
        patience =
            isForUs
            ? environment["WATCHDOG_USEC"].flatMap(Int64.init).flatMap { $0 > 0 ? .microseconds($0) : nil } : nil
    }

    /// Says how the program stands; that nobody listens is no error.
    func tell(_ message: String) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            bytes.copyBytes(from: path.utf8)
            // A name that is no file begins with a zero.
            if path.hasPrefix("@") { bytes[0] = 0 }
        }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + path.utf8.count)
        let bytes = Array(message.utf8)
        _ = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL), $0, length)
            }
        }
    }
}
