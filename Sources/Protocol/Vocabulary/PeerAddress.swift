/// Where datagrams come from and go to: an IP address and a port, flat, so that a table of peers holds it inline.
///
/// An IPv4 address is held mapped into IPv6 (`::ffff:192.168.1.5`, RFC 4291, 2.5.5.2), so one socket and one type
/// serve both.
public struct PeerAddress: Hashable, Sendable {
    /// The first 8 bytes of the IPv6 address, as a number: the network's prefix.
    public var high: UInt64
    /// The last 8 bytes.
    public var low: UInt64
    /// The number of the interface that a link-local address belongs to; 0 for all others.
    public var scope: UInt32
    /// The UDP or TCP port.
    public var port: UInt16

    /// An IPv6 address, or an IPv4 address that is mapped already, as two numbers of 64 bits.
    public init(high: UInt64, low: UInt64, port: UInt16, scope: UInt32 = 0) {
        self.high = high
        self.low = low
        self.scope = scope
        self.port = port
    }

    /// The IPv4 address `a.b.c.d`, given as one number with `a` the highest byte.
    public init(ipv4: UInt32, port: UInt16) {
        self.init(high: 0, low: mappedPrefix | UInt64(ipv4), port: port)
    }

    /// The IPv4 address as one number, if it is one.
    public var ipv4: UInt32? {
        high == 0 && low >> 32 == mappedPrefix >> 32 ? UInt32(truncatingIfNeeded: low) : nil
    }

    /// `::1` or 127.0.0.0/8: the machine itself.
    public var isLoopback: Bool { ipv4.map { $0 >> 24 == 127 } ?? (high == 0 && low == 1) }

    /// `::` or 0.0.0.0, which stands for no address, and is the machine itself to whoever connects there.
    package var isUnspecified: Bool { ipv4 == 0 || high == 0 && low == 0 }

    /// Whose it is, as far as addresses tell: without the port, and of an IPv6 address its network, as a machine has a whole one.
    package var machine: PeerAddress {
        let own = withoutPort
        return PeerAddress(high: own.high, low: own.ipv4 == nil ? 0 : own.low, port: 0)
    }

    /// Without port and interface, as others know it.
    package var bare: PeerAddress { PeerAddress(high: high, low: low, port: 0) }

    /// The same address, whatever program speaks from it. The machine itself has sixteen million: they count as one.
    package var withoutPort: PeerAddress {
        isLoopback ? PeerAddress(ipv4: 0x7F00_0001, port: 0) : bare
    }

    /// fe80::/10: valid on one interface only, the one that ``scope`` names.
    public var isLinkLocal: Bool { high >> 54 == 0xFE80 >> 6 }

    /// The IPv6 address's eight groups of 16 bits, from left to right.
    var groups: [UInt16] {
        [high, low].flatMap { half in
            [48, 32, 16, 0].map { UInt16(truncatingIfNeeded: half >> UInt64($0)) }
        }
    }
}

/// `::ffff:0:0`, the place of the IPv4 addresses.
private let mappedPrefix: UInt64 = 0x0000_FFFF_0000_0000
