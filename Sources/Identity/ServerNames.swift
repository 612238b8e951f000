import Foundation
import PrivateFiles
package import WireProtocol

/// What a host is called by those who connect to it: the names and addresses that its certificate must bear.
package struct ServerNames: Hashable, Sendable {
    /// DNS names in lower case, sorted, each once.
    package let dnsNames: [String]
    /// Addresses without port and interface, sorted by their text, each once.
    package let addresses: [PeerAddress]

    /// - Parameter dnsNames: Those that are no DNS name (RFC 1123, 2.1) are left out: a certificate cannot bear them.
    package init(dnsNames: [String], addresses: [PeerAddress]) {
        self.dnsNames = Set(dnsNames.map { $0.lowercased() }.filter(isDNSName)).sorted()
        self.addresses = Set(addresses.map(\.bare)).sorted { $0.host < $1.host }
    }

    /// Whether the address is here, whatever its port.
    func covers(_ address: PeerAddress) -> Bool { addresses.contains(address.bare) }

    /// With these, too. Those of before stay, as they may come back; of whichever kind there would be very many, they go.
    func adding(_ more: ServerNames) -> ServerNames {
        let all = ServerNames(dnsNames: dnsNames + more.dnsNames, addresses: addresses + more.addresses)
        return ServerNames(
            dnsNames: all.dnsNames.count > ServerNames.mostKept ? more.dnsNames : all.dnsNames,
            addresses: all.addresses.count > ServerNames.mostKept
                ? addresses.filter(\.isLoopback) + more.addresses : all.addresses)
    }

    private static let mostKept = 32

    /// The addresses that others on the network can be sent to, the best first. Those that a machine gives itself where
    /// it gets none stand for a network that is not there: only where there are no others, for who did the same.
    package var reachable: [PeerAddress] {
        let all = addresses.filter { !$0.isLoopback && !$0.isLinkLocal }
            .bestFirst(
                on: OwnInterface.all(), outward: PeerAddress.outward, unfit: addresses6(flagged: AddressFlag.unfit))
        let given = all.filter { !$0.isSelfAssigned }
        return given.isEmpty ? all : given
    }

    /// Whether this machine is in a network that others are in, too: not one of containers and virtual machines alone.
    package static var areAmongOthers: Bool {
        let outward = PeerAddress.outward
        return OwnInterface.all().contains { $0.isAmongOthers(outward: outward) }
    }

    /// This machine's: its host name, also with `.local`, `localhost`, and the addresses of its interfaces.
    ///
    /// Link-local IPv6 addresses are left out, as no browser can be sent to one, and so are the temporary ones of
    /// RFC 8981, which change daily: each change would be a new certificate and a new warning on every phone. Those of
    /// interfaces that are not connected are there, for the same reason.
    package static func current() -> ServerNames {
        let name = hostName()
        let dnsNames = ["localhost", name, name.split(separator: ".").first.map { $0 + ".local" } ?? name]
        let temporary = addresses6(flagged: AddressFlag.temporary)
        let addresses = OwnInterface.all().flatMap(\.addresses).filter { !$0.isLinkLocal && !temporary.contains($0) }
        return ServerNames(dnsNames: dnsNames, addresses: addresses)
    }
}

/// Labels of letters, digits and inner dashes, at most 63 long, at most 253 in all.
func isDNSName(_ name: String) -> Bool {
    guard (1...253).contains(name.utf8.count) else { return false }
    return name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
        let dash = UInt8(ascii: "-")
        return (1...63).contains(label.count) && label.first != dash && label.last != dash
            && label.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), dash:
                    true
                default: false
                }
            }
    }
}

private func hostName() -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return "" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// How the kernel flags addresses of IPv6 (`IFA_F_…`, linux/if_addr.h).
enum AddressFlag {
    /// RFC 8981.
    static let temporary: UInt32 = 0x01
    /// Of another device, too; not known yet to be of no other; of a network that is going (RFC 4862, 5.4 and 5.5.4).
    static let unfit: UInt32 = 0x08 | 0x40 | 0x20
}

private func addresses6(flagged flags: UInt32) -> Set<PeerAddress> {
    flaggedAddresses(flags, in: kernelTable("/proc/net/if_inet6") ?? "")
}

/// The addresses with one of these flags in such a table as `/proc/net/if_inet6` (proc(5)): its fifth column.
func flaggedAddresses(_ wanted: UInt32, in table: String) -> Set<PeerAddress> {
    Set(
        table.split(separator: "\n").compactMap { line in
            let columns = line.split(separator: " ")
            guard columns.count >= 5, columns[0].utf8.count == 32, let flags = UInt32(columns[4], radix: 16),
                flags & wanted != 0, let high = UInt64(columns[0].prefix(16), radix: 16),
                let low = UInt64(columns[0].suffix(16), radix: 16)
            else { return nil }
            return PeerAddress(high: high, low: low, port: 0)
        })
}
