/// What a controller says of its own sending, since its program first took a seat in this room: the one witness of what
/// nobody heard.
public struct SenderTally: Hashable, Sendable, Codable {
    /// Link epochs that it opened, the present one included.
    public var links: UInt16
    /// Datagrams that it sent in all of them, the one that carries this included.
    public var datagrams: UInt64
    /// Samples of all streams that got an index.
    public var samples: UInt64
    /// Those of them that the host has confirmed.
    public var confirmed: UInt64

    /// What a controller tells of itself; how the counts relate to each other is for the host to judge.
    public init(links: UInt16, datagrams: UInt64, samples: UInt64, confirmed: UInt64) {
        self.links = links
        self.datagrams = datagrams
        self.samples = samples
        self.confirmed = confirmed
    }
}
