public import InputMerge
public import SessionCoordinator
public import WireProtocol

/// What an operator or a game may ask of a room.
///
/// `who` is a player (`P3`), a name, or the beginning of a controller's id: one resolver, ``SessionCoordinator``'s,
/// decides who is meant.
public enum RoomCommand: Hashable, Sendable {
    /// Whether the engine turns at all.
    case alive
    /// Everything at one moment; `minute`: of each peer its last minute, too.
    case status(minute: Bool)
    /// Everyone with a seat; or the one who is meant, in every detail.
    case peers(String?, minute: Bool)
    /// The last states of those who left.
    case departed
    /// The last 1,000 frames of one peer, or of all; from now on they are kept in a large room too.
    case frames(String?)
    case offer(OfferTerms)
    case endOffer(OfferID, Refusal)
    case accept(String?)
    case decline(String?, message: String?)
    case kick(String, message: String?)
    case lock
    case unlock
    case identify(String)
    case rezero(String)
    /// Seats are counted from 1.
    case move(String, seat: Int)
    case swap(String, String)
    case rename(String, to: String)
    /// Intensity and sharpness are 0 to 1; `answering` is a gesture's id.
    case play(String, intensity: Double, sharpness: Double, duration: Duration, answering: String?)
    /// The game's own bytes, reliably.
    case send([UInt8], String)
    /// The same, newest wins.
    case sendNewest([UInt8], channel: UInt8, String)
    /// Who plays, for whoever begins to listen.
    case players
    /// How a player moves now.
    case motion(of: PlayerNumber)
    case teaching(TeachingCommand)
    /// One sensor's motion goes to this listener from now on, and to no earlier one.
    case deliver(MotionDelivery, of: String, stream: StreamID, to: ListenerID)
}

/// What is asked about lessons, taught gestures and sensitivity.
public enum TeachingCommand: Hashable, Sendable {
    case teach(String, gesture: String, times: Int)
    case cancel(String)
    case taught(String?)
    case rename(String, String, to: String)
    case remove(String, String)
    case sensitivity(String, Double)
}

/// An invitation to an idle controller, as the host makes it.
public struct OfferTerms: Hashable, Sendable {
    public var id: OfferID
    public var controller: ControllerID
    /// From 1; `nil` for any.
    public var seat: Int?
    /// SHA-256 of the one-time ticket.
    public var ticketHash: [UInt8]
    public var timeout: Duration

    public init(id: OfferID, controller: ControllerID, seat: Int?, ticketHash: [UInt8], timeout: Duration) {
        self.id = id
        self.controller = controller
        self.seat = seat
        self.ticketHash = ticketHash
        self.timeout = timeout
    }
}
