public import WireProtocol

/// What the shell makes fresh and at random for each invitation, whether it is granted or not.
public struct LinkMaterial: Hashable, Sendable {
    /// 32 random bytes for controller to host.
    public var motionKey: LinkKey
    /// 32 random bytes for host to controller.
    public var feedbackKey: LinkKey
    /// 32 random bytes that the controller never hears of.
    public var probeKey: LinkKey
    /// The next resumption secret as it will be told, and its SHA-256.
    public var secret: String
    /// See ``secret``: what is kept on disk instead of it.
    public var secretHash: [UInt8]
    /// SHA-256 of the secret that the invitation brought.
    public var presentedHash: [UInt8]?
    /// SHA-256 of the ticket of the host's own offer, if it brought one.
    public var ticketHash: [UInt8]?

    /// What the shell drew and hashed for one invitation; every key and secret is fresh.
    public init(
        motionKey: LinkKey, feedbackKey: LinkKey, probeKey: LinkKey, secret: String, secretHash: [UInt8],
        presentedHash: [UInt8]?, ticketHash: [UInt8]? = nil
    ) {
        self.motionKey = motionKey
        self.feedbackKey = feedbackKey
        self.probeKey = probeKey
        self.secret = secret
        self.secretHash = secretHash
        self.presentedHash = presentedHash
        self.ticketHash = ticketHash
    }
}

extension LinkMaterial {
    func way(over transport: Transport) -> Link.Way {
        transport.isReliable
            ? .reliable(transport, probe: probeKey)
            : .udp(LinkKeys(motion: motionKey, feedback: feedbackKey, probe: probeKey))
    }
}

extension LinkKey {
    /// As the seat's answer carries it.
    var hexadecimal: String { withUnsafeBytes { Hexadecimal.encode($0) } }
}
