internal import CAvahi

/// The DNS-SD types of what we announce (RFC 6763, 4.1.2).
enum ServiceType {
    /// A room.
    static let room = "_roomful._tcp"
    /// A controller that waits to be called into a room.
    static let controller = "_roomful-pad._tcp"
}

/// Multicast DNS only: a room is on this network or nowhere.
let domain = "local"

extension GameLabel {
    /// The DNS-SD subtype under which rooms of this game are listed.
    var subtype: String { "_\(text)._sub.\(ServiceType.room)" }
}

/// A TXT record on its way into Avahi, freed when nobody needs it any more.
final class TXTStrings {
    let list: UnsafeMutablePointer<AvahiStringList>?

    init(_ strings: [[UInt8]]) {
        // Each string goes in front. The order comes out right: Avahi turns the list round once more.
        list = strings.reduce(nil) { avahi_string_list_add_arbitrary($0, $1, $1.count) }
    }

    deinit { avahi_string_list_free(list) }

    /// A TXT record as Avahi hands it to a callback, copied in its order on the wire. An empty one comes as nil.
    ///
    /// - Parameter reversed: from a responder that hands it out back to front.
    static func copy(_ list: UnsafeMutablePointer<AvahiStringList>?, reversed: Bool) -> [[UInt8]] {
        var strings: [[UInt8]] = []
        var rest = list
        while let node = rest {
            let text = UnsafeBufferPointer(
                start: avahi_string_list_get_text(node), count: avahi_string_list_get_size(node))
            strings.append(Array(text))
            rest = avahi_string_list_get_next(node)
        }
        return reversed ? strings.reversed() : strings
    }
}

extension IPAddress {
    init?(_ address: AvahiAddress) {
        switch Int(address.proto) {
        case AVAHI_PROTO_INET:
            self = .v4(UInt32(bigEndian: address.data.ipv4.address))
        case AVAHI_PROTO_INET6:
            let bytes = withUnsafeBytes(of: address.data.ipv6.address) { Array($0) }
            self = .v6(bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }, bytes[8...].reduce(0) { $0 << 8 | UInt64($1) })
        default:
            return nil
        }
    }
}

extension Sighting.IPVersion {
    init?(_ avahi: AvahiProtocol) {
        switch Int(avahi) {
        case AVAHI_PROTO_INET: self = .v4
        case AVAHI_PROTO_INET6: self = .v6
        default: return nil
        }
    }

    var avahi: AvahiProtocol { AvahiProtocol(self == .v4 ? AVAHI_PROTO_INET : AVAHI_PROTO_INET6) }
}

/// The kernel's name of an interface, or its index in digits if it is gone.
func interfaceName(_ index: UInt32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(IF_NAMESIZE)) { buffer in
        if_indextoname(index, buffer.baseAddress).map { String(cString: $0) } ?? "\(index)"
    }
}

extension AvahiAddress {
    init(_ address: IPAddress) {
        self.init()
        switch address {
        case .v4(let word):
            proto = AvahiProtocol(AVAHI_PROTO_INET)
            data.ipv4.address = word.bigEndian
        case .v6(let high, let low):
            proto = AvahiProtocol(AVAHI_PROTO_INET6)
            withUnsafeMutableBytes(of: &data.ipv6.address) { bytes in
                bytes.storeBytes(of: high.bigEndian, toByteOffset: 0, as: UInt64.self)
                bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
            }
        }
    }
}
