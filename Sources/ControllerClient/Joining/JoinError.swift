import Identity
import PrivateFiles
public import WireProtocol

/// Why a room could not be joined, in a line that says what to do next.
public struct JoinError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, for programs; more may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// No room of that name is announced nearby; ``JoinError/candidates`` are those that are.
        public static let notFound = Code("notFound")
        /// Several rooms have that name; ``JoinError/candidates`` tells them apart.
        public static let ambiguous = Code("ambiguous")
        /// Rooms cannot be looked for by name on this machine now.
        public static let cannotSearch = Code("cannotSearch")
        /// Nothing answers at the room's addresses.
        public static let unreachable = Code("unreachable")
        /// Something answers there, but it does not speak as a room does.
        public static let notARoom = Code("notARoom")
        /// Nobody vouches for the host, or it is not the one that was vouched for. Nothing secret was sent to it.
        public static let untrusted = Code("untrusted")
        /// The person who was asked whether to trust the host said no.
        public static let notConfirmed = Code("notConfirmed")
        /// A known room shows another key than before: a hard stop.
        public static let pinChanged = Code("pinChanged")
        /// The room bears the name of a known one, but is another.
        public static let nameBelongsToAnother = Code("nameBelongsToAnother")
        /// The host said no; ``JoinError/refusal`` has its reason.
        public static let refused = Code("refused")
        /// No answer came within the time limit.
        public static let timedOut = Code("timedOut")
        /// The host was there, and went away before it had answered, or has no room at present.
        public static let roomVanished = Code("roomVanished")
        /// The invitation to join expired, was withdrawn, or was answered before.
        public static let invitationOver = Code("invitationOver")
        /// The program asked for something that cannot be.
        public static let badOptions = Code("badOptions")
        /// The state folder cannot be used.
        public static let storage = Code("storage")
        /// This machine cannot send or receive datagrams.
        public static let noSocket = Code("noSocket")
    }

    /// What went wrong, for programs.
    public let code: Code
    /// One line for people.
    public let message: String
    /// The rooms that could have been meant, safe to print.
    public let candidates: [String]
    /// The host's own answer, if it said no.
    public let refusal: Refusal?
    /// The fingerprint that the host showed, if trust was in question.
    public let pin: Pin?
    /// Whether the host took the connection, and did not answer in time.
    let isLate: Bool
    /// Whether the host has the seat by another secret, and there is an earlier one to try.
    var hasEarlierSecret = false

    public var description: String { message }

    init(
        _ code: Code, _ message: String, candidates: [String] = [], refusal: Refusal? = nil, pin: Pin? = nil,
        isLate: Bool = false
    ) {
        self.code = code
        self.message = message
        self.candidates = candidates
        self.refusal = refusal
        self.pin = pin
        self.isLate = isLate
    }

    /// The host said no.
    init(_ refusal: Refusal, by room: String) {
        var words = refusal.message[...]
        while words.last == "." { words.removeLast() }
        let again = refusal.retryAfter.map { "; ask again in \(max(1, ($0 + 999) / 1_000)) s" } ?? ""
        self.init(.refused, "“\(room)” says no: \(words)\(again)", refusal: refusal)
    }

    init(_ error: IdentityError) {
        let code: Code =
            switch error.code {
            case .pinChanged: .pinChanged
            case .nameBelongsToAnother: .nameBelongsToAnother
            default: .untrusted
            }
        self.init(code, error.description)
    }

    init(_ error: StorageError) { self.init(.storage, error.description) }
}

extension JoinError {
    /// Whether another address of the same room may still do better.
    var isOfOneAddress: Bool {
        switch code {
        case .unreachable, .notARoom, .untrusted, .pinChanged, .nameBelongsToAnother, .timedOut, .roomVanished: true
        default: false
        }
    }

    /// Whether nobody was there, or nobody who has the room at present: somebody may be, a moment later.
    var isAbsence: Bool { (code == .unreachable && !isLate) || code == .roomVanished }

    /// Of several addresses' errors the heaviest is told: one that refuses says nothing of a host that is slow at another.
    var weight: Int { isAboutTrust ? 2 : isLate ? 1 : 0 }

    /// Whether it says more than that nobody answered.
    var isAboutTrust: Bool {
        switch code {
        case .untrusted, .pinChanged, .nameBelongsToAnother: true
        default: false
        }
    }
}
