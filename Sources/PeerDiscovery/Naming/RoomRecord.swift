/// What a room says of itself before anyone joins: the contents of its DNS-SD TXT record (RFC 6763, 6).
///
/// A hint, never a proof: any device on the network can claim any of it.
public struct RoomRecord: Sendable, Hashable {
    /// Who gets in.
    public enum Policy: String, Sendable, Hashable, CaseIterable {
        /// Whoever knows the room's code.
        case code
        /// Anyone.
        case open
        /// Whoever the operator accepts.
        case ask
    }

    /// The one thing a room cannot be listed without.
    public var id: ID
    /// The version of the joining protocol that the host speaks; nil if it did not say.
    public var protocolVersion: UInt16?
    public var game: GameLabel?
    /// Seats that nobody holds, at most `totalSeats`; nil if the host did not say.
    public var freeSeats: UInt16?
    public var totalSeats: UInt16?
    public var policy: Policy?
    public var pin: Pin?

    public init(
        id: ID, protocolVersion: UInt16? = nil, game: GameLabel? = nil, freeSeats: UInt16? = nil,
        totalSeats: UInt16? = nil, policy: Policy? = nil, pin: Pin? = nil
    ) {
        self.id = id
        self.protocolVersion = protocolVersion
        self.game = game
        self.freeSeats = freeSeats
        self.totalSeats = totalSeats
        self.policy = policy
        self.pin = pin
    }
}
