package import Foundation
package import WireProtocol

extension PeerAddress {
    /// As the system has it, with its scope and without a port; `nil` for what is no IP address.
    package init?(_ address: UnsafePointer<sockaddr>) {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            let number = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr
            self.init(ipv4: UInt32(bigEndian: number), port: 0)
        case AF_INET6:
            let address = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self)
            let (high, low) = withUnsafeBytes(of: address.sin6_addr) {
                ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            }
            self.init(
                high: UInt64(bigEndian: high), low: UInt64(bigEndian: low), port: 0, scope: address.sin6_scope_id)
        default: return nil
        }
    }
}
