public import WireProtocol

/// One joining: what the host's seat answer says about the link.
public struct LinkEpoch: Hashable, Sendable {
    /// The link's place in the host's table, in front of every datagram.
    public var connection: ConnectionID
    /// Seals what the controller sends; fresh for every epoch, so that no number ever serves twice under it.
    public var sendKey: LinkKey
    /// Opens what the host sends.
    public var receiveKey: LinkKey

    /// The link of the seat's answer: id and keys as `LinkGrant` gives them, `sendKey` being its `motionKey`.
    public init(connection: ConnectionID, sendKey: LinkKey, receiveKey: LinkKey) {
        self.connection = connection
        self.sendKey = sendKey
        self.receiveKey = receiveKey
    }
}

/// How the link stands, as of the last call.
public enum LinkState: Hashable, Sendable {
    /// Not opened yet.
    case closed
    /// The host was heard within the feedback timeout.
    case live
    /// Nothing authentic came since then for longer than the feedback timeout: join again, and go on sending meanwhile.
    case quiet(since: DeviceTime)
    /// The datagram numbers are nearly used up: join again, for fresh keys.
    case exhausted
    /// Said goodbye; some copies of the goodbye may still have to be sent.
    case leaving(GoodbyeReason)
    /// The goodbye is said, by either side. Nothing is sent until the link is opened again.
    case ended(GoodbyeReason)

    /// Whether the shell should join again over TLS, and go on sending meanwhile.
    public var needsRejoin: Bool {
        switch self {
        case .quiet, .exhausted: true
        case .closed, .live, .leaving, .ended: false
        }
    }
}

/// What a datagram from the host brought for the controller to act on.
public enum LinkEvent: Hashable, Sendable {
    /// A reliable message, once and in order.
    case message(LinkMessage)
    /// Newest-wins data; older pieces of the channel are gone.
    case data(channel: UInt8, bytes: [UInt8])
    /// The host ended the link.
    case goodbye(GoodbyeReason)
}

/// A datagram that was written and sealed: its bytes stand at the front of the caller's buffer.
public struct SentDatagram: Hashable, Sendable {
    /// Its number in this link epoch, from 0.
    public var number: UInt32
    /// Bytes, header and tag included.
    public var size: Int
    /// It was sent only because nothing else was.
    public var isHeartbeat: Bool
    /// The samples in it, if the link records them; empty otherwise.
    public var runs: [RunRecord]
}

/// Consecutive samples of one stream, as the sender's own log names them.
public struct RunRecord: Hashable, Sendable {
    /// The number under which the stream was declared.
    public var stream: StreamID
    /// The numbering of the stream's samples.
    public var epoch: UInt8
    /// The index of the first sample.
    public var first: UInt32
    /// How many follow each other, the first included: 1 to 255.
    public var count: UInt32

    /// The samples `first` to `first + count - 1` of one stream epoch.
    public init(stream: StreamID, epoch: UInt8, first: UInt32, count: UInt32) {
        self.stream = stream
        self.epoch = epoch
        self.first = first
        self.count = count
    }
}
