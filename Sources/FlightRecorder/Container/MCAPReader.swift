import WireProtocol

/// Reads an MCAP recording from its beginning to its end, one chunk at a time, whatever became of it.
///
/// Every chunk has a checksum: what comes out is what was written, or is named as ``damage``. Where a record's length
/// makes no sense, the next sound chunk is looked for.
package struct MCAPReader<Source: ByteSource> {
    /// Makes a chunk's records again of what a `zstd` or `lz4` frame holds; `nil` when that is not possible here.
    package typealias Expand = (_ bytes: ArraySlice<UInt8>, _ name: String, _ size: Int) -> [UInt8]?

    package let source: Source
    let expand: Expand
    private var offset: UInt64
    package private(set) var damage: [RecordingDamage] = []
    package private(set) var metadata: [(name: String, values: [(String, String)])] = []
    /// The file has an end, as only a recording has that was finished.
    package private(set) var isFinished = false
    /// What stands before this is whole: here a repair goes on.
    package private(set) var soundEnd: UInt64
    var summary = MCAPSummary()
    private var isAtEnd = false
    /// The file's end, or zeros until there, cut its last record short: nothing of it can be read, and nothing stands
    /// behind it.
    private var isCutShort = false
    /// Bytes that may still be looked through for sound chunks: a file that is made to mislead ends in a sentence, too.
    private var searchLeft: UInt64 = 1 << 30

    /// - Throws: a sentence, where the file is no recording at all.
    package init(_ source: Source, expand: @escaping Expand = { _, _, _ in nil }) throws(TapeError) {
        self.source = source
        self.expand = expand
        guard source.size > 0 else { throw TapeError("it is empty: nothing was recorded before its recorder ended") }
        guard let magic = source.read(at: 0, count: MCAP.magic.count), magic == MCAP.magic else {
            throw TapeError("it is no recording: it does not begin as an MCAP file does")
        }
        offset = UInt64(MCAP.magic.count)
        soundEnd = offset
    }

    /// The messages of the next sound chunk, in their order; `nil` at the end of the file.
    package mutating func nextChunk() -> [RecordedMessage]? {
        while !isAtEnd {
            let start = offset
            guard let (opcode, length) = prefix(at: start) else {
                end(start, "the file cannot be read here")
                return nil
            }
            switch opcode {
            case .chunk?:
                switch readChunk(at: start, length: length) {
                case .success(let messages):
                    offset = start + UInt64(MCAP.prefix) + length
                    if damage.isEmpty { soundEnd = offset }
                    return messages
                case .failure(let reason): skip(from: start, reason.description)
                }
            case .dataEnd? where length == 4: close(at: start)
            case .messageIndex?, .header?, .metadata?:
                guard let body = source.read(at: start + UInt64(MCAP.prefix), count: Int(length)),
                    take(opcode, body, at: start)
                else {
                    skip(from: start, "no record of ours begins here")
                    continue
                }
                offset = start + UInt64(MCAP.prefix) + length
                if damage.isEmpty { soundEnd = offset }
            default: skip(from: start, "no record begins here")
            }
        }
        return nil
    }

    // MARK: Records

    private func prefix(at offset: UInt64) -> (MCAP.Opcode?, UInt64)? {
        guard let bytes = source.read(at: offset, count: MCAP.prefix) else { return nil }
        var reader = TapeReader(bytes)
        guard let opcode = try? reader.byte(), let length = try? reader.fixed(UInt64.self) else { return nil }
        // A length beyond the file: a cut file's last record, or a flipped bit; both are looked into by whoever skips.
        guard length <= source.size - offset - UInt64(MCAP.prefix), length <= UInt64(MCAP.longestChunk) else {
            return (nil, 0)
        }
        return (MCAP.Opcode(rawValue: opcode), length)
    }

    /// Takes a record that stands between chunks; false when it is not what its opcode says.
    private mutating func take(_ opcode: MCAP.Opcode?, _ body: [UInt8], at start: UInt64) -> Bool {
        var reader = TapeReader(body)
        switch opcode {
        case .header?: return (try? reader.text()) != nil && (try? reader.text()) != nil && reader.isAtEnd
        case .metadata?:
            guard let name = try? reader.text(), let values = try? reader.map(), reader.isAtEnd else { return false }
            metadata.append((name, values))
            summary.metadata.append((start, UInt64(body.count + MCAP.prefix), name))
            return true
        case .messageIndex?:
            guard let channel = try? reader.fixed(UInt16.self), let size = try? reader.fixed(UInt32.self),
                size % 16 == 0, Int(size) == reader.remaining
            else { return false }
            guard let last = summary.chunks.indices.last,
                !summary.chunks[last].offsets.contains(where: { $0.channel == channel })
            else { return true }
            summary.chunks[last].offsets.append((channel, start))
            summary.chunks[last].indexLength += UInt64(body.count + MCAP.prefix)
            return true
        default: return false
        }
    }

    private mutating func readChunk(at start: UInt64, length: UInt64) -> Result<[RecordedMessage], TapeError> {
        guard let body = source.read(at: start + UInt64(MCAP.prefix), count: Int(length)) else {
            return .failure(TapeError("the chunk cannot be read"))
        }
        do throws(TapeError) {
            var (chunk, records) = try Self.open(body, expand)
            let messages = try Self.messages(in: records)
            (chunk.start, chunk.length) = (start, length + UInt64(MCAP.prefix))
            summary.chunks.append(chunk)
            for message in messages { summary.counts[message.channel, default: 0] += 1 }
            for channel in RecordingChannel.all { summary.channels[channel.id] = channel }
            return .success(messages)
        } catch {
            return .failure(error)
        }
    }

    /// The file ends as one that was finished does.
    package var hasFooter: Bool {
        let tail = UInt64(MCAP.prefix + 20 + MCAP.magic.count)
        guard source.size >= tail, let bytes = source.read(at: source.size - tail, count: Int(tail)),
            bytes.first == MCAP.Opcode.footer.rawValue, bytes.suffix(MCAP.magic.count).elementsEqual(MCAP.magic)
        else { return false }
        var reader = TapeReader(bytes.dropFirst(MCAP.prefix))
        guard let start: UInt64 = try? reader.fixed(), (try? reader.fixed(UInt64.self)) != nil,
            let sum: UInt32 = try? reader.fixed(), start > 0, start <= source.size - tail,
            let summary = source.read(at: start, count: Int(source.size - start) - MCAP.magic.count - 4)
        else { return false }
        return sum == 0 || Checksum.of(summary) == sum
    }

    // MARK: Damage

    /// The file stops where its recorder was killed, and all before that is whole. To be asked after the last chunk.
    package var isCut: Bool { isCutShort && damage.count == 1 }

    private mutating func note(_ from: UInt64, _ to: UInt64, _ reason: String) {
        damage.append(RecordingDamage(from: from, to: to, reason: reason))
    }

    private mutating func end(_ from: UInt64, _ reason: String) {
        // What cannot be read may stand before an end that is whole: then nothing was cut off.
        isFinished = hasFooter
        isCutShort = !isFinished && endsWithinRecord(at: from)
        note(from, source.size, isCutShort ? "the file ends here in the middle of a record" : reason)
        isAtEnd = true
    }

    /// The recording ends here. What stands behind its end was never a part of it, and is named.
    private mutating func close(at start: UInt64) {
        isAtEnd = true
        checkData(until: start)
        isFinished = hasFooter
        guard !isFinished else { return }
        let next = start + UInt64(MCAP.prefix) + 4
        let (place, isOver) = summaryEnd(from: next)
        let (left, magic) = (source.size - place, UInt64(MCAP.magic.count))
        if isOver, left > magic, source.read(at: place, count: MCAP.magic.count) == MCAP.magic {
            isFinished = true
            let more = plural(left - magic, "byte follows", "bytes follow")
            note(place + magic, source.size, "\(more) its end: perhaps another recording")
        } else if soundChunk(from: next) != nil {
            note(start, source.size, "its end is damaged, and more follows it: perhaps another recording")
        } else {
            isCutShort = isOver ? writtenEnd(from: place) - place <= magic : endsWithinRecord(at: place)
            note(start, source.size, "the file has no whole end")
        }
    }

    /// What stands between the chunks, as what was said of the recording, has no other checksum than that of the whole.
    private mutating func checkData(until end: UInt64) {
        guard damage.isEmpty, let bytes = source.read(at: end + UInt64(MCAP.prefix), count: 4) else { return }
        var reader = TapeReader(bytes)
        // Older recordings have none.
        guard let wanted: UInt32 = try? reader.fixed(), wanted != 0, checksum(until: end)?.value != wanted,
            // Else of the checksum itself a part is lost.
            writtenEnd(from: end) >= end + UInt64(MCAP.prefix) + 4
        else { return }
        note(0, end, "something beside its chunks, such as what was said of the recording, is not as it was written")
    }

    /// Of everything before this place, and of what is to follow it; `nil` when it cannot be read.
    func checksum(until end: UInt64, and more: [UInt8] = []) -> Checksum? {
        var (sum, place) = (Checksum(), UInt64(0))
        while place < end {
            let count = min(1 << 20, end - place)
            guard let bytes = source.read(at: place, count: Int(count)) else { return nil }
            bytes.withUnsafeBytes { sum.take($0) }
            place += count
        }
        more.withUnsafeBytes { sum.take($0) }
        return sum
    }

    /// Where a summary is over that begins here: behind its footer, or where no whole record of it stands any more.
    private func summaryEnd(from start: UInt64) -> (place: UInt64, isOver: Bool) {
        var place = start
        // A file that is made to mislead has an end, too.
        for _ in 0..<(1 << 22) {
            guard let (opcode, length) = prefix(at: place) else { break }
            let next = place + UInt64(MCAP.prefix) + length
            switch opcode {
            case .schema?, .channel?, .statistics?, .chunkIndex?, .attachmentIndex?, .metadataIndex?, .summaryOffset?:
                place = next
            case .footer? where length == 20: return (next, true)
            default: return (place, false)
            }
        }
        return (place, false)
    }

    /// Looks for the next chunk that is sound.
    private mutating func skip(from start: UInt64, _ reason: String) {
        guard let next = soundChunk(from: start + 1) else { return end(start, reason) }
        note(start, next, reason)
        offset = next
    }

    private mutating func soundChunk(from start: UInt64) -> UInt64? {
        var place = start
        let window: UInt64 = 1 << 20
        while place < source.size {
            let count = min(window, source.size - place)
            guard searchLeft >= count, let bytes = source.read(at: place, count: Int(count)) else { return nil }
            searchLeft -= count
            for (step, byte) in bytes.enumerated() where byte == MCAP.Opcode.chunk.rawValue {
                let candidate = place + UInt64(step)
                if isSoundChunk(at: candidate) { return candidate }
            }
            place += count
        }
        return nil
    }

    private mutating func isSoundChunk(at offset: UInt64) -> Bool {
        guard let (opcode, length) = prefix(at: offset), opcode == .chunk, length >= 40, searchLeft >= length,
            let head = source.read(at: offset + UInt64(MCAP.prefix), count: 40)
        else { return false }
        var reader = TapeReader(head.dropFirst(28))
        guard let name: UInt32 = try? reader.fixed(), name == 0 || name == 3 || name == 4,
            let body = source.read(at: offset + UInt64(MCAP.prefix), count: Int(length))
        else { return false }
        searchLeft -= length
        return (try? Self.open(body, expand)) != nil
    }
}
