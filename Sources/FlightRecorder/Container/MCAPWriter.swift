/// Writes a recording as an MCAP file: what is to be appended comes out as bytes, whole records at a time.
///
/// ```
/// opening() ▸ (add … chunk()) ▸ (add … chunk()) ▸ … ▸ closing()
/// ```
/// Each chunk bears its own schemas and channels: whatever else is lost, it can be read alone.
package struct MCAPWriter: Sendable {
    /// Turns a chunk's records into fewer bytes; `nil` when it cannot.
    package typealias Compress = @Sendable ([UInt8]) -> [UInt8]?

    /// A chunk is closed when it holds so much.
    package static let fullChunk = 1 << 20

    var summary = MCAPSummary()
    private var records = RecordBytes()
    private var indexes: [UInt16: [(time: UInt64, offset: UInt64)]] = [:]
    private var first = UInt64.max
    private var last: UInt64 = 0
    private var sequences: [UInt16: UInt32] = [:]
    /// Bytes that were given out so far.
    package private(set) var written: UInt64 = 0
    /// Of all of them; `nil` where it is not known what of them reached the disk.
    private var checksum: Checksum? = Checksum()
    /// The same two before the last bytes were given out.
    private var before: (written: UInt64, checksum: Checksum?) = (0, Checksum())
    private let compression: (name: String, compress: Compress)?

    /// - Parameter compression: its name in the specification (`zstd`, `lz4`), and what does it.
    package init(compression: (name: String, compress: Compress)? = nil) { self.compression = compression }

    /// The writer as it stands when what was given out after `offset` never reached the disk; it writes uncompressed.
    package func afterLoss(at offset: UInt64) -> MCAPWriter {
        var writer = MCAPWriter()
        writer.summary = summary
        writer.summary.chunks.removeAll { $0.start + $0.length > offset }
        writer.summary.metadata.removeAll { $0.offset >= offset }
        writer.sequences = sequences
        writer.written = offset
        writer.checksum = offset == written ? checksum : offset == before.written ? before.checksum : nil
        return writer
    }

    /// Uncompressed bytes in the chunk so far.
    package var chunkSize: Int { indexes.isEmpty ? 0 : records.bytes.count }

    /// Must be the first to be written.
    package mutating func opening(library: String) -> [UInt8] {
        var out = RecordBytes(bytes: MCAP.magic)
        out.record(.header) {
            $0.put("roomful")
            $0.put(library)
        }
        return note(out.bytes)
    }

    /// Words about the recording: of whom, for what, with whose consent.
    package mutating func metadata(_ name: String, _ values: [(String, String)]) -> [UInt8] {
        var out = RecordBytes()
        out.record(.metadata) {
            $0.put(name)
            $0.put(values)
        }
        summary.metadata.append((written, UInt64(out.bytes.count), name))
        return note(out.bytes)
    }

    /// Adds a message to the chunk.
    ///
    /// - Parameters:
    ///   - logTime: ns since 1970, by the room's clock carried on from its opening.
    ///   - publishTime: when it happened.
    package mutating func add(
        _ data: [UInt8], to channel: RecordingChannel, logTime: UInt64, publishTime: UInt64? = nil
    ) {
        if indexes.isEmpty { beginChunk() }
        indexes[channel.id, default: []].append((logTime, UInt64(records.bytes.count)))
        first = min(first, logTime)
        last = max(last, logTime)
        let sequence = sequences[channel.id, default: 0]
        sequences[channel.id] = sequence &+ 1
        records.record(.message) {
            $0.put(channel.id)
            $0.put(sequence)
            $0.put(logTime)
            $0.put(publishTime ?? logTime)
            $0.bytes += data
        }
    }

    private mutating func beginChunk() {
        records.bytes.removeAll(keepingCapacity: true)
        (first, last) = (.max, 0)
        for channel in RecordingChannel.all {
            summary.describe(channel, in: &records)
            summary.channels[channel.id] = channel
        }
    }

    /// The chunk and its indexes, to be appended in one write; `nil` when nothing was added.
    package mutating func chunk() -> [UInt8]? {
        guard !indexes.isEmpty else { return nil }
        let packed = compression.flatMap { compression in
            compression.compress(records.bytes).map { ($0, compression.name) }
        }
        let (body, name) = packed.flatMap { $0.0.count < records.bytes.count ? $0 : nil } ?? (records.bytes, "")
        var out = RecordBytes()
        out.bytes.reserveCapacity(body.count + 4_096)
        out.record(.chunk) {
            $0.put(first)
            $0.put(last)
            $0.put(UInt64(records.bytes.count))
            $0.put(Checksum.of(records.bytes))
            $0.put(name)
            $0.put(UInt64(body.count))
            $0.bytes += body
        }
        var index = MCAPSummary.Chunk(
            first: first, last: last, start: written, length: UInt64(out.bytes.count), compression: name,
            compressed: UInt64(body.count), uncompressed: UInt64(records.bytes.count))
        for channel in indexes.keys.sorted() {
            let messages = indexes[channel] ?? []
            index.offsets.append((channel, written + UInt64(out.bytes.count)))
            summary.counts[channel, default: 0] += UInt64(messages.count)
            MCAPSummary.write(messages, of: channel, to: &out)
        }
        index.indexLength = UInt64(out.bytes.count) - index.length
        summary.chunks.append(index)
        indexes.removeAll(keepingCapacity: true)
        return note(out.bytes)
    }

    /// The end of a file that is whole.
    package mutating func closing() -> [UInt8] { note(summary.closing(at: written, checksum: checksum)) }

    private mutating func note(_ bytes: [UInt8]) -> [UInt8] {
        before = (written, checksum)
        written += UInt64(bytes.count)
        if var sum = checksum {
            bytes.withUnsafeBytes { sum.take($0) }
            checksum = sum
        }
        return bytes
    }
}
