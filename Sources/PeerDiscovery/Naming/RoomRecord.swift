public import WireProtocol

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
    public var id: RoomID
    /// The version of the joining protocol that the host speaks; nil if it did not say.
    public var protocolVersion: UInt16?
    /// What is played there; nil if the host did not say.
    public var game: GameLabel?
    /// Seats that nobody holds, at most `totalSeats`; nil if the host did not say.
    public var freeSeats: UInt16?
    /// Seats in all, taken or not; nil if the host did not say.
    public var totalSeats: UInt16?
    /// Who may take a seat; nil if the host did not say, or said something that this version does not know.
    public var policy: Policy?
    /// The hash of the host's public key, to recognise it by; nil if the host did not say. Anyone can claim any: it helps to
    /// tell rooms apart, and proves nothing before TLS has.
    public var pin: Pin?
    /// Whether nobody new gets in at present, whoever may take a seat else; false if the host did not say.
    public var isLocked: Bool

    /// A record to announce; whatever is nil stays unsaid.
    public init(
        id: RoomID, protocolVersion: UInt16? = nil, game: GameLabel? = nil, freeSeats: UInt16? = nil,
        totalSeats: UInt16? = nil, policy: Policy? = nil, pin: Pin? = nil, isLocked: Bool = false
    ) {
        self.id = id
        self.protocolVersion = protocolVersion
        self.game = game
        self.freeSeats = freeSeats
        self.totalSeats = totalSeats
        self.policy = policy
        self.pin = pin
        self.isLocked = isLocked
    }
}
