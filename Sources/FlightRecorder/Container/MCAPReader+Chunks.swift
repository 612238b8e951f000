/// What a chunk holds.
extension MCAPReader {
    /// A chunk's records, when its checksum says that they are as they were written.
    static func open(
        _ body: [UInt8], _ expand: Expand
    ) throws(TapeError) -> (chunk: MCAPSummary.Chunk, records: [UInt8]) {
        var reader = TapeReader(body)
        let (first, last, size): (UInt64, UInt64, UInt64) = (try reader.fixed(), try reader.fixed(), try reader.fixed())
        let sum: UInt32 = try reader.fixed()
        let name = try reader.text()
        let packed: UInt64 = try reader.fixed()
        guard size <= UInt64(MCAP.longestChunk), packed == UInt64(reader.remaining) else {
            throw TapeError("the chunk's sizes make no sense")
        }
        let bytes = try reader.raw(reader.remaining)
        let records: [UInt8]
        if name.isEmpty {
            records = Array(bytes)
        } else if let expanded = expand(bytes, name, Int(size)) {
            records = expanded
        } else {
            throw TapeError(
                "the chunk cannot be expanded: it is damaged, or neither plain nor zstd, or libzstd is missing here")
        }
        guard UInt64(records.count) == size, sum == 0 || Checksum.of(records) == sum else {
            throw TapeError("the chunk's checksum does not fit")
        }
        let chunk = MCAPSummary.Chunk(
            first: first, last: last, start: 0, length: 0, compression: name, compressed: packed, uncompressed: size)
        return (chunk, records)
    }

    static func messages(in records: [UInt8]) throws(TapeError) -> [RecordedMessage] {
        var reader = TapeReader(records)
        var messages: [RecordedMessage] = []
        while !reader.isAtEnd {
            let (opcode, length): (UInt8, UInt64) = (try reader.byte(), try reader.fixed())
            guard length <= UInt64(reader.remaining) else { throw .cut }
            var body = TapeReader(try reader.raw(Int(length)))
            guard opcode == MCAP.Opcode.message.rawValue else { continue }
            messages.append(
                RecordedMessage(
                    channel: try body.fixed(), sequence: try body.fixed(), logTime: try body.fixed(),
                    publishTime: try body.fixed(), data: try body.raw(body.remaining)))
        }
        return messages
    }
}
