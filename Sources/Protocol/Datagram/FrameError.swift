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
