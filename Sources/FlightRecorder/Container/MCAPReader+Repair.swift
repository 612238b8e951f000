/// Of files that were cut.
extension MCAPReader {
    /// What makes a whole file of one that was cut: how many of its bytes stay, and what is to be appended to them.
    ///
    /// `nil` when it is whole already, and whenever more would go than a record that its recorder did not finish: what is
    /// damaged, or cannot be expanded or understood here, may be read elsewhere. To be asked after the last chunk.
    package func repair() -> (keep: UInt64, append: [UInt8])? {
        guard isCut else { return nil }
        var (summary, keep) = (summary, soundEnd)
        var append = RecordBytes()
        if let last = summary.chunks.indices.last, let messages = lastMessages() {
            // Its indexes are written anew, as a cut may have taken some.
            keep = summary.chunks[last].start + summary.chunks[last].length
            // No recorder of ours writes any there.
            guard summary.metadata.allSatisfy({ $0.offset < keep }) else { return nil }
            summary.chunks[last].offsets = []
            for channel in messages.keys.sorted() {
                summary.chunks[last].offsets.append((channel, keep + UInt64(append.bytes.count)))
                MCAPSummary.write(messages[channel] ?? [], of: channel, to: &append)
            }
            summary.chunks[last].indexLength = UInt64(append.bytes.count)
        }
        let sum = checksum(until: keep, and: append.bytes)
        return (keep, append.bytes + summary.closing(at: keep + UInt64(append.bytes.count), checksum: sum))
    }

    /// Whether the record that begins here runs past what was written. A chunk says twice how long it is: one of which that
    /// was changed is told from one that was cut.
    func endsWithinRecord(at start: UInt64) -> Bool {
        let (prefix, left) = (UInt64(MCAP.prefix), writtenEnd(from: start) - start)
        guard left > 0, source.size - start >= prefix else { return true }
        guard let bytes = source.read(at: start, count: MCAP.prefix) else { return false }
        var reader = TapeReader(bytes)
        guard let opcode = (try? reader.byte()).flatMap(MCAP.Opcode.init(rawValue:)) else { return false }
        guard left >= prefix else { return true }
        guard let length = try? reader.fixed(UInt64.self), length <= UInt64(MCAP.longestChunk), length > left - prefix
        else { return false }
        guard opcode == .chunk, left >= prefix + 48, let head = source.read(at: start + prefix, count: 48) else {
            return true
        }
        reader = TapeReader(head.dropFirst(28))
        guard let name = try? reader.text(), let packed = try? reader.fixed(UInt64.self),
            packed == length &- 40 &- UInt64(name.utf8.count)
        else { return false }
        // One that has its length may end in zeros of its own, and be unreadable here alone.
        let isReadHere = name.isEmpty || summary.chunks.contains { $0.compression == name }
        return length > source.size - start - prefix || isReadHere
    }

    /// Where what was written ends, from this place on. After a power cut zeros may stand in place of what never reached the
    /// disk, as the file was made longer first; up to 15 may be a record's own.
    func writtenEnd(from start: UInt64) -> UInt64 {
        var place = source.size
        // A file that is made to mislead has an end, too.
        guard place - start <= 1 << 30 else { return place }
        while place > start {
            let count = min(1 << 20, place - start)
            guard let bytes = source.read(at: place - count, count: Int(count)) else { return source.size }
            place -= count
            guard let last = bytes.lastIndex(where: { $0 != 0 }) else { continue }
            place += UInt64(last) + 1
            return source.size - place > 15 ? place : source.size
        }
        return start
    }

    /// Where each message of the last chunk stands, by channel.
    private func lastMessages() -> [UInt16: [(time: UInt64, offset: UInt64)]]? {
        guard let chunk = summary.chunks.last,
            let body = source.read(at: chunk.start + UInt64(MCAP.prefix), count: Int(chunk.length) - MCAP.prefix),
            let (_, records) = try? Self.open(body, expand), let messages = try? Self.messages(in: records)
        else { return nil }
        var all: [UInt16: [(time: UInt64, offset: UInt64)]] = [:]
        for message in messages {
            // What it holds is a slice of the chunk's records.
            let offset = UInt64(message.data.startIndex - MCAP.messageHead)
            all[message.channel, default: []].append((message.logTime, offset))
        }
        return all
    }
}
