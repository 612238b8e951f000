/// Why a description of a network could not be read, and what the key takes instead.
public struct NetworkConditionsError: Error, Hashable, Sendable, CustomStringConvertible {
    public let code: Code
    /// The key as it was written.
    public let key: String
    /// What the key takes, or which keys there are.
    public let takes: String

    init(_ key: String, _ code: Code, takes: String) {
        self.key = key
        self.code = code
        self.takes = takes
    }

    /// What is wrong.
    public struct Code: Hashable, Sendable {
        fileprivate let words: String

        /// There is no such key.
        public static let unknownKey = Code(words: "is not a key")
        /// The key stands twice.
        public static let repeatedKey = Code(words: "stands twice")
        /// The value is not a number, or its unit does not fit.
        public static let unreadable = Code(words: "cannot be read")
        /// The value is a number that cannot be.
        public static let outOfRange = Code(words: "is out of range")
        /// The key means something only together with another.
        public static let incomplete = Code(words: "does not stand alone")
    }

    public var description: String { "\(key) \(code.words): it takes \(takes)" }
}
