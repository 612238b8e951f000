/// A no that says why, and whether asking again makes sense.
public struct Refusal: Hashable, Sendable, Codable {
    /// Why not, as a word that programs can act on.
    public var reason: RefusalReason
    /// The reason in words for a person.
    public var message: String
    /// Milliseconds after which it makes sense to ask again; absent when it does not.
    public var retryAfter: Int?

    /// A refusal; `retryAfter` in ms.
    public init(_ reason: RefusalReason, message: String, retryAfter: Int? = nil) {
        self.reason = reason
        self.message = message
        self.retryAfter = retryAfter
    }
}

/// Why a controller did not get a seat. A struct of static members, so that reasons can be added.
public struct RefusalReason: RawRepresentable, Hashable, Sendable, Codable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Every seat is taken.
    public static let full = RefusalReason(rawValue: "full")
    /// The operator locked the room; those who have a seat may still return.
    public static let locked = RefusalReason(rawValue: "locked")
    /// The code is missing or wrong.
    public static let wrongCode = RefusalReason(rawValue: "wrongCode")
    /// Too many wrong codes were tried in this room.
    public static let tooManyAttempts = RefusalReason(rawValue: "tooManyAttempts")
    /// The operator said no.
    public static let declined = RefusalReason(rawValue: "declined")
    /// Nobody answered in time.
    public static let expired = RefusalReason(rawValue: "expired")
    /// The host speaks another version.
    public static let wrongVersion = RefusalReason(rawValue: "wrongVersion")
    /// This controller has a seat already, and did not bring its secret.
    public static let alreadySeated = RefusalReason(rawValue: "alreadySeated")
    /// The operator removed this controller.
    public static let kicked = RefusalReason(rawValue: "kicked")
    /// The invitation itself is wrong.
    public static let badInvitation = RefusalReason(rawValue: "badInvitation")
    /// The room is closing.
    public static let closing = RefusalReason(rawValue: "closing")
    /// Native controllers join over TLS 1.3 only.
    public static let insecure = RefusalReason(rawValue: "insecure")
    /// The other side, or its address, cannot be reached.
    public static let unreachable = RefusalReason(rawValue: "unreachable")
    /// Nobody vouches for the room at the controller that was invited, or it is not the room that it says to be.
    public static let untrusted = RefusalReason(rawValue: "untrusted")
    /// The controller that was invited plays elsewhere, or has too many invitations to answer.
    public static let busy = RefusalReason(rawValue: "busy")
    /// The other side does not do what this document says.
    public static let badAnswer = RefusalReason(rawValue: "badAnswer")
}
