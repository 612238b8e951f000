/// What controller and host say to each other over TLS and WebSocket, as JSON objects told apart by `type`.
///
/// Unknown fields are ignored; an unknown type is answered with ``unknown(type:)``, which names it.
public enum ControlMessage: Hashable, Sendable {
    /// Host, first of all: who speaks here.
    case hello(RoomGreeting)
    /// Controller: may I join?
    case invite(Invitation)
    /// Host: the operator has been asked.
    case waiting(Waiting)
    /// Host: yes, and this is your place and your link.
    case seated(Seated)
    /// Host: no, and this is why. Controller, to an ``offer(_:)``: the same.
    case refused(Refusal)
    /// Controller, now and then: the highest number that it sent, so that a dead link shows its loss.
    case status(LinkStatus)
    /// A browser, now and then: what it knows of its own sensor.
    case sensor(SensorReport)
    /// Host: this is what you are called from now on.
    case renamed(Renamed)
    /// Host: what the buttons of your streams can mean now.
    case buttons(ButtonList)
    /// Host, to whoever has a seat: the room is recorded from now on, or not any more.
    case recording(RecordingNotice)
    /// Host, to whoever has a seat: another room keeps one for you, go there. Who does not answers ``refused(_:)``.
    case offer(RoomOffer)
    /// Either side: the end.
    case goodbye(Farewell)
    /// Either side: I do not know the type that you sent. Never answered.
    case unknown(type: String)
    /// What a message of a type that this version does not know is read as; answered with ``unknown(type:)``.
    case unrecognised(type: String)

    /// The version of the control messages; a host refuses an invitation with another one, naming both.
    public static let version = 1
}

/// Who the host is. Nothing in it is secret, and nothing in it is proof: that is the certificate's part.
public struct RoomGreeting: Hashable, Sendable, Codable {
    /// The version of the control messages that the host speaks (``ControlMessage/version``).
    public var v: Int
    /// 32 hexadecimal digits.
    public var room: String
    /// What people call the room: 1 to 63 bytes.
    public var name: String
    /// What is played there, in the host's own word; absent where it named none.
    public var game: String?
    /// Who is let in: `open`, `code` (who has the room's code) or `ask` (whom the operator accepts).
    public var policy: String
    /// `auto`: the host names browsers' controllers; `free`: their players may.
    public var names: String?
    /// How many seats the room has, taken ones included; absent from hosts of before.
    public var seats: Int?

    /// A greeting; nothing in it needs to be kept secret.
    public init(
        v: Int = ControlMessage.version, room: String, name: String, game: String?, policy: String,
        names: String? = nil, seats: Int? = nil
    ) {
        self.v = v
        self.names = names
        self.seats = seats
        self.room = room
        self.name = name
        self.game = game
        self.policy = policy
    }
}

/// What a controller's buttons can mean now; told to whoever declared such buttons, when it is seated and when it changes.
public struct ButtonList: Hashable, Sendable, Codable {
    /// The gestures that the room watches for, by name.
    public var gestures: [String]
    /// What the controller's player taught, in the order of the buttons that mean it.
    public var taught: [String]

    /// A list; names are told as they are.
    public init(gestures: [String], taught: [String]) {
        self.gestures = gestures
        self.taught = taught
    }
}

/// Whether the room is recorded: told when that changes, to whoever has a seat; ``Seated/recorded`` says it before.
public struct RecordingNotice: Hashable, Sendable, Codable {
    /// Whether what controllers send is kept in a file from now on.
    public var recorded: Bool
    /// A notice that holds until the next.
    public init(recorded: Bool) { self.recorded = recorded }
}

/// The highest datagram number that was used in the current link epoch.
public struct LinkStatus: Hashable, Sendable, Codable {
    /// The number of the newest datagram, from 0; with what arrived it tells how many were lost.
    public var lastSent: UInt32
    /// The status of a link on which datagrams up to `lastSent` have left.
    public init(lastSent: UInt32) { self.lastSent = lastSent }
}

/// Why a side leaves, and the last number that it sent.
public struct Farewell: Hashable, Sendable, Codable {
    /// Why it leaves.
    public var reason: FarewellReason
    /// The reason in words for a person, where there is more to say.
    public var message: String?
    /// The highest datagram number that the sender used in this link epoch; absent where it sent none.
    public var lastSent: UInt32?
    /// What a controller sent in all: the datagrams that say so may all be lost.
    public var tally: SenderTally?
    /// Milliseconds after which a host that closes its room means to have it open again, with everyone's seat; absent when
    /// it does not say so.
    public var backIn: Int?

    /// The last message of a control connection.
    public init(
        reason: FarewellReason, message: String? = nil, lastSent: UInt32? = nil, tally: SenderTally? = nil,
        backIn: Int? = nil
    ) {
        self.reason = reason
        self.message = message
        self.lastSent = lastSent
        self.tally = tally
        self.backIn = backIn
    }
}
