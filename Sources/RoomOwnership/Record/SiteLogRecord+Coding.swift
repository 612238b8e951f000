extension SiteLogRecord {
    /// Readers of another major version cannot know what a record means for the ownership: they never claim.
    package static let major: UInt8 = 1
    /// Bytes of a record, a quarter of the megabyte that a NATS server takes unless told otherwise (`max_payload`).
    package static let maximumSize = 262_144
    package static let maximumItems = 1_024
    /// Bytes of one sealed item.
    package static let maximumItemSize = 131_072
    /// Of sequences, epochs and events: what is larger nobody can have counted to, and nothing is added to it.
    static let largestNumber: UInt64 = 1 << 62
    static let headerSize = 44
    /// What an item costs beside its sealed bytes.
    static let itemOverhead = 5
    /// Kinds from here on have no bearing on who owns the room: who does not know one skips it.
    static let skippableKinds: UInt8 = 0x80

    private enum Kind {
        static let claim: UInt8 = 1
        static let beat: UInt8 = 2
        static let batch: UInt8 = 3
        static let handover: UInt8 = 4
        static let released: UInt8 = 5
    }

    /// Big-endian, as all that Roomful writes.
    package var encoded: [UInt8] {
        var bytes = RecordWriter()
        bytes.write(Self.major)
        bytes.write(kind)
        bytes.write(policy.rawValue)
        bytes.write(UInt8(Self.headerSize))
        bytes.write(epoch)
        bytes.write(owner.host)
        bytes.write(owner.life)
        bytes.write(lastEvent)
        bytes.write(chain?.digest ?? 0)
        switch body {
        case .claim(let cause): bytes.write(cause.rawValue)
        case .beat, .released, .skipped: break
        case .handover(let host): bytes.write(host)
        case .batch(let batch):
            bytes.write(batch.dropped)
            bytes.write(UInt16(clamping: batch.items.count))
            for item in batch.items {
                bytes.write(item.kind)
                bytes.write(UInt32(clamping: item.sealed.count))
                bytes.bytes += item.sealed
            }
        }
        precondition(bytes.bytes.count <= Self.maximumSize, "a record was filled beyond its bound")
        return bytes.bytes
    }

    private var kind: UInt8 {
        switch body {
        case .claim: Kind.claim
        case .beat: Kind.beat
        case .batch: Kind.batch
        case .handover: Kind.handover
        case .released: Kind.released
        case .skipped(let kind): kind
        }
    }

    /// Reads what anybody may have written.
    package init(decoding bytes: [UInt8]) throws(SiteLogRecordError) {
        guard bytes.count <= Self.maximumSize else { throw .tooLong(bytes.count) }
        var reader = RecordReader(bytes)
        let major: UInt8 = try reader.read()
        guard major == Self.major else { throw .unknownMajor(major) }
        let kind: UInt8 = try reader.read()
        let flags: UInt8 = try reader.read()
        let length = Int(try reader.read() as UInt8)
        epoch = try reader.read()
        owner = OwnerID(host: try reader.read(), life: try reader.read())
        policy = flags & 1 == 1 ? .yield : .play
        lastEvent = try reader.read()
        let digest: UInt64 = try reader.read()
        chain = digest == 0 ? nil : LogChain(digest: digest)
        // Later versions may add to the header.
        guard length >= Self.headerSize, length <= bytes.count else { throw .headerLength(length) }
        guard epoch > 0, epoch < Self.largestNumber else { throw .epoch(epoch) }
        guard lastEvent < Self.largestNumber else { throw .eventNumber }
        reader.position = length
        body = try Self.body(kind, &reader)
        if case .batch(let batch) = body, lastEvent < UInt64(batch.events) { throw .eventNumber }
    }

    private static func body(_ kind: UInt8, _ reader: inout RecordReader) throws(SiteLogRecordError) -> Body {
        let body: Body
        switch kind {
        case Kind.claim:
            let raw: UInt8 = try reader.read()
            guard let cause = ClaimCause(rawValue: raw) else { throw .unknownCause(raw) }
            body = .claim(cause)
        case Kind.beat: body = .beat
        case Kind.handover: body = .handover(to: try reader.read())
        case Kind.released: body = .released
        case Kind.batch: body = .batch(try Self.batch(&reader))
        case skippableKinds...: return .skipped(kind: kind)
        default: throw .unknownKind(kind)
        }
        guard reader.isAtEnd else { throw .trailingBytes(reader.remaining) }
        return body
    }

    private static func batch(_ reader: inout RecordReader) throws(SiteLogRecordError) -> CommitBatch {
        var batch = CommitBatch(dropped: try reader.read(), items: [])
        let count = Int(try reader.read() as UInt16)
        guard count <= maximumItems else { throw .tooManyItems(count) }
        // What is said to come must be there before memory is taken for it.
        guard reader.remaining >= count * itemOverhead else { throw .truncated }
        batch.items.reserveCapacity(count)
        for _ in 0..<count {
            let kind: UInt8 = try reader.read()
            let size: UInt32 = try reader.read()
            guard size <= maximumItemSize else { throw .itemTooLong(Int(size)) }
            batch.items.append(SiteItem(kind: kind, sealed: try reader.readBytes(Int(size))))
        }
        return batch
    }
}
