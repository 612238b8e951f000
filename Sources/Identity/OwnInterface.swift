import Foundation
import PrivateFiles
import WireProtocol

/// A network interface of this machine, as far as it matters where others are sent.
struct OwnInterface: Hashable, Sendable {
    var name: String
    /// As the system has them (netdevice(7)).
    var flags: UInt32
    /// Without ports and interfaces.
    var addresses: [PeerAddress]
    /// Of the ways to the whole world by IPv4 that begin here, the best one's, which is the least; `nil` without any.
    var metric: UInt32?
    /// Containers and virtual machines are behind it, unless it has a way out.
    var isBridge = false

    /// It is switched on, and there is something at its other end.
    var isConnected: Bool { flags & UInt32(IFF_UP) != 0 && flags & UInt32(IFF_RUNNING) != 0 }

    /// Whoever is in the network can be reached by it at once, as in a LAN: what has one other end alone is a tunnel.
    var isShared: Bool { flags & UInt32(IFF_BROADCAST) != 0 }

    /// It is in a network that others are in, too.
    ///
    /// - Parameter outward: the addresses that the way out of the network begins at.
    func isAmongOthers(outward: [PeerAddress]) -> Bool {
        guard isConnected else { return false }
        let given = addresses.filter { !$0.isLoopback && !$0.isLinkLocal && !$0.isSelfAssigned }
        return given.contains { outward.contains($0) } || (isShared && !isBridge && !given.isEmpty)
    }
}

extension OwnInterface {
    /// Those that have an address.
    static func all() -> [OwnInterface] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        let ways = waysOut(in: kernelTable("/proc/net/route") ?? "")
        var found: [OwnInterface] = []
        var next = first
        while let entry = next?.pointee {
            next = entry.ifa_next
            // Its interface is said beside it.
            guard let address = entry.ifa_addr.flatMap({ PeerAddress($0) })?.bare else { continue }
            // A second address of IPv4 may have a label: "eth0:1".
            let name = String(String(cString: entry.ifa_name).prefix { $0 != ":" })
            if let place = found.firstIndex(where: { $0.name == name }) {
                found[place].addresses.append(address)
            } else {
                found.append(
                    OwnInterface(
                        name: name, flags: entry.ifa_flags, addresses: [address],
                        metric: ways.filter { $0.interface == name }.map { $0.metric }.min(),
                        isBridge: isBridgeOfContainers(name)))
            }
        }
        return found
    }

    /// A bridge without a port that is a machine's own: one with leads to its LAN, as virtual machines' hosts have it.
    private static func isBridgeOfContainers(_ name: String) -> Bool {
        guard access("/sys/class/net/\(name)/bridge", F_OK) == 0 else { return false }
        let ports = (try? FileManager.default.contentsOfDirectory(atPath: "/sys/class/net/\(name)/brif")) ?? []
        return !ports.contains { access("/sys/class/net/\($0)/device", F_OK) == 0 }
    }

    /// The ways to the whole world in such a table as `/proc/net/route` (proc(5)). What a VPN lays before them leads to
    /// one half of it each.
    static func waysOut(in table: String) -> [(interface: String, metric: UInt32)] {
        let (isUp, isRefused): (UInt32, UInt32) = (0x1, 0x200)  // RTF_UP, RTF_REJECT
        return table.split(separator: "\n").compactMap { line -> (interface: String, metric: UInt32)? in
            let columns = line.split { $0 == "\t" || $0 == " " }
            guard columns.count >= 8, columns[1] == "00000000", columns[7] == "00000000",
                let flags = UInt32(columns[3], radix: 16), flags & (isUp | isRefused) == isUp,
                let metric = UInt32(columns[6])
            else { return nil }
            return (String(columns[0]), metric)
        }
    }
}
