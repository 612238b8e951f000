/// Writes a message's fields, big end first.
struct WireWriter {
    private(set) var bytes: [UInt8]

    init(_ kind: UInt8) { bytes = [kind] }

    mutating func write(_ value: some FixedWidthInteger & UnsignedInteger) {
        for place in stride(from: value.bitWidth - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> place))
        }
    }

    /// At most 255 bytes, their number first; what is longer ends there.
    mutating func write(_ short: some Collection<UInt8>) {
        bytes.append(UInt8(min(short.count, 255)))
        bytes += short.prefix(255)
    }

    /// What is too long ends after a whole character.
    mutating func write(_ text: String) {
        var bytes = Array(text.utf8.prefix(255))
        while String(validating: bytes, as: UTF8.self) == nil { bytes.removeLast() }
        write(bytes)
    }

    mutating func write(_ strings: [[UInt8]]) {
        write(UInt16(clamping: strings.count))
        for string in strings.prefix(Int(UInt16.max)) { write(string) }
    }

    /// Nothing and an empty text are the same.
    mutating func write(_ text: String?) { write(text ?? "") }
}

/// Reads a message's fields, of which nothing need be right.
struct WireReader {
    private var rest: ArraySlice<UInt8>

    init(_ message: ArraySlice<UInt8>) { rest = message }

    mutating func integer<Value: FixedWidthInteger & UnsignedInteger>(
        _: Value.Type = Value.self
    ) throws(ResponderWireError) -> Value {
        try take(Value.bitWidth / 8).reduce(0) { $0 << 8 | Value($1) }
    }

    mutating func short() throws(ResponderWireError) -> ArraySlice<UInt8> { try take(Int(integer(UInt8.self))) }

    mutating func text() throws(ResponderWireError) -> String {
        guard let text = String(validating: try short(), as: UTF8.self), !text.utf8.contains(0) else {
            throw .unreadable
        }
        return text
    }

    mutating func optionalText() throws(ResponderWireError) -> String? {
        let text = try text()
        return text.isEmpty ? nil : text
    }

    mutating func strings() throws(ResponderWireError) -> [[UInt8]] {
        var strings: [[UInt8]] = []
        // No room is kept for what is only claimed.
        for _ in 0..<(try integer(UInt16.self)) { strings.append(Array(try short())) }
        return strings
    }

    /// Nothing may follow.
    func end() throws(ResponderWireError) { guard rest.isEmpty else { throw .excess } }

    private mutating func take(_ count: Int) throws(ResponderWireError) -> ArraySlice<UInt8> {
        guard rest.count >= count else { throw .cut }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}
