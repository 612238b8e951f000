/// How a peer's datagrams come to the host.
public enum Transport: String, Hashable, Sendable {
    /// Sealed, over UDP.
    case udp
    /// A browser's, in WebSocket messages inside TLS.
    case wss
    /// A browser's, in POSTs, with server-sent events back: where WebSocket is refused.
    case post
    /// Unsealed frames without numbers: what is missing among them is not known.
    case legacy

    /// On a stream nothing is lost or overtaken: a loss on the network shows as delay.
    public var isReliable: Bool {
        switch self {
        case .wss, .post: true
        case .udp, .legacy: false
        }
    }

    /// Whether a loss of datagrams can be seen at all.
    public var countsLosses: Bool { self == .udp }
    /// Whether samples bear indexes, so that a missing one is known.
    public var numbersSamples: Bool { self != .legacy }
}
