import Foundation
import Identity
import WireProtocol

/// The D-Bus by which avahi-daemon is spoken to.
enum SystemBus {
    /// Where it should be, and why nobody can be reached there (errno), 0 if somebody can (D-Bus Specification,
    /// "Well-known Message Bus Instances").
    static func look(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> (path: String, error: Int32) {
        let address = environment["DBUS_SYSTEM_BUS_ADDRESS"] ?? "unix:path=/var/run/dbus/system_bus_socket"
        for part in address.split(separator: ";") where part.hasPrefix("unix:") {
            for field in part.dropFirst(5).split(separator: ",") where field.hasPrefix("path=") {
                let path = String(field.dropFirst(5))
                return (printable(path), knock(at: path))
            }
        }
        // Another kind of address: only the library could try it.
        return (printable(address), 0)
    }

    private static func knock(at path: String) -> Int32 {
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { return errno }
        defer { close(number) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return ENAMETOOLONG }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 ? 0 : errno
            }
        }
    }
}
