public import WireProtocol

/// What a room is, as its host decided.
public struct RoomConfiguration: Hashable, Sendable {
    /// Who may take a seat.
    public enum Policy: String, Hashable, Sendable, Codable, CaseIterable {
        /// Whoever brings the room's code (or scanned it).
        case code
        /// Everyone.
        case open
        /// Whom the operator accepts.
        case ask
    }

    /// Whose motion drives whom.
    public enum Mode: String, Hashable, Sendable, Codable, CaseIterable {
        /// Each controller is its own player.
        case competitive
        /// All controllers drive player 1.
        case collaborative
    }

    /// Who names browsers' controllers.
    public enum Names: String, Hashable, Sendable, Codable, CaseIterable {
        /// The host: `Blue Otter`.
        case auto
        /// Their players, if they like.
        case free
    }

    /// How many seats a room can have.
    package static let possibleSeats = 1...10_000

    /// 1 to 10,000.
    public var seats: Int
    /// Who may take a seat.
    public var policy: Policy
    /// Whose motion drives whom.
    public var mode: Mode
    /// The admission code that people type, normalised; `nil` where the policy needs none.
    public var code: String?
    /// The longer one, which QR codes and ticket files hold: too long to be guessed, so that it is looked at however
    /// many wrong ones come. Of another length than ``code``.
    public var scannedCode: String?
    /// Silence after which an active seat is lost.
    public var idleTimeout: Duration
    /// How long a lost seat is kept.
    public var graceTimeout: Duration
    /// How long nobody plays on a controller before what its player left behind is cleared away; `nil` for never.
    public var idleReset: Duration?
    /// How long an invitation waits for the operator, at most.
    public var askTimeout: Duration
    /// The UDP port that seated controllers are told.
    public var linkPort: UInt16
    /// How links are sealed.
    public var suite: CipherSuite
    /// Who names browsers' controllers.
    public var names: Names

    /// A room as configured; the defaults are those of `roomful host`.
    /// - Precondition: 1 to 10,000 seats.
    public init(
        seats: Int = 4, policy: Policy = .code, mode: Mode = .competitive, code: String? = nil,
        idleTimeout: Duration = .seconds(10), graceTimeout: Duration = .seconds(30),
        askTimeout: Duration = .seconds(120), linkPort: UInt16 = 0, suite: CipherSuite = .aes256gcm,
        names: Names = .auto, scannedCode: String? = nil, idleReset: Duration? = nil
    ) {
        precondition(Self.possibleSeats.contains(seats), "the shell admits 1 to 10,000 seats")
        self.seats = seats
        self.policy = policy
        self.mode = mode
        self.code = code
        self.idleTimeout = idleTimeout
        self.graceTimeout = graceTimeout
        self.askTimeout = askTimeout
        self.linkPort = linkPort
        self.suite = suite
        self.names = names
        self.scannedCode = scannedCode
        self.idleReset = idleReset
    }

    /// What a code is to this room.
    package enum CodeKind: CaseIterable, Sendable { case typed, scanned, wrong, wrongScanned }

    /// Which of the room's codes somebody showed, if it is one.
    package func kind(of code: String) -> CodeKind {
        if let scannedCode, SpokenCode.significant(code).count == SpokenCode.significant(scannedCode).count {
            return SpokenCode.isSame(code, scannedCode) ? .scanned : .wrongScanned
        }
        return self.code.map { SpokenCode.isSame(code, $0) } ?? false ? .typed : .wrong
    }

    /// The player that a seat's controller drives at first.
    func player(ofSeat seat: Int) -> PlayerNumber { mode == .competitive ? seat : 1 }
}
