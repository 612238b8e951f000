/// The label of a game, by which controllers browse for the rooms that play it: a DNS-SD subtype (RFC 6763, 7.1).
///
/// 2...62 lowercase letters, digits and hyphens, with no hyphen at either end. Avahi accepts no shorter subtype, and a
/// longer one would not fit into a DNS label with its underscore.
public struct GameLabel: Sendable, Hashable, CustomStringConvertible {
    /// The label in lowercase, without the underscore that DNS-SD puts before it.
    public let text: String

    public var description: String { text }

    /// Nil when `text` is no label; uppercase letters are taken as lowercase, because DNS does not tell them apart.
    public init?(_ text: String) {
        let label = text.lowercased()
        let bytes = Array(label.utf8)
        guard (2...62).contains(bytes.count), bytes.first != hyphen, bytes.last != hyphen,
            bytes.allSatisfy({ letters.contains($0) || digits.contains($0) || $0 == hyphen })
        else { return nil }
        self.text = label
    }
}

private let hyphen = UInt8(ascii: "-")
private let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
private let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
