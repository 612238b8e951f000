/// What a TXT record holds under keys that are known, each as it came first (RFC 6763, 6.4).
struct TXTValues {
    /// The version of our key sets, sent as `txtvers` (RFC 6763, 6.7).
    static let layout = "1"

    /// The largest TXT record that is read, in bytes with length prefixes: what fits a datagram (RFC 6763, 6.2).
    static let maximumBytes = 1_300

    /// A key that is present without a readable value holds nil, and hides what follows under the same key.
    private var found: [String: String?] = [:]

    /// Reads what some device on the network sent; unknown keys and strings without a key are ignored.
    init(_ strings: [[UInt8]], of keys: [String]) throws(RecordRejection) {
        guard strings.reduce(0, { $0 + $1.count + 1 }) <= Self.maximumBytes else { throw .oversize }
        for string in strings { read(string, keys) }
        guard self["txtvers"] ?? Self.layout == Self.layout else { throw .unknownLayout }
    }

    subscript(key: String) -> String? { found[key] ?? nil }

    /// A number of at most five decimal digits, without sign or space.
    func decimal(_ key: String) -> UInt16? {
        guard let text = self[key], (1...5).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return UInt16(text)
    }

    private mutating func read(_ string: [UInt8], _ keys: [String]) {
        let equals = string.firstIndex(of: UInt8(ascii: "=")) ?? string.endIndex
        guard let key = String(validating: string[..<equals], as: UTF8.self)?.lowercased(),
            key == "txtvers" || keys.contains(key), found[key] == nil
        else { return }
        let value = string[equals...].dropFirst()
        found[key] = .some(equals < string.endIndex ? String(validating: value, as: UTF8.self) : nil)
    }

    /// As `key=value` strings; whatever is nil stays unsaid.
    static func strings(_ pairs: [(key: String, value: String?)]) -> [[UInt8]] {
        pairs.compactMap { pair in pair.value.map { Array("\(pair.key)=\($0)".utf8) } }
    }
}
