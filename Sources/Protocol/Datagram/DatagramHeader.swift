/// The nine clear bytes in front of every datagram, authenticated with it.
///
/// ```
///  0       version (high half), kind (low half)
///  1 … 4   connection id: index (16 bits), generation (16 bits)
///  5 … 8   number, from 0, never twice under one key
/// ```
public struct DatagramHeader: Hashable, Sendable {
    /// Bytes in a header.
    public static let size = 9

    /// What the datagram is, and so which way it travels.
    public enum Kind: UInt8, Hashable, Sendable {
        /// Controller to host, sealed: samples, answers, messages.
        case motion = 1
        /// Host to controller, sealed: acknowledgements, probes, messages.
        case feedback = 2
        /// Controller to host, unsealed: only inside TLS, refused on UDP.
        case browserMotion = 3
        /// Host to controller, unsealed: only inside TLS.
        case browserFeedback = 4
    }

    /// What the datagram is; sets whether the rest is sealed, and which way it may travel.
    public var kind: Kind
    /// The link epoch that the datagram belongs to, by the id that the host gave it (``LinkGrant/connection``).
    public var connection: ConnectionID
    /// Counts this sender's datagrams in this link epoch from 0. Part of the seal's nonce, so never used twice.
    public var number: UInt32

    /// The header of a datagram that is about to be written, in the version that this program speaks.
    public init(kind: Kind, connection: ConnectionID, number: UInt32) {
        self.kind = kind
        self.connection = connection
        self.number = number
    }

    /// Reads the header of a whole datagram.
    ///
    /// - Throws: `oversized`, `truncated`, `unknownVersion` or `unknownKind`.
    public init(reading bytes: UnsafeRawBufferPointer) throws(FrameError) {
        guard bytes.count <= WireFormat.maximumDatagramSize else { throw .oversized }
        var reader = ByteReader(bytes)
        let first: UInt8 = try reader.read()
        guard first >> 4 == WireFormat.version else { throw .unknownVersion }
        guard let kind = Kind(rawValue: first & 0x0F) else { throw .unknownKind }
        self.kind = kind
        connection = ConnectionID(rawValue: try reader.read())
        number = try reader.read()
    }

    /// Writes the nine bytes; the writer has ``size`` bytes of room.
    public func write(to writer: inout ByteWriter) {
        writer.write(WireFormat.version << 4 | kind.rawValue)
        writer.write(connection.rawValue)
        writer.write(number)
    }
}

/// Names one link epoch in the host's table: an array access, and a guard against those who held the place before.
public struct ConnectionID: Hashable, Sendable {
    /// Index in the high 16 bits, generation in the low ones, as they stand in the datagram.
    public var rawValue: UInt32

    /// The id as a header or the answer with the seat has it; a controller looks no further into it.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The id of a place in the host's table and of how often it was given away.
    public init(index: UInt16, generation: UInt16) {
        rawValue = UInt32(index) << 16 | UInt32(generation)
    }

    /// The place in the host's table.
    public var index: UInt16 { UInt16(rawValue >> 16) }
    /// Counts the link epochs that used the place.
    public var generation: UInt16 { UInt16(truncatingIfNeeded: rawValue) }
}
