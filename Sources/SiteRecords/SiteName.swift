/// What a site is called: the rooms of one house, on one broker or several.
///
/// 1 to 32 of a-z, 0-9 and hyphen, as it stands in subjects (`rf.arcade.…`) and in the name of a stream.
public struct SiteName: Hashable, Sendable, CustomStringConvertible {
    /// As it was written.
    public let text: String

    /// The site of those who name none.
    public static let usual = SiteName(unchecked: "main")

    /// `nil` for what cannot stand in a subject.
    public init?(_ text: String) {
        let isPlain = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
        }
        guard isPlain, (1...32).contains(text.utf8.count) else { return nil }
        self.text = text
    }

    private init(unchecked text: String) { self.text = text }

    /// The name itself.
    public var description: String { text }

    /// What a name must be, for whoever wrote another one.
    package static let rule = "a site's name is 1 to 32 of a-z, 0-9 and hyphen, such as arcade or museum-2"
}
