/// Why bytes from the network could not be read. None of these is ever a trap: a stranger may send anything.
public enum FrameError: Error, Hashable, Sendable, CaseIterable {
    /// The bytes end before the field does.
    case truncated
    /// The datagram is longer than ``WireFormat/maximumDatagramSize``.
    case oversized
    /// A version that this program does not speak.
    case unknownVersion
    /// A kind that does not travel this way.
    case unknownKind
    /// A block's content does not fit its own length.
    case malformedBlock
    /// A run is empty, or its times do not increase, or its indexes leave the window, or an attitude is next to zero.
    case malformedRun
    /// A message longer than ``WireFormat/maximumMessageSize``.
    case messageTooLong
    /// A frame without number and seal (`LegacyFrame`) whose checksum does not fit.
    case wrongChecksum
}

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
    /// Channels of newest-wins data that a controller may use: a host ignores more.
    package static let mostChannels = 16
}
