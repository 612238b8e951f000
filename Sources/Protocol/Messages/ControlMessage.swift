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
    /// Host: no, and this is why.
    case refused(Refusal)
    /// Controller, now and then: the highest number that it sent, so that a dead link shows its loss.
    case status(LinkStatus)
    /// A browser, now and then: what it knows of its own sensor.
    case sensor(SensorReport)
    /// Host: this is what you are called from now on.
    case renamed(Renamed)
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
    public var v: Int
    /// 32 hexadecimal digits.
    public var room: String
    public var name: String
    public var game: String?
    public var policy: String
    /// `auto`: the host names browsers' controllers; `free`: their players may.
    public var names: String?
    public var seats: Int?

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

/// A controller's wish to join (MultipeerConnectivity's `invitePeer(_:to:withContext:timeout:)`).
public struct Invitation: Hashable, Sendable, Codable {
    public var v: Int
    /// The controller's stable identity: 32 hexadecimal digits.
    public var controller: String
    /// 16 hexadecimal digits, new for each run of the controller's program: tells a return from a restart.
    public var process: String
    /// What people call it: 1 to 63 bytes.
    public var name: String
    public var streams: [StreamOffer]
    /// Whether it can vibrate (or flash, or sound) on command.
    public var haptics: Bool
    /// The application's own bytes, hexadecimal, at most 1,024 of them.
    public var context: String?
    /// How long the controller will wait for an answer, in ms, 1 to 600,000.
    public var timeout: Int?
    /// The admission code, where the policy wants one. Sent only to a host whose pin is trusted.
    public var code: String?
    /// The resumption secret of an earlier seat: 64 hexadecimal digits.
    public var secret: String?
    /// The ticket of the host's own ``RoomOffer``: 64 hexadecimal digits. Admits in place of the code.
    public var ticket: String?

    public init(
        v: Int = ControlMessage.version, controller: String, process: String, name: String, streams: [StreamOffer],
        haptics: Bool, context: String? = nil, timeout: Int? = nil, code: String? = nil, secret: String? = nil,
        ticket: String? = nil
    ) {
        self.v = v
        self.controller = controller
        self.process = process
        self.name = name
        self.streams = streams
        self.haptics = haptics
        self.context = context
        self.timeout = timeout
        self.code = code
        self.secret = secret
        self.ticket = ticket
    }
}

/// A ``StreamDeclaration`` in JSON.
public struct StreamOffer: Hashable, Sendable, Codable {
    /// 0 to 255, unlike any other of the same controller.
    public var stream: UInt8
    /// Any of `acceleration`, `rotationRate`, `attitude`, `buttons`, `battery`.
    public var measures: [String]
    /// Full scale in m/s².
    public var accelerationRange: Double
    /// Full scale in rad/s.
    public var rotationRange: Double
    /// Samples a second.
    public var rate: Double
    /// Milliseconds from the motion to its time stamp.
    public var latency: Double?
    /// Milliseconds that the sensor collects before it hands over what it has.
    public var batch: Double?
    /// `left`, `right` or `default`; any other word counts as `default`.
    public var location: String?

    public init(_ declaration: StreamDeclaration) {
        stream = declaration.stream
        measures = Sample.Measures.names.filter { declaration.measures.contains($0.1) }.map(\.0)
        accelerationRange = declaration.accelerationRange
        rotationRange = declaration.rotationRange
        rate = declaration.nominalRate
        latency = declaration.sensorLatency.milliseconds
        batch = declaration.batch == .zero ? nil : declaration.batch.milliseconds
        location = declaration.location == .default ? nil : declaration.location.rawValue
    }

