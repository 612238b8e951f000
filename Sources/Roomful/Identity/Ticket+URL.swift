import WireProtocol

/// A ticket as the URL of a QR code.
///
/// ```
/// https://192.168.1.5:7777/#v=1&i=<room id>&p=<pin>&c=7KQM2X9D&r=Living%20Room&a=192.168.2.7:7777
/// ```
/// Everything but the place stands in the fragment, which no browser sends to a server or through a proxy. Id and pin
/// are base64url (RFC 4648, 5) without padding: a QR code has little room.
extension Ticket {
    /// Holds the code.
    public var url: String {
        // A browser cannot be sent to an address that needs an interface.
        let first = addresses.firstIndex { !$0.hasScope } ?? 0
        var fields = ["v=1", "i=\(base64url(roomID.bytes))", "p=\(base64url(pin.bytes))"]
        if let code { fields.append("c=\(code.text.filter { $0 != "-" })") }
        fields.append("r=\(percentEncoded(room))")
        for index in addresses.indices where index != first {
            fields.append("a=\(percentEncoded(addresses[index].description) { $0 != UInt8(ascii: "%") })")
        }
        let place = percentEncoded(addresses[first].description) { $0 != UInt8(ascii: "%") }
        return "https://\(place)/#" + fields.joined(separator: "&")
    }

    init(url text: Substring) throws(IdentityError) {
        let rest = text.dropFirst("https://".count)
        guard let hash = rest.firstIndex(of: "#") else { throw .malformedTicket("its URL has nothing after a “#”") }
        let place = rest[..<hash].prefix { $0 != "/" && $0 != "?" }
        var fields = Fields()
        // The port may be left out where it is the usual one.
        let address = percentDecoded(place).flatMap { Address($0) ?? Address("\($0):443") }
        fields.addresses.append(try parsed(address, "address"))

        var version: String?
        for field in rest[rest.index(after: hash)...].split(separator: "&") {
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            let value = try parsed(percentDecoded(parts[1]), "fragment")
            switch parts[0] {
            case "v": version = value
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
        try self.init(fields)
    }
}

private let base64urlDigits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

/// Base 64 with the URL's alphabet, without padding (RFC 4648, 5).
func base64url(_ bytes: [UInt8]) -> String {
    var digits: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
        let group = bytes[start..<min(start + 3, bytes.count)]
        let bits = group.reduce(0 as UInt32) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
        for place in 0...group.count { digits.append(base64urlDigits[Int(bits >> UInt32(18 - 6 * place)) & 63]) }
    }
    return String(decoding: digits, as: UTF8.self)
}

/// The bytes behind such a text; `nil` for a wrong digit or length, or if unused bits are set.
func bytes(base64url text: String) -> [UInt8]? {
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
