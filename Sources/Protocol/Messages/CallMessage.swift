/// What a controller that waits to be called and a host that calls it say to each other: JSON objects, one a line, over
/// TLS 1.3, told apart by `type`.
///
/// Unknown fields are ignored; what is not understood ends the call.
public enum CallMessage: Hashable, Sendable {
    /// Controller, first of all: who listens here.
    case pad(ControllerGreeting)
    /// Host: come and join.
    case offer(RoomOffer)
    /// Controller: a person is asked, for so long.
    case waiting(Waiting)
    /// Controller: yes, and it dials now.
    case accepted
    /// Controller: it has its seat.
    case joined
    /// Controller: no, or not possible, and this is why. The end.
    case refused(Refusal)
    /// Host: the offer does not stand any more, and this is why. The end.
    case withdrawn(Refusal)
    /// What a message of a type that this version does not know is read as.
    case unrecognised(type: String)

    /// The longest line, in bytes, its end not counted.
    public static let longestLine = 4_096
}

/// Who waits to be called. Nothing in it is secret, and nothing in it is proof.
public struct ControllerGreeting: Hashable, Sendable, Codable {
    /// The version of the control messages that it speaks (``ControlMessage/version``).
    public var v: Int
    /// Its stable identity: 32 hexadecimal digits.
    public var controller: String
    /// What people call it: 1 to 63 bytes.
    public var name: String
    /// Whether it can vibrate (or flash, or sound) on command.
    public var haptics: Bool

    /// What a waiting controller says first of all; `name` has 1 to 63 bytes, which the caller sees to.
    public init(v: Int = ControlMessage.version, controller: String, name: String, haptics: Bool) {
        self.v = v
        self.controller = controller
        self.name = name
        self.haptics = haptics
    }
}

/// A host's invitation to one controller. Who the host is, its certificate proves; the controller always dials itself.
public struct RoomOffer: Hashable, Sendable, Codable {
    /// The version of the control messages that the host speaks (``ControlMessage/version``).
    public var v: Int
    /// The host's number for it, 16 hexadecimal digits: the same again is the same invitation.
    public var offer: String
    /// Whom it is for: 32 hexadecimal digits.
    public var controller: String
    /// The room's identity, 32 hexadecimal digits.
    public var room: String
    /// The SHA-256 of the room's public key, 64 hexadecimal digits: by it the controller knows the room when it dials.
    public var pin: String
    /// 1 to 63 bytes.
    public var name: String
    /// What is played there, in the host's own word; absent where it named none.
    public var game: String?
    /// Where to dial first: at this TCP port of the address that the host calls from.
    public var port: UInt16
    /// Further ways to the host, `host:port`, at most 8, in the order in which to try them.
    public var addresses: [String]
    /// The seat that is kept, from 1.
    public var seat: Int?
    /// The application's own bytes, hexadecimal, at most 1,024 of them.
    public var context: String?
    /// What admits, once, in place of a code: 64 hexadecimal digits. Said only to the room whose pin this is.
    public var ticket: String
    /// Milliseconds for which it stands, 1 to 600,000.
    public var timeout: Int
    /// Said to a controller that plays in another room: where a page finds this one, without a code.
    public var url: String?
    /// With the url: whether browsers will warn of a certificate that they do not know.
    public var warns: Bool?

    /// The host's invitation, with every number and length as its property says.
    public init(
        v: Int = ControlMessage.version, offer: String, controller: String, room: String, pin: String, name: String,
        game: String? = nil, port: UInt16, addresses: [String], seat: Int? = nil, context: String? = nil,
        ticket: String, timeout: Int, url: String? = nil, warns: Bool? = nil
    ) {
        self.url = url
        self.warns = warns
        self.v = v
        self.offer = offer
        self.controller = controller
        self.room = room
        self.pin = pin
        self.name = name
        self.game = game
        self.port = port
        self.addresses = addresses
        self.seat = seat
        self.context = context
        self.ticket = ticket
        self.timeout = timeout
    }
}

extension CallMessage: Codable {
    private enum Key: String, CodingKey { case type }

    /// The word in `type`.
    public var type: String {
        switch self {
        case .pad: "pad"
        case .offer: "offer"
        case .waiting: "waiting"
        case .accepted: "accepted"
        case .joined: "joined"
        case .refused: "refused"
        case .withdrawn: "withdrawn"
        case .unrecognised(let type): type
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(type, forKey: .type)
        switch self {
        case .pad(let body): try body.encode(to: encoder)
        case .offer(let body): try body.encode(to: encoder)
        case .waiting(let body): try body.encode(to: encoder)
        case .refused(let body), .withdrawn(let body): try body.encode(to: encoder)
        case .accepted, .joined, .unrecognised: break
        }
    }

    public init(from decoder: any Decoder) throws {
        let type = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .type)
        switch type {
        case "pad": self = .pad(try ControllerGreeting(from: decoder))
        case "offer": self = .offer(try RoomOffer(from: decoder))
        case "waiting": self = .waiting(try Waiting(from: decoder))
        case "accepted": self = .accepted
        case "joined": self = .joined
        case "refused": self = .refused(try Refusal(from: decoder))
        case "withdrawn": self = .withdrawn(try Refusal(from: decoder))
        default: self = .unrecognised(type: String(type.prefix(64)))
        }
    }
}
