/// Not yet: the operator decides, or all seats are taken and this is the place in the queue. Said again when it changes,
/// and every few seconds.
public struct Waiting: Hashable, Sendable, Codable {
    /// Milliseconds: for how long the host waits for its operator, or keeps the place of one that is not heard.
    public var timeout: Int
    /// The place in the queue for a seat, from 1; `nil` while the operator decides.
    public var place: Int?
    /// What the operator sees it called.
    public var name: String?
    /// `#rrggbb` of the seat that it is likely to get; `nil` in the queue.
    public var color: String?
    /// What brings it back to its place in the queue on another connection: the invitation's `secret`, 64 hexadecimal
    /// digits.
    public var secret: String?

    /// What a controller is told until it has its seat or its refusal; `timeout` in ms.
    public init(
        timeout: Int, place: Int? = nil, name: String? = nil, color: String? = nil, secret: String? = nil
    ) {
        self.timeout = timeout
        self.place = place
        self.name = name
        self.color = color
        self.secret = secret
    }
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
    /// Where to send samples, and the keys that seal them.
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
    /// Whether the host records the room; absent where it does not, and from hosts of before.
    public var recorded: Bool?

    /// The answer to who is let in; `idle` and `grace` in ms.
    public init(
        seat: Int, player: Int, color: String, name: String, link: LinkGrant, secret: String, continues: Bool,
        idle: Int, grace: Int, recorded: Bool? = nil
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
        self.recorded = recorded
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

    /// The motion link's way and keys; `suite` is absent for a browser, whose link is TLS itself.
    public init(port: UInt16, connection: UInt32, suite: CipherSuite?, motionKey: String, feedbackKey: String) {
        self.port = port
        self.connection = connection
        self.suite = suite
        self.motionKey = motionKey
        self.feedbackKey = feedbackKey
    }
}
