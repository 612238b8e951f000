import Identity
public import WireProtocol

/// What a controller's user should know.
public enum ControllerEvent: Hashable, Sendable {
    /// This is your place, from now on. The first event, and again after a return, when the host moves or renames you, and
    /// when it begins to record the room, or ends it.
    case seated(Seat)
    /// Play this.
    case haptic(Haptic)
    /// Flash, sound and vibrate, so that people see which device this is.
    case identify
    /// The game says something, once and in order.
    case message([UInt8])
    /// The game says something of which only the newest counts.
    case data(channel: UInt8, bytes: [UInt8])
    /// The host is not heard any more, for this reason; the seat is being asked for again.
    case reconnecting(reason: String)
    /// The host keeps a seat for the controller in another room of its site, of this name, and the controller goes there.
    /// Next comes the seat there, or ``stays(reason:)``.
    case moving(to: String)
    /// It could not go to the other room, for this reason, and stays where it is.
    case stays(reason: String)
    /// The host was not heard for a while, and now is, without a new joining.
    case recovered
    /// The host said no to a return; if it makes sense, it is asked again.
    case refused(Refusal)
    /// It is over. Nothing follows.
    case ended(Ending)
}

/// A place in a room.
public struct Seat: Hashable, Sendable {
    /// From 1.
    public var seat: Int
    /// Whom the controller drives, from 1.
    public var player: PlayerNumber
    /// `#rrggbb`.
    public var color: String
    /// What the host calls the controller; safe to print.
    public var name: String
    /// Whether the host records the room, as it says: samples, names and what is said are kept in a file.
    public var isRecorded: Bool

    /// A seat as the host gave it.
    public init(seat: Int, player: PlayerNumber, color: String, name: String, isRecorded: Bool = false) {
        self.seat = seat
        self.player = player
        self.color = color
        self.name = name
        self.isRecorded = isRecorded
    }
}

/// How a controller's stay in a room ended.
public struct Ending: Hashable, Sendable, CustomStringConvertible {
    /// Why, for programs; more may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// The host closed the room. The seat is kept for when it opens again.
        public static let closing = Code("closing")
        /// The operator took the seat.
        public static let kicked = Code("kicked")
        /// Another program joined as this controller.
        public static let replaced = Code("replaced")
        /// The controller sent far more than it declared.
        public static let tooFast = Code("tooFast")
        /// The host does not let the controller return.
        public static let refused = Code("refused")
        /// The host was not heard for longer than it keeps a seat.
        public static let unreachable = Code("unreachable")
        /// The host showed that it is another than before: a hard stop.
        public static let untrusted = Code("untrusted")
        /// The host ended it without a reason that this version knows.
        public static let other = Code("other")
    }

    /// Why, for programs.
    public let code: Code
    /// One line for people.
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    /// What the host's goodbye means for a controller.
    init(_ reason: GoodbyeReason, message: String? = nil) {
        let (code, words): (Code, String) =
            switch reason {
            case .closing: (.closing, "The host closed the room.")
            case .kicked: (.kicked, "The operator removed this controller from the room.")
            case .replaced: (.replaced, "Another program joined as this controller.")
            case .tooFast:
                (.tooFast, "The host ended the session: this controller sent far more than it declared.")
            case .left, .paused, .other: (.other, "The host ended the session.")
            }
        self.init(code, message ?? words)
    }
}
