import WireProtocol

/// Percent-encodes (RFC 3986, 2.1) all bytes but those of the unreserved characters.
package func percentEncoded(_ text: String) -> String {
    percentEncoded(text) { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}

/// Percent-encodes the bytes that are not `kept`.
package func percentEncoded(_ text: String, keeping isKept: (UInt8) -> Bool) -> String {
    let percent = UInt8(ascii: "%")
    let bytes = text.utf8.flatMap { byte -> [UInt8] in
        isKept(byte) ? [byte] : [percent] + Hexadecimal.encode(CollectionOfOne(byte)).uppercased().utf8
    }
    return String(decoding: bytes, as: UTF8.self)
}

/// The text behind a percent-encoded one; `nil` if a `%` is not followed by two digits, or if it is not UTF-8.
package func percentDecoded(_ text: some StringProtocol) -> String? {
    var rest = Array(text.utf8)[...]
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "%") else {
            bytes.append(byte)
            continue
        }
        let digits = String(decoding: rest.prefix(2), as: UTF8.self)
        guard rest.count >= 2, let decoded = Hexadecimal.decode(digits) else { return nil }
        bytes += decoded
        rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
}
