import WireProtocol

extension RoomRecord {
    /// The version of this key set, sent as `txtvers` (RFC 6763, 6.7).
    static let layout = "1"

    /// The largest TXT record that is read, in bytes with length prefixes: what fits a datagram (RFC 6763, 6.2).
    static let maximumBytes = 1_300

    /// The record as `key=value` strings, `txtvers` first. Never above 255 bytes each and 300 together.
    public var strings: [[UInt8]] {
        let pairs: [(key: String, value: String?)] = [
            ("txtvers", Self.layout),
            ("v", protocolVersion.map(String.init)),
            ("id", id.description),
            ("game", game?.text),
            ("free", freeSeats.map(String.init)),
            ("seats", totalSeats.map(String.init)),
            ("policy", policy?.rawValue),
            ("pin", pin?.description),
        ]
        return pairs.compactMap { pair in pair.value.map { Array("\(pair.key)=\($0)".utf8) } }
    }

    /// Reads what some device on the network sent as a TXT record.
    ///
    /// Of a repeated key the first counts; unknown keys and strings without a key are ignored (RFC 6763, 6.4). A value
    /// that makes no sense is taken as absent.
    public init(strings: [[UInt8]]) throws(RecordRejection) {
        guard strings.reduce(0, { $0 + $1.count + 1 }) <= Self.maximumBytes else { throw .oversize }
        var values = Values()
        for string in strings { values.read(string) }

        guard values["txtvers"] ?? Self.layout == Self.layout else { throw .unknownLayout }
        guard let id = values["id"].flatMap({ RoomID($0) }) else { throw .noRoomID }
        self.init(id: id)
        protocolVersion = values["v"].flatMap(decimal)
        game = values["game"].flatMap(GameLabel.init)
        totalSeats = values["seats"].flatMap(decimal)
        freeSeats = values["free"].flatMap(decimal).flatMap { $0 <= totalSeats ?? .max ? $0 : nil }
        policy = values["policy"].flatMap(Policy.init)
        pin = values["pin"].flatMap { Pin(announced: $0) }
    }
}

/// Why a TXT record does not describe a room of ours.
public enum RecordRejection: Error, Sendable, Hashable {
    /// More than 1,300 bytes.
    case oversize
    /// `txtvers` is not 1.
    case unknownLayout
    /// `id` is absent or no 32 hexadecimal digits.
    case noRoomID
}

/// The values of the keys we know, each as it came first.
private struct Values {
    private static let keys = ["txtvers", "v", "id", "game", "free", "seats", "policy", "pin"]

    /// A key that is present without a readable value holds nil, and hides what follows under the same key.
    private var found: [String: String?] = [:]

    subscript(key: String) -> String? { found[key] ?? nil }

    mutating func read(_ string: [UInt8]) {
        let equals = string.firstIndex(of: UInt8(ascii: "=")) ?? string.endIndex
        guard let key = String(validating: string[..<equals], as: UTF8.self)?.lowercased(),
            Self.keys.contains(key), found[key] == nil
        else { return }
        let value = string[equals...].dropFirst()
        found[key] = .some(equals < string.endIndex ? String(validating: value, as: UTF8.self) : nil)
    }
}

/// A number of at most five decimal digits, without sign or space.
private func decimal(_ text: String) -> UInt16? {
    guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return UInt16(text)
}
