/// What a file's end says of all that stands before it, so that others find it without reading everything.
struct MCAPSummary: Sendable {
    struct Chunk: Sendable {
        var first: UInt64
        var last: UInt64
        var start: UInt64
        var length: UInt64
        /// Where each channel's index stands.
        var offsets: [(channel: UInt16, offset: UInt64)] = []
        var indexLength: UInt64 = 0
        var compression: String
        var compressed: UInt64
        var uncompressed: UInt64
    }

    var channels: [UInt16: RecordingChannel] = [:]
    var chunks: [Chunk] = []
    var metadata: [(offset: UInt64, length: UInt64, name: String)] = []
    var counts: [UInt16: UInt64] = [:]

    func describe(_ channel: RecordingChannel, in out: inout RecordBytes) {
        if let schema = channel.schema { Self.write(schema, to: &out) }
        Self.write(channel, to: &out)
    }

    private static func write(_ schema: RecordingChannel.Schema, to out: inout RecordBytes) {
        out.record(.schema) {
            $0.put(schema.id)
            $0.put(schema.name)
            $0.put("jsonschema")
            $0.put(schema.text)
        }
    }

    private static func write(_ channel: RecordingChannel, to out: inout RecordBytes) {
        out.record(.channel) {
            $0.put(channel.id)
            $0.put(channel.schema?.id ?? 0)
            $0.put(channel.topic)
            $0.put(channel.encoding)
            $0.put([])
        }
    }

    static func write(_ messages: [(time: UInt64, offset: UInt64)], of channel: UInt16, to out: inout RecordBytes) {
        out.record(.messageIndex) {
            $0.put(channel)
            $0.put(UInt32(messages.count * 16))
            for message in messages {
                $0.put(message.time)
                $0.put(message.offset)
            }
        }
    }

    /// DataEnd, summary, offsets, footer and magic, for a file whose records end at `offset`.
    ///
    /// - Parameter checksum: of everything before `offset`; `nil` where that is not known.
    func closing(at offset: UInt64, checksum: Checksum?) -> [UInt8] {
        var end = RecordBytes()
        end.record(.dataEnd) { $0.put(checksum?.value ?? 0) }
        let summaryStart = offset + UInt64(end.bytes.count)
        var out = RecordBytes()
        var groups: [(MCAP.Opcode, start: Int, length: Int)] = []
        func group(_ opcode: MCAP.Opcode, _ body: (inout RecordBytes) -> Void) {
            let start = out.bytes.count
            body(&out)
            if out.bytes.count > start { groups.append((opcode, start, out.bytes.count - start)) }
        }
        let known = channels.keys.sorted().compactMap { channels[$0] }
        group(.schema) { out in for channel in known { if let schema = channel.schema { Self.write(schema, to: &out) } }
        }
        group(.channel) { out in for channel in known { Self.write(channel, to: &out) } }
        group(.statistics) { writeStatistics(to: &$0) }
        group(.chunkIndex) { out in for chunk in chunks { Self.write(chunk, to: &out) } }
        group(.metadataIndex) { out in
            for entry in metadata {
                out.record(.metadataIndex) {
                    $0.put(entry.offset)
                    $0.put(entry.length)
                    $0.put(entry.name)
                }
            }
        }
        let offsetsStart = summaryStart + UInt64(out.bytes.count)
        for (opcode, start, length) in groups {
            out.record(.summaryOffset) {
                $0.put(opcode.rawValue)
                $0.put(summaryStart + UInt64(start))
                $0.put(UInt64(length))
            }
        }
        // The checksum is of the summary and of the footer until the checksum itself.
        out.bytes.append(MCAP.Opcode.footer.rawValue)
        out.put(UInt64(20))
        out.put(summaryStart)
        out.put(offsetsStart)
        out.put(Checksum.of(out.bytes))
        return end.bytes + out.bytes + MCAP.magic
    }

    private func writeStatistics(to out: inout RecordBytes) {
        out.record(.statistics) {
            $0.put(counts.values.reduce(0, +))
            $0.put(UInt16(channels.values.filter { $0.schema != nil }.count))
            $0.put(UInt32(channels.count))
            $0.put(UInt32(0))
            $0.put(UInt32(metadata.count))
            $0.put(UInt32(chunks.count))
            $0.put(chunks.map(\.first).min() ?? 0)
            $0.put(chunks.map(\.last).max() ?? 0)
            let channels = counts.keys.sorted()
            $0.put(UInt32(channels.count * 10))
            for channel in channels {
                $0.put(channel)
                $0.put(counts[channel] ?? 0)
            }
        }
    }

    private static func write(_ chunk: Chunk, to out: inout RecordBytes) {
        out.record(.chunkIndex) {
            $0.put(chunk.first)
            $0.put(chunk.last)
            $0.put(chunk.start)
            $0.put(chunk.length)
            $0.put(UInt32(chunk.offsets.count * 10))
            for entry in chunk.offsets {
                $0.put(entry.channel)
                $0.put(entry.offset)
            }
            $0.put(chunk.indexLength)
            $0.put(chunk.compression)
            $0.put(chunk.compressed)
            $0.put(chunk.uncompressed)
        }
    }
}
