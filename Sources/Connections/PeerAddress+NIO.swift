import Identity
package import NIOCore
import WireProtocol

extension PeerAddress {
    /// `nil` for what is no IP address.
    ///
    /// Read from the bytes of `sockaddr_in` and `sockaddr_in6` (ip(7), ipv6(7)): which module those types belong to for
    /// the compiler depends on what else it has read before.
    package init?(_ address: SocketAddress) {
        let isIPv6: Bool
        switch address {
        case .v4: isIPv6 = false
        case .v6: isIPv6 = true
        case .unixDomainSocket: return nil
        }
        self = address.withSockAddr { pointer, size in
            let bytes = UnsafeRawBufferPointer(start: pointer, count: size)
            func read<Number: FixedWidthInteger>(_ offset: Int, _: Number.Type) -> Number {
                Number(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
            }
            let port = read(2, UInt16.self)
            guard isIPv6 else { return PeerAddress(ipv4: read(4, UInt32.self), port: port) }
            // The interface's number alone stands in the machine's own byte order.
            let scope = bytes.loadUnaligned(fromByteOffset: 24, as: UInt32.self)
            return PeerAddress(high: read(8, UInt64.self), low: read(16, UInt64.self), port: port, scope: scope)
        }
    }
}
