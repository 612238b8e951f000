import Foundation
package import WireProtocol

extension [PeerAddress] {
    /// The addresses by which others reach this machine, the best first: a QR code has room for one.
    ///
    /// That is the one that the way out of the network begins at, if it is in a LAN: where a VPN takes all that leaves
    /// the machine, no phone can reach what lies at its end. Then come other networks with a way out, networks without
    /// one, tunnels, and last the bridges of containers and virtual machines; in each, IPv4 before IPv6, then as they
    /// were. What is on no interface that is connected is left out.
    ///
    /// - Parameters:
    ///   - outward: the addresses that the way out of the network begins at.
    ///   - unfit: those that go after all others, as they end soon, or may be another device's.
    func bestFirst(
        on interfaces: [OwnInterface], outward: [PeerAddress], unfit: Set<PeerAddress> = []
    ) -> [PeerAddress] {
        let ranked = enumerated().compactMap { place, address -> RankedAddress? in
            let own = interfaces.filter { $0.addresses.contains(address) }
            // Of one that no interface is known to have, nothing is known.
            guard own.isEmpty || own.contains(where: \.isConnected) else { return nil }
            let interface = own.first(where: \.isConnected)
            return RankedAddress(
                address, at: place, on: interface, isOutward: outward.contains(address),
                isUnfit: unfit.contains(address))
        }
        return ranked.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.address)
    }
}

/// An address of this machine's, and how early others are sent there.
private struct RankedAddress {
    let address: PeerAddress
    /// The first that differs decides.
    let key: [Int]

    init(_ address: PeerAddress, at place: Int, on interface: OwnInterface?, isOutward: Bool, isUnfit: Bool) {
        let isShared = interface?.isShared ?? true
        let kind =
            if !isShared {
                3
            } else if isOutward {
                0
            } else if interface?.metric != nil {
                1
            } else {
                interface?.isBridge == true ? 4 : 2
            }
        self.address = address
        key = [isUnfit ? 1 : 0, kind, address.ipv4 == nil ? 1 : 0, Int(interface?.metric ?? 0), place]
    }
}

extension PeerAddress {
    /// The addresses that the way out of the network begins at, IPv4 first, without ports; none without such a way.
    package static var outward: [PeerAddress] { [outwardAddress(.ipv4), outwardAddress(.ipv6)].compactMap { $0 } }

    /// 169.254.0.0/16 (RFC 3927): what a machine takes where nobody gives it an address.
    package var isSelfAssigned: Bool { ipv4.map { $0 >> 16 == 0xA9FE } ?? false }
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
        return sourceAddress(number, to: &there)
    case .ipv6:
        var there = sockaddr_in6()
        there.sin6_family = sa_family_t(AF_INET6)
        there.sin6_port = UInt16(9).bigEndian
        withUnsafeMutableBytes(of: &there.sin6_addr) {
            $0.storeBytes(of: UInt32(0x2001_0DB8).bigEndian, as: UInt32.self)
        }
        return sourceAddress(number, to: &there)
    }
}

private func sourceAddress<Address>(_ socket: Int32, to there: inout Address) -> PeerAddress? {
    let isConnected = withUnsafePointer(to: &there) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(socket, $0, socklen_t(MemoryLayout<Address>.size)) == 0
        }
    }
    guard isConnected else { return nil }
    var here = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &here) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            getsockname(socket, $0, &length) == 0 ? PeerAddress($0)?.bare : nil
        }
    }
}
