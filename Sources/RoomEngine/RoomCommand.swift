public import InputMerge
public import SessionCoordinator
public import WireProtocol

/// What an operator or a game may ask of a room.
///
/// `who` is a player (`P3`), a name, or the beginning of a controller's id: one rule, `Designation`,
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
    /// Invite a controller that waits to be called; a seat is kept for it. Answered with ``RoomAnswer/offer(_:)``.
    case offer(OfferTerms)
    /// Take back an offer and say why; nothing happens to one that has ended.
    case endOffer(OfferID, Refusal)
    /// Let in one who waits, for the operator or for a seat; `nil` for the only one who waits for the operator.
    case accept(String?)
    /// Turn away one who waits, for the operator or for a seat; `nil` for the only one who waits for the operator.
    case decline(String?, message: String?)
    /// Who a player is, and what it brings along where it is moved to. Answered with ``RoomAnswer/luggage(_:)``.
    case luggage(String)
    /// Free the seat of one that has one in another room by now, and say where it is.
    case depart(String, message: String)
    /// Take a controller's seat and tell it why; it stays out until the room is unlocked.
    case kick(String, message: String?)
    /// Let nobody new in; those who have a seat may return, and open offers end.
    case lock
    /// Let new controllers in again, removed ones too.
    case unlock
    /// Play on by other terms: all of them, or none where one cannot be. Answered with ``RoomAnswer/terms(_:)``.
    case change(RoomTerms)
    /// Let a controller flash, sound and vibrate, so that people see which device it is. Here, as in all that tells or
    /// plays something, `P1` means each of that player's controllers.
    case identify(String)
    /// The way the player's controllers are held now is straight ahead.
    case rezero(String)
    /// Seats are counted from 1.
    case move(String, seat: Int)
    /// Let two controllers change seats, and with them players and colours.
    case swap(String, String)
    /// Show a controller under another name of 1 to 63 bytes; it is made unique.
    case rename(String, to: String)
    /// Intensity and sharpness are 0 to 1; `answering` is a gesture's id.
    case play(String, intensity: Double, sharpness: Double, duration: Duration, answering: String?)
    /// The game's own bytes, reliably.
    case send([UInt8], String)
    /// The same, newest wins.
    case sendNewest([UInt8], channel: UInt8, String)
    /// Who plays and who waits for a seat, for whoever begins to listen.
    case players
    /// How a player moves now.
    case motion(of: PlayerNumber)
    /// Until when everything is known that each player did. Answered with ``RoomAnswer/watermarks(at:_:watched:)`` once all
    /// events are told that came of it.
    case watermarks
    /// Lessons, taught gestures and sensitivity.
    case teaching(TeachingCommand)
    /// Let controllers look for these gestures themselves from now on, and for no others, so that they are felt at once.
    case detect([GestureKind])
    /// One sensor's motion goes to this listener from now on, and to no earlier one.
    case deliver(MotionDelivery, of: String, stream: StreamID, to: ListenerID)
}

/// What is asked about lessons, taught gestures and sensitivity.
public enum TeachingCommand: Hashable, Sendable {
    /// Begin a lesson of 1 to 16 examples; it is called off after 120 s. The gesture's name has 1 to 40 bytes.
    case teach(String, gesture: String, times: Int)
    /// Call the player's lesson off: everything is as before.
    case cancel(String)
    /// What one player taught, or everyone.
    case taught(String?)
    /// Give what a player taught another name; what bore that name before is replaced.
    case rename(String, String, to: String)
    /// Forget what a player taught under this name.
    case remove(String, String)
    /// That was not it: what was last recognised of what the player taught.
    case refuseLatest(String)
    /// Recognise a player's gestures more or less readily: 0.5 to 2, 1 as configured.
    case sensitivity(String, Double)
}

/// An invitation to an idle controller, as the host makes it.
public struct OfferTerms: Hashable, Sendable {
    /// The host's number for the invitation.
    public var id: OfferID
    /// Whom it is for, as it announces itself.
    public var controller: ControllerID
    /// From 1; `nil` for any.
    public var seat: Int?
    /// SHA-256 of the one-time ticket.
    public var ticketHash: [UInt8]
    /// How long it stands.
    public var timeout: Duration
    /// Who the player was in the room that it comes from; `nil` for one who comes from nowhere.
    public var player: MovingPlayer?
    /// What the player brings from there.
    public var talents: PlayerTalents?

    /// An invitation that stands for `timeout` from the moment at which the engine hears of it.
    public init(
        id: OfferID, controller: ControllerID, seat: Int?, ticketHash: [UInt8], timeout: Duration,
        player: MovingPlayer? = nil, talents: PlayerTalents? = nil
    ) {
        self.player = player
        self.talents = talents
        self.id = id
        self.controller = controller
        self.seat = seat
        self.ticketHash = ticketHash
        self.timeout = timeout
    }
}
