/// Where a site's broker is: `nats://HOST:PORT`, or `tls://…` where the connection is to be encrypted.
///
/// A user and password, or a token, may stand before the host; they are kept apart and never printed.
package struct BrokerAddress: Hashable, Sendable, CustomStringConvertible {
    package var isSecure: Bool
    /// A DNS name, an IPv4 address, or an IPv6 address without brackets.
    package var host: String
    package var port: UInt16
    /// With a password a user, without one a token; decoded.
    package var user: String?
    package var password: String?

    package static let usualPort: UInt16 = 4_222

    /// `nil` for what is no such address.
    package init?(_ text: String) {
        guard text.utf8.count <= 1_024, !text.unicodeScalars.contains(where: { $0.value <= 32 || $0.value == 127 })
        else {
            return nil
        }
        var rest = text[...]
        let schemes: [(String, Bool)] = [("nats://", false), ("tls://", true)]
        isSecure = false
        if let (scheme, secure) = schemes.first(where: { text.lowercased().hasPrefix($0.0) }) {
            rest = rest.dropFirst(scheme.count)
            isSecure = secure
        } else if text.contains("://") {
            return nil
        }
        if rest.last == "/" { rest.removeLast() }
        if let at = rest.lastIndex(of: "@") {
            let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard let first = parts.first.flatMap({ Self.decoded($0) }), !first.isEmpty else { return nil }
            user = first
            if parts.count == 2 {
                guard let second = Self.decoded(parts[1]) else { return nil }
                password = second
            }
            rest = rest[rest.index(after: at)...]
        }
        guard let (host, port) = Self.place(rest) else { return nil }
        (self.host, self.port) = (host, port)
    }

    /// Without whatever is secret.
    package var description: String {
        "\(isSecure ? "tls" : "nats")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    private static func place(_ text: Substring) -> (String, UInt16)? {
        var (name, port) = (text, Substring())
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return nil }
            name = text[text.index(after: text.startIndex)..<end]
            port = text[text.index(after: end)...]
            guard name.contains(":") else { return nil }
        } else if let colon = text.firstIndex(of: ":") {
            (name, port) = (text[..<colon], text[colon...])
        }
        let isHost = name.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                || [".", "-", "_", ":", "%"].contains(scalar)
        }
        guard isHost, !name.isEmpty else { return nil }
        guard !port.isEmpty else { return (String(name), usualPort) }
        guard port.first == ":", let number = UInt16(port.dropFirst()), number > 0 else { return nil }
        return (String(name), number)
    }

    /// Percent-encoding (RFC 3986, 2.1) undone; `nil` where that is no UTF-8.
    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        let isPlain = bytes.allSatisfy { $0 > 31 && $0 != 127 }
        return isPlain ? String(validating: bytes, as: UTF8.self) : nil
    }
}
