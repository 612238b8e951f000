/// The constants of the motion link, version 1: `Documentation/WIRE-FORMAT.md`.
public enum WireFormat {
    /// The version in the high half of every datagram's first byte.
    public static let version: UInt8 = 1
    /// The most bytes in a datagram, header and tag included: fits an IPv6 packet of the smallest MTU (RFC 8200, 5).
    public static let maximumDatagramSize = 1_200
    /// The most bytes that sealed content may have.
    public static let maximumPayloadSize = maximumDatagramSize - DatagramHeader.size - sealTagLength
    /// The most bytes in one reliable message or one piece of newest-wins data.
    public static let maximumMessageSize = 512
    /// How many indexes of a stream may lie between its floor and its newest sample: what a controller holds at most.
    public static let streamWindow: UInt32 = 4_096
    /// Where a datagram's blocks begin: behind its header and the time of its sending.
    package static let contentStart = DatagramHeader.size + 8
    /// Streams that a controller may declare.
    package static let mostStreams = 8
    /// Channels of newest-wins data that a controller may use: a host ignores more.
    package static let mostChannels = 16
    /// Marks that a controller may say in a second, and at once: a host drops more.
    package static let marksPerSecond = 1.0
    package static let mostMarksAtOnce = 20
}
