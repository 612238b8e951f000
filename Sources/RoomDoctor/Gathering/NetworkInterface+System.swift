import Foundation
import Identity
import WireProtocol

/// A network interface as the system has it: what the doctor says of it, and what it needs to use it.
struct SystemInterface: Sendable {
    let index: UInt32
    var shown: NetworkInterface
    var addresses: [PeerAddress]

    var name: String { shown.name }

    /// Those that are up and connected, loopback left out, in the system's order; at most 32.
    static func all() -> [SystemInterface] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var found: [SystemInterface] = []
        var next = first
        while let entry = next?.pointee {
            next = entry.ifa_next
            func has(_ flag: Int) -> Bool { Int(entry.ifa_flags) & flag != 0 }
            guard has(Int(IFF_UP)), has(Int(IFF_RUNNING)), !has(Int(IFF_LOOPBACK)) else { continue }
            let name = String(cString: entry.ifa_name)
            var place = found.firstIndex { $0.name == name }
            if place == nil, found.count < 32 {
                let shown = NetworkInterface(printable(name), [], carriesMulticast: has(Int(IFF_MULTICAST)))
                found.append(SystemInterface(index: if_nametoindex(name), shown: shown, addresses: []))
                place = found.count - 1
            }
            if let place, let address = entry.ifa_addr.flatMap({ PeerAddress($0) }) {
                found[place].addresses.append(address)
            }
        }
        return found.map { interface in
            var interface = interface
            let inOrder = interface.addresses.filter { $0.ipv4 != nil } + interface.addresses.filter { $0.ipv4 == nil }
            interface.shown.addresses = inOrder.map { PeerAddress(high: $0.high, low: $0.low, port: 0).host }
            return interface
        }
    }
}
