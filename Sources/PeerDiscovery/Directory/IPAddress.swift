import WireProtocol

/// An address that a room can be reached at.
public enum IPAddress: Sendable, Hashable {
    /// An IPv4 address as one number, its first part the highest byte.
    case v4(UInt32)
    /// An IPv6 address as two numbers, the network's half first.
    case v6(UInt64, UInt64)

    /// Where a device may be reached from, in the order in which addresses are worth trying.
    enum Reach: Int, Comparable {
        case loopback, network, linkLocal, nowhere

        static func < (a: Reach, b: Reach) -> Bool { a.rawValue < b.rawValue }
    }

    var isV6: Bool { if case .v6 = self { true } else { false } }

    var reach: Reach {
        switch self {
        case .v4(let word):
            switch word >> 24 {
            case 0, 224...: .nowhere  // this network (RFC 1122), multicast, reserved, broadcast
            case 127: .loopback
            default: word >> 16 == 0xA9FE ? .linkLocal : .network  // 169.254/16, RFC 3927
            }
        case .v6(0, 1): .loopback
        case .v6(let high, _):
            switch high >> 48 {
            case 0, 0xFF00...: .nowhere  // unspecified and IPv4-mapped; multicast
            case 0xFE80..<0xFEC0: .linkLocal
            default: .network
            }
        }
    }
}

extension IPAddress: Comparable {
    /// IPv4 before IPv6, then by value.
    public static func < (a: IPAddress, b: IPAddress) -> Bool {
        switch (a, b) {
        case (.v4(let a), .v4(let b)): a < b
        case (.v6(let a, let c), .v6(let b, let d)): (a, c) < (b, d)
        case (.v4, .v6): true
        case (.v6, .v4): false
        }
    }
}

extension IPAddress: CustomStringConvertible {
    /// Dotted decimal, or the canonical text of RFC 5952.
    public var description: String {
        switch self {
        case .v4(let word): PeerAddress(ipv4: word, port: 0).host
        case .v6(let high, let low): PeerAddress(high: high, low: low, port: 0).host
        }
    }
}