    /// The declaration, or in words why it cannot be used.
    public func declaration() -> Result<StreamDeclaration, StreamOfferError> {
        var set = Sample.Measures()
        for name in measures {
            guard let known = Sample.Measures.names.first(where: { $0.0 == name }) else {
                return .failure(StreamOfferError(problem: "a stream cannot measure what this version does not know"))
            }
            set.insert(known.1)
        }
        let latency = latency ?? 0
        guard latency.isFinite, (0...1_000).contains(latency) else {
            return .failure(StreamOfferError(problem: "latency must be 0 to 1000 ms"))
        }
        let batch = batch ?? 0
        guard batch.isFinite, (0...10_000).contains(batch) else {
            return .failure(StreamOfferError(problem: "batch must be 0 to 10000 ms"))
        }
        let declaration = StreamDeclaration(
            stream: stream, measures: set, accelerationRange: accelerationRange, rotationRange: rotationRange,
            nominalRate: rate, sensorLatency: .nanoseconds(Int64(latency * 1e6)),
            batch: .nanoseconds(Int64(batch * 1e6)),
            location: location.flatMap(SensorLocation.init(rawValue:)) ?? .default)
        if let problem = declaration.problem { return .failure(StreamOfferError(problem: problem)) }
        return .success(declaration)
    }
}

/// Why an offered stream cannot be used, in words.
public struct StreamOfferError: Error, Hashable, Sendable {
    public var problem: String
}

extension Sample.Measures {
    fileprivate static let names: [(String, Sample.Measures)] = [
        ("acceleration", .acceleration), ("rotationRate", .rotationRate), ("attitude", .attitude),
        ("buttons", .buttons), ("battery", .battery),
    ]
}

/// The operator decides; how long the host will wait for that.
public struct Waiting: Hashable, Sendable, Codable {
    /// Milliseconds.
    public var timeout: Int
    public init(timeout: Int) { self.timeout = timeout }
}

/// A seat, and the keys of a fresh link to it.
public struct Seated: Hashable, Sendable, Codable {
    /// From 1.
    public var seat: Int
    /// From 1.
    public var player: Int
    /// `#rrggbb`.
    public var color: String
    /// The name under which the controller is shown; made unique by the host.
    public var name: String
    public var link: LinkGrant
    /// The new resumption secret: 64 hexadecimal digits. The one used to come back stays valid until the first
    /// datagram under the new keys.
    public var secret: String
    /// Whether the host still knows this process's streams, so that their indexes go on.
    public var continues: Bool
    /// Milliseconds of silence after which the seat is lost …
    public var idle: Int
    /// … and milliseconds for which it is then kept.
    public var grace: Int

    public init(
        seat: Int, player: Int, color: String, name: String, link: LinkGrant, secret: String, continues: Bool,
        idle: Int, grace: Int
    ) {
        self.seat = seat
        self.player = player
        self.color = color
        self.name = name
        self.link = link
        self.secret = secret
        self.continues = continues
        self.idle = idle
        self.grace = grace
    }
}

/// Everything that a controller needs to seal datagrams for this host.
public struct LinkGrant: Hashable, Sendable, Codable {
    /// The UDP port, on the address by which the controller reached TCP.
    public var port: UInt16
    /// The connection id's raw value.
    public var connection: UInt32
    /// `nil` inside TLS: what a browser sends needs no seal of its own.
    public var suite: CipherSuite?
    /// Key for controller to host: 64 hexadecimal digits.
    public var motionKey: String
    /// Key for host to controller: 64 hexadecimal digits.
    public var feedbackKey: String

    public init(port: UInt16, connection: UInt32, suite: CipherSuite?, motionKey: String, feedbackKey: String) {
        self.port = port
        self.connection = connection
        self.suite = suite
        self.motionKey = motionKey
        self.feedbackKey = feedbackKey
    }
}

/// A no that says why, and whether asking again makes sense.
public struct Refusal: Hashable, Sendable, Codable {
    public var reason: RefusalReason
    /// The reason in words for a person.
    public var message: String
    /// Milliseconds after which it makes sense to ask again; absent when it does not.
    public var retryAfter: Int?

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

/// The highest datagram number that was used in the current link epoch.
public struct LinkStatus: Hashable, Sendable, Codable {
    public var lastSent: UInt32
    public init(lastSent: UInt32) { self.lastSent = lastSent }
}

/// Why a side leaves, and the last number that it sent.
public struct Farewell: Hashable, Sendable, Codable {
    /// `left`, `paused`, `closing`, `kicked`, `replaced`.
    public var reason: String
    public var message: String?
    public var lastSent: UInt32?

    public init(reason: String, message: String? = nil, lastSent: UInt32? = nil) {
        self.reason = reason
        self.message = message
        self.lastSent = lastSent
    }
}
