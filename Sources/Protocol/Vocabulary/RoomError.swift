/// Why something could not be done with a room: one line that says what to do next.
public struct RoomError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of thing went wrong, for programs. A struct of static members, so that codes can be added.
    public struct Code: RawRepresentable, Hashable, Sendable, Codable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Nobody answers to that name.
        public static let notFound = Code(rawValue: "notFound")
        /// More than one does.
        public static let ambiguous = Code(rawValue: "ambiguous")
        /// Nobody waits to be let in.
        public static let nobodyAsks = Code(rawValue: "nobodyAsks")
        /// Every seat is taken.
        public static let full = Code(rawValue: "full")
        /// An option cannot be used.
        public static let badOption = Code(rawValue: "badOption")
        /// Another program has the port.
        public static let portInUse = Code(rawValue: "portInUse")
        /// The network refuses otherwise.
        public static let network = Code(rawValue: "network")
        /// The room is closed.
        public static let closed = Code(rawValue: "closed")
    }

    /// What kind of thing went wrong, for programs.
    public var code: Code
    /// One line for a person: what is wrong, and what to do next.
    public var message: String
    /// Whom it could have been.
    public var candidates: [String]

    /// An error that says what to do next; `candidates` are for whoever asks who was meant.
    public init(_ code: Code, _ message: String, candidates: [String] = []) {
        self.code = code
        self.message = message
        self.candidates = candidates
    }

    public var description: String { message }
}
