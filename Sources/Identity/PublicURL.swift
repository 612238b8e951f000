import WireProtocol
/// Where phones and browsers reach the room if not at its own address: `host --url https://play.example.org`.
///
/// A name that a reverse proxy, a tunnel or a certificate of the operator's own stands behind. It has no path, as a
/// room's pages are at the root.
public struct PublicURL: Hashable, Sendable {
    /// A DNS name in lower case, or an address without brackets.
    public let host: String
    /// 443 where nothing else was said.
    public let port: UInt16

    /// - Throws: ``IdentityError`` with `malformedURL`, which says what to write instead.
    public init(_ text: String) throws(IdentityError) {
        let example = "such as --url https://play.example.org"
        let shown = printable(text)
        guard text.lowercased().hasPrefix("https://") else {
            throw IdentityError(
                .malformedURL,
                "\"\(shown)\" must begin with https://, as phones give no motion to other pages: \(example)"
            )
        }
        var place = text.dropFirst("https://".count)
        if place.last == "/" { place.removeLast() }
        guard !place.contains(where: { "/?#@".contains($0) }) else {
            throw IdentityError(
                .malformedURL,
                "\"\(shown)\" must be a name alone, perhaps with a port, as the room's pages are at the root: \(example)"
            )
        }
        guard let address = Ticket.Address(String(place)) ?? Ticket.Address("\(place):443"), !address.hasScope else {
            throw IdentityError(.malformedURL, "\"\(shown)\" holds no name or address that can be reached: \(example)")
        }
        host = address.host
        port = address.port
    }

    /// What stands in a `Host` header (RFC 9110, 7.2): without the usual port.
    public var authority: String {
        let bare = host.contains(":") ? "[\(host)]" : host
        return port == 443 ? bare : "\(bare):\(port)"
    }

    /// What a browser names as a page's origin (RFC 6454, 6.2).
    public var origin: String { "https://\(authority)" }
}

extension PublicURL: CustomStringConvertible {
    public var description: String { origin + "/" }
}
