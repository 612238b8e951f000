import Foundation
package import WireProtocol

extension [PeerAddress] {
    /// The address by which others most likely reach this machine first: a QR code has room for one.
    ///
    /// That is the one that the way out of the network begins at, so that bridges of containers and virtual machines do
    /// not come first; then IPv4 before IPv6, as they were.
    package func bestFirst() -> [PeerAddress] {
        let outward = PeerAddress.outward.filter(contains)
        let rest = filter { !outward.contains($0) }
        return outward + rest.filter { $0.ipv4 != nil } + rest.filter { $0.ipv4 == nil }
    }
}

extension PeerAddress {
    /// The addresses that the way out of the network begins at, IPv4 first, without ports; none without such a way.
    package static var outward: [PeerAddress] { [outwardAddress(.ipv4), outwardAddress(.ipv6)].compactMap { $0 } }

    /// This machine is in a network that has a way out, by an address that it was given there.
    package static var hasWayOut: Bool { outward.contains { !$0.isSelfAssigned } }

    /// 169.254.0.0/16 (RFC 3927): what a machine takes where nobody gives it an address.
    var isSelfAssigned: Bool { ipv4.map { $0 >> 16 == 0xA9FE } ?? false }
}

private enum Family { case ipv4, ipv6 }

/// Where a datagram to the world would be sent from. Connecting a UDP socket asks the kernel's routes and sends nothing;
/// the destinations are for documentation (RFC 5737, RFC 3849), so nobody would be there either.
private func outwardAddress(_ family: Family) -> PeerAddress? {
    let number = socket(family == .ipv4 ? AF_INET : AF_INET6, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC, 0)
    guard number >= 0 else { return nil }
    defer { close(number) }
    switch family {
    case .ipv4:
        var there = sockaddr_in()
        there.sin_family = sa_family_t(AF_INET)
        there.sin_port = UInt16(9).bigEndian
        there.sin_addr.s_addr = UInt32(0xC000_0201).bigEndian
        guard let here = sourceAddress(number, to: &there, as: sockaddr_in()) else { return nil }
        return PeerAddress(ipv4: UInt32(bigEndian: here.sin_addr.s_addr), port: 0)
    case .ipv6:
        var there = sockaddr_in6()
        there.sin6_family = sa_family_t(AF_INET6)
        there.sin6_port = UInt16(9).bigEndian
        withUnsafeMutableBytes(of: &there.sin6_addr) {
            $0.storeBytes(of: UInt32(0x2001_0DB8).bigEndian, as: UInt32.self)
        }
        guard let here = sourceAddress(number, to: &there, as: sockaddr_in6()) else { return nil }
        let (high, low) = withUnsafeBytes(of: here.sin6_addr) {
            ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
        return PeerAddress(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low), port: 0)
    }
}

private func sourceAddress<Address>(_ socket: Int32, to there: inout Address, as here: Address) -> Address? {
    var here = here
    var length = socklen_t(MemoryLayout<Address>.size)
    let isConnected = withUnsafePointer(to: &there) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, length) == 0 }
    }
    guard isConnected else { return nil }
    let isKnown = withUnsafeMutablePointer(to: &here) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) == 0 }
    }
    return isKnown ? here : nil
}
