import Foundation
package import NIOCore
package import NIOPosix

/// Listens at all of the machine's addresses: of both versions of IP, or of the one that it has.
///
/// The addresses are given as such: a resolver leaves out what no interface bears but loopback (RFC 3493, 6.1,
/// `AI_ADDRCONFIG`), and then there is no `::` at all.
package func bindAnywhere<Listener>(
    port: UInt16, _ bind: (SocketAddress) async throws -> Listener
) async throws -> Listener {
    do {
        return try await bind(SocketAddress(ipAddress: "::", port: Int(port)))
    } catch let error as IOError where [EAFNOSUPPORT, EADDRNOTAVAIL].contains(error.errnoCode) {
        // Without IPv6 in the kernel a socket cannot be opened, with it switched off it cannot be bound.
        return try await bind(SocketAddress(ipAddress: "0.0.0.0", port: Int(port)))
    }
}

extension ServerBootstrap {
    package func bindAnywhere(port: UInt16) async throws -> any Channel {
        try await Connections.bindAnywhere(port: port) { try await bind(to: $0).get() }
    }
}
