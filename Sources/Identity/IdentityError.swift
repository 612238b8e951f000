/// Why a host, a ticket or a key is not trusted, in a sentence that says what to do.
public struct IdentityError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, for programs; more may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// A key or certificate file of ours cannot be understood.
        public static let brokenAuthority = Code("brokenAuthority")
        /// The host showed no certificate, too many, or one that cannot be understood.
        public static let malformedChain = Code("malformedChain")
        /// The host showed no authority that could have signed its certificate.
        public static let noAuthority = Code("noAuthority")
        /// The host's certificate is not signed by the authority that it shows.
        public static let notSigned = Code("notSigned")
        /// The host's certificate is not meant for servers.
        public static let notForServers = Code("notForServers")
        /// The host is not the one that was expected: its pin differs.
        public static let pinMismatch = Code("pinMismatch")
        /// A known room shows another key than before: a hard stop.
        public static let pinChanged = Code("pinChanged")
        /// A room bears the name of a known one, but is another.
        public static let nameBelongsToAnother = Code("nameBelongsToAnother")
        /// An operator's own certificate or key cannot be used.
        public static let badCertificate = Code("badCertificate")
        /// The ticket is too long, or not one.
        public static let malformedTicket = Code("malformedTicket")
        /// What browsers are to be told as the room's place is no address of a page.
        public static let malformedURL = Code("malformedURL")
    }

    /// What went wrong, for programs.
    public let code: Code
    /// One line for people.
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
