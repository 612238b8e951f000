internal import CAvahi
internal import Glibc

/// An address of this machine, and the interface that has it.
struct MachineAddress: Hashable, Comparable {
    let interface: UInt32
    let address: IPAddress

    static func < (a: Self, b: Self) -> Bool { (a.interface, a.address) < (b.interface, b.address) }

    /// What neighbours may reach this machine at: of each interface that is up and carries multicast, or is the loopback,
    /// its addresses; link-local ones of IPv6 only where it has no others of that version.
    ///
    /// - Parameter interface: the name of the only one to look at; nil for all.
    static func all(on interface: String?) -> [MachineAddress] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        let found = sequence(first: first, next: { $0?.pointee.ifa_next }).compactMap { node -> MachineAddress? in
            guard let entry = node?.pointee, let address = IPAddress(entry.ifa_addr), isUsable(entry.ifa_flags),
                interface == nil || String(cString: entry.ifa_name) == interface
            else { return nil }
            return MachineAddress(interface: if_nametoindex(entry.ifa_name), address: address)
        }
        return found.filter { candidate in
            guard candidate.address.isV6, candidate.address.reach == .linkLocal else { return true }
            return !found.contains {
                $0.interface == candidate.interface && $0.address.isV6 && $0.address.reach == .network
            }
        }.sorted()
    }

    private static func isUsable(_ flags: UInt32) -> Bool {
        flags & UInt32(IFF_UP) != 0 && flags & UInt32(IFF_MULTICAST | IFF_LOOPBACK) != 0
    }
}

extension IPAddress {
    /// From what `getifaddrs` lists; nil for what is no IP address.
    fileprivate init?(_ address: UnsafePointer<sockaddr>?) {
        guard let address else { return nil }
        let bytes = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            self = .v4(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
        case AF_INET6:
            self = .v6(
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)))
        default: return nil
        }
    }
}
