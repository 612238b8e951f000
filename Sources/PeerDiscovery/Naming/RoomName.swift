/// The name under which a room is advertised: what people read in a list and type to join.
///
/// A legal DNS-SD instance name (RFC 6763, 4.1.1): UTF-8 of 1...63 bytes with spaces, quotes, dots and emoji welcome.
/// Two things are refused beyond the RFC: whatever would have to be escaped to be shown safely, and the backslash,
/// because a name like `A\.B` crashes Avahi daemons of the neighbours that lack the fix of CVE-2023-38470.
public struct RoomName: Sendable, Hashable, CustomStringConvertible {
    /// The longest name, in bytes of UTF-8: one DNS label.
    public static let maximumBytes = 63

    /// The name as its owner wrote it.
    public let text: String

    public var description: String { text }

    /// - Throws: `RoomNameError`, whose description says what to change.
    public init(_ text: String) throws(RoomNameError) {
        guard text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else {
            throw RoomNameError(.blank, "The room needs a name with at least one visible character.")
        }
        let bytes = text.utf8.count
        guard bytes <= Self.maximumBytes else {
            throw RoomNameError(
                .tooLong, "The name is \(bytes) bytes long; shorten it to \(Self.maximumBytes) bytes of UTF-8.")
        }
        guard text.unicodeScalars.allSatisfy(\.isSafeToShow) else {
            throw RoomNameError(
                .controlCharacter, "The name holds an invisible control character; write it without: \(text.displayed)")
        }
        guard !text.utf8.contains(UInt8(ascii: "\\")) else {
            throw RoomNameError(
                .backslash, "A backslash in a name crashes some Avahi daemons; choose another character.")
        }
        self.text = text
    }
}

/// Why a text cannot be a room's name, in words for whoever typed it.
public struct RoomNameError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong with it. A struct of static members, so that codes can be added.
    public struct Code: Sendable, Hashable {
        private let word: String
        private init(_ word: String) { self.word = word }

        /// Empty, or nothing but white space.
        public static let blank = Code("blank")
        /// More than 63 bytes of UTF-8.
        public static let tooLong = Code("tooLong")
        /// A control character, line separator or change of writing direction.
        public static let controlCharacter = Code("controlCharacter")
        /// A backslash.
        public static let backslash = Code("backslash")
    }

    /// What is wrong, for programs.
    public let code: Code
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
