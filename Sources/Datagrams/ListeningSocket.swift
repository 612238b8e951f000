import CDatagrams
import Glibc
import Synchronization
package import WireProtocol

/// A TCP port that is taken and listens already, though nobody accepts yet: whoever connects waits in the kernel.
///
/// So a room can say its port before there is anything that answers there.
package final class ListeningSocket: Sendable {
    /// Connections that may wait to be accepted; the kernel's own limit (net.core.somaxconn) counts, too. Where there is no
    /// room for one the kernel drops its greeting, and who means well tries again after a second.
    package static let backlog: Int32 = 1_024

    package let port: UInt16
    /// `nil` once somebody has taken it over, and will close it.
    private let descriptor: Mutex<Int32?>

    /// - Parameter address: `any` listens on IPv6 and IPv4, on IPv4 alone where the machine has no IPv6.
    /// - Throws: ``SocketError`` when another program has the port, or this user may not have it.
    package init(at address: PeerAddress) throws(SocketError) {
        let task = "cannot open TCP port \(address.port)"
        var opened = stream_socket_listen(AF_INET6, datagram_address(address), Self.backlog)
        // Without IPv6 in the kernel the first fails, with it switched off the second.
        if opened == -EAFNOSUPPORT || opened == -EADDRNOTAVAIL {
            opened = stream_socket_listen(AF_INET, datagram_address(address), Self.backlog)
        }
        guard opened >= 0 else { throw SocketError(number: -opened, doing: task) }
        descriptor = Mutex(opened)
        var bound = datagram_address()
        let found = datagram_socket_address(opened, &bound)
        port = bound.port
        guard found >= 0 else { throw SocketError(number: -found, doing: task) }
    }

    deinit {
        if let descriptor = take() { close(descriptor) }
    }

    /// The socket, for whoever accepts from now on and closes it in the end; `nil` if somebody has it already.
    package func take() -> Int32? {
        descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
    }
}
