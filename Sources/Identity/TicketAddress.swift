internal import Glibc
public import WireProtocol

extension Ticket {
    /// A host, by name or by address, and its port: `192.168.1.5:7777`, `[2001:db8::5]:7777`, `games.local:7777`.
    public struct Address: Hashable, Sendable {
        /// A DNS name, or an IP address without brackets.
        public let host: String
        /// 1 to 65535.
        public let port: UInt16

        /// `nil` unless `host` is a DNS name, an IPv4 address, or an IPv6 address, perhaps with an interface's number.
        public init?(host: String, port: UInt16) {
            guard port > 0, isDNSName(host) || PeerAddress(host: host, port: port) != nil else { return nil }
            self.host = host.lowercased()
            self.port = port
        }

        /// The address as a ticket writes it.
        public init(_ address: PeerAddress) {
            host = address.host
            port = address.port
        }

        /// Belongs to one interface of one machine, so a browser cannot be sent there.
        package var hasScope: Bool { host.contains("%") }
    }
}

extension Ticket.Address: LosslessStringConvertible {
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    public init?(_ text: String) {
        guard text.utf8.count <= 300, let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...]), !text.hasSuffix("+\(port)")
        else { return nil }
        let front = text[..<colon]
        let isBracketed = front.first == "[" && front.last == "]"
        let host = isBracketed ? front.dropFirst().dropLast() : front
        guard host.contains(":") == isBracketed else { return nil }
        self.init(host: String(host), port: port)
    }
}

extension Ticket.Address {
    /// An address as a person gives it on this machine: as above, and as `roomful browse` prints it, where a link-local
    /// one names its interface (`[fe80::1%eth0]:7777`, RFC 4007).
    ///
    /// - Returns: `nil` also for an interface that this machine does not have.
    public static func onThisMachine(_ text: String) -> Self? {
        if let address = Self(text) { return address }
        guard let percent = text.firstIndex(of: "%"), let bracket = text.lastIndex(of: "]"), percent < bracket else {
            return nil
        }
        let index = if_nametoindex(String(text[text.index(after: percent)..<bracket]))
        return index == 0 ? nil : Self(text[...percent] + String(index) + text[bracket...])
    }
}
