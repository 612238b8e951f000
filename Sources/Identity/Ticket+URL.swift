import WireProtocol

/// A ticket as a URL.
///
/// ```
/// https://192.168.1.5:7777/#v=1&i=<room id>&p=<pin>&c=7KQM2X9D&r=Living%20Room&a=192.168.2.7:7777
/// ```
/// Everything but the place stands in the fragment, which no browser sends to a server or through a proxy. Id and pin
/// are base64url (RFC 4648, 5) without padding: a QR code has little room. `u=1` says that the place is a name for
/// browsers (`--url`), behind which a native controller may find a proxy instead of the room: it goes to `a`.
extension Ticket {
    /// Holds the code, and all addresses.
    public var url: String { url(at: nil) }

    /// The same with the place that the operator gave to browsers, if any.
    public func url(at place: PublicURL?) -> String {
        let others = place == nil ? addresses.indices.filter { $0 != browsable } : Array(addresses.indices)
        let more = others.map { "a=\(percentEncoded(addresses[$0].description) { $0 != UInt8(ascii: "%") })" }
        return (["\(root(place))#\(fields)"] + (place == nil ? [] : ["u=1"]) + more).joined(separator: "&")
    }

    /// What a QR code holds: the shortest URL that brings a phone in. Holds the code.
    public func link(at place: PublicURL?) -> String { "\(root(place))#\(fields)" + (place == nil ? "" : "&u=1") }

    /// A browser cannot be sent to an address that needs an interface.
    private var browsable: Int { addresses.firstIndex { !$0.hasScope } ?? 0 }

    private func root(_ place: PublicURL?) -> String {
        if let place { return place.description }
        return "https://\(percentEncoded(addresses[browsable].description) { $0 != UInt8(ascii: "%") })/"
    }

    private var fields: String {
        var fields = ["v=1", "i=\(base64url(roomID.bytes))", "p=\(base64url(pin.bytes))"]
        if let code { fields.append("c=\(code.text.filter { $0 != "-" })") }
        fields.append("r=\(percentEncoded(room))")
        return fields.joined(separator: "&")
    }

    init(url text: Substring) throws(IdentityError) {
        let rest = text.dropFirst("https://".count)
        guard let hash = rest.firstIndex(of: "#") else { throw .malformedTicket("its URL has nothing after a “#”") }
        let place = rest[..<hash].prefix { $0 != "/" && $0 != "?" }
        var fields = Fields()
        // The port may be left out where it is the usual one.
        let address = percentDecoded(place).flatMap { Address($0) ?? Address("\($0):443") }
        let placed = try parsed(address, "address")

        var version: String?
        var isForBrowsers = false
        for field in rest[rest.index(after: hash)...].split(separator: "&") {
            // Copied out of a page's source, each & reads &amp;.
            let field = field.hasPrefix("amp;") ? field.dropFirst(4) : field
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            let value = try parsed(percentDecoded(parts[1]), "fragment")
            switch parts[0] {
            case "v": version = value
            case "u": isForBrowsers = value == "1"
            case "i": fields.roomID = try parsed(bytes(base64url: value).flatMap { RoomID(bytes: $0) }, "id")
            case "p": fields.pin = try parsed(bytes(base64url: value).flatMap { Pin(bytes: $0) }, "pin")
            case "c": try fields.set("code", value)
            case "r": try fields.set("room", value)
            case "a": try fields.set("address", value)
            default: continue
            }
        }
        guard let version else { throw .malformedTicket("its URL does not say its version") }
        guard version == "1" else { throw .malformedTicket("it is of version \(printable(version)), not 1") }
        if !isForBrowsers || fields.addresses.isEmpty { fields.addresses.insert(placed, at: 0) }
        try self.init(fields)
    }
}

private let base64urlDigits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

/// Base 64 with the URL's alphabet, without padding (RFC 4648, 5).
package func base64url(_ bytes: [UInt8]) -> String {
    var digits: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
        let group = bytes[start..<min(start + 3, bytes.count)]
        let bits = group.reduce(0 as UInt32) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
        for place in 0...group.count { digits.append(base64urlDigits[Int(bits >> UInt32(18 - 6 * place)) & 63]) }
    }
    return String(decoding: digits, as: UTF8.self)
}

/// The bytes behind such a text; `nil` for a wrong digit or length, or if unused bits are set.
package func bytes(base64url text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var count: UInt32 = 0
    for digit in text.utf8 {
        guard let value = base64urlDigits.firstIndex(of: digit) else { return nil }
        bits = (bits << 6 | UInt32(value)) & 0xFFFF
        count += 6
        guard count >= 8 else { continue }
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
    }
    guard count < 6, bits & (1 << count - 1) == 0 else { return nil }
    return bytes
}
