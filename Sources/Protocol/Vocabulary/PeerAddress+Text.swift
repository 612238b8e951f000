/// As people write it: `192.168.1.5:4000`, `[2001:db8::5]:4000`, `[fe80::1%2]:4000` (RFC 5952 and RFC 4007).
///
/// An interface stands there by number; names such as `%eth0` belong to the shell, which can look them up.
extension PeerAddress: LosslessStringConvertible {
    public var description: String {
        if ipv4 != nil { return "\(host):\(port)" }
        return "[\(host)]:\(port)"
    }

    /// The address without its port and brackets.
    public var host: String {
        if let ipv4 {
            return [24, 16, 8, 0].map { String(ipv4 >> UInt32($0) & 0xFF) }.joined(separator: ".")
        }
        return shortened(groups) + (scope == 0 ? "" : "%\(scope)")
    }

    /// `nil` unless the text is an address with a port, written as above.
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = decimal(text[text.index(after: colon)...], UInt16.self)
        else { return nil }
        let front = text[..<colon]
        let isBracketed = front.first == "[" && front.last == "]"
        let host = isBracketed ? front.dropFirst().dropLast() : front
        guard host.contains(":") == isBracketed else { return nil }
        self.init(host: host, port: port)
    }

    /// `nil` unless `host` is an IPv4 address, or an IPv6 address with or without an interface's number.
    public init?(host: some StringProtocol, port: UInt16) {
        if !host.contains(":") {
            let bytes = host.split(separator: ".", omittingEmptySubsequences: false).map { decimal($0, UInt8.self) }
            guard bytes.count == 4, !bytes.contains(nil) else { return nil }
            self.init(ipv4: bytes.reduce(0) { $0 << 8 | UInt32($1 ?? 0) }, port: port)
            return
        }
        let parts = host.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard let groups = expanded(parts[0]) else { return nil }
        var scope: UInt32 = 0
        if parts.count == 2 {
            guard let number = decimal(parts[1], UInt32.self) else { return nil }
            scope = number
        }
        func half(_ range: Range<Int>) -> UInt64 { groups[range].reduce(0) { $0 << 16 | UInt64($1) } }
        self.init(high: half(0..<4), low: half(4..<8), port: port, scope: scope)
    }
}

/// The eight groups with the first longest run of two or more zeros written `::` (RFC 5952, 4.2).
private func shortened(_ groups: [UInt16]) -> String {
    var longest = 0..<0
    var start = 0
    for end in 1...8 where end == 8 || groups[end] != 0 || groups[start] != 0 {
        if groups[start] == 0, end - start > max(longest.count, 1) { longest = start..<end }
        start = end
    }
    func hex(_ part: ArraySlice<UInt16>) -> String { part.map { String($0, radix: 16) }.joined(separator: ":") }
    if longest.isEmpty { return hex(groups[...]) }
    return hex(groups[..<longest.lowerBound]) + "::" + hex(groups[longest.upperBound...])
}

/// The eight groups of an IPv6 address in hexadecimal, at most one `::` in it.
private func expanded(_ text: some StringProtocol) -> [UInt16]? {
    func parse(_ part: some StringProtocol) -> [UInt16]? {
        if part.isEmpty { return [] }
        let groups = part.split(separator: ":", omittingEmptySubsequences: false).map { digits in
            (1...4).contains(digits.utf8.count) && digits.allSatisfy { $0.isASCII && $0.isHexDigit }
                ? UInt16(digits, radix: 16) : nil
        }
        return groups.contains(nil) ? nil : groups.compactMap { $0 }
    }
    guard let gap = firstGap(in: text) else {
        guard let groups = parse(text), groups.count == 8 else { return nil }
        return groups
    }
    guard let left = parse(text[..<gap.lowerBound]), let right = parse(text[gap.upperBound...]),
        left.count + right.count < 8
    else { return nil }
    return left + Array(repeating: 0, count: 8 - left.count - right.count) + right
}

/// Where the first `::` stands.
private func firstGap<Text: StringProtocol>(in text: Text) -> Range<Text.Index>? {
    var index = text.startIndex
    while let colon = text[index...].firstIndex(of: ":") {
        index = text.index(after: colon)
        if index < text.endIndex, text[index] == ":" { return colon..<text.index(after: index) }
    }
    return nil
}

/// A decimal number without sign or leading zero.
private func decimal<Number: FixedWidthInteger>(_ digits: some StringProtocol, _: Number.Type) -> Number? {
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), digits.utf8.count == 1 || digits.first != "0"
    else { return nil }
    return Number(digits)
}
