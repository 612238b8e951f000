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
