import WireProtocol

extension OutgoingStream {
    /// A stream's turn to write into a datagram. Positions count from the front of the datagram's samples.
    struct Turn {
        /// The datagram's number.
        let number: UInt32
        /// Nanoseconds on the device's clock.
        let now: Int64
        /// Up to where the stream may write at all.
        let limit: Int
        /// Up to where it may write repeats on mere suspicion.
        let suspicionEnd: Int
        /// What was sent last before this moment, and is not confirmed, is suspect.
        let suspectBefore: Int64
        /// How many datagrams' fresh samples are repeated from the start.
        let redundancy: Int
    }

    /// Writes the stream's block, if it has anything to say: fresh samples behind their redundancy, then what is
    /// urgent, then suspects.
    mutating func write(to writer: inout ByteWriter, turn: Turn, content: inout DatagramContent) {
        let least = writer.count + StreamBlockWriter.overhead + StreamBlockWriter.runOverhead + codec.size
        guard least <= turn.limit,
            freshCount > 0 || hasUrgent || owesFloor || (least <= turn.suspicionEnd && nextSuspect(turn) != nil),
            var block = StreamBlockWriter(
                stream: id, epoch: epoch, floor: buffer.floor, codec: codec, to: &writer)
        else { return }
        writeFresh(to: &writer, block: &block, turn: turn, content: &content)
        writeUrgent(to: &writer, block: &block, turn: turn, content: &content)
        writeSuspects(to: &writer, block: &block, turn: turn, content: &content)
        block.finish(&writer)
        owesFloor = false
    }

    /// One run, oldest first, of what the last few datagrams carried as fresh and of what is fresh now.
    private mutating func writeFresh(
        to writer: inout ByteWriter, block: inout StreamBlockWriter, turn: Turn, content: inout DatagramContent
    ) {
        let capacity = max(0, (turn.limit - writer.count - StreamBlockWriter.runOverhead) / codec.size)
        let fresh = UInt32(min(freshCount, capacity))
        guard fresh > 0 else { return }
        let spare = UInt32(capacity) - fresh
        let end = freshFrom + fresh
        var index = max(redundancyStart(turn.redundancy), freshFrom - min(freshFrom, spare))
        while index < end {
            let isFresh = index >= freshFrom
            // Redundancy never takes the last place from what is fresh, whatever gaps its runs have.
            if isFresh || (buffer.holds(index) && turn.limit - writer.count >= 2 * bytesOfLoneSample) {
                guard put(index, to: &writer, block: &block, turn: turn, content: &content) else { break }
                if isFresh { content.fresh += 1 }
            }
            index += 1
        }
        advanceFresh(to: index)
    }

    /// What feedback shows to be lost, oldest first.
    private mutating func writeUrgent(
        to writer: inout ByteWriter, block: inout StreamBlockWriter, turn: Turn, content: inout DatagramContent
    ) {
        guard hasUrgent else { return }
        var index = buffer.floor
        while index < freshFrom, writer.count + bytesOfLoneSample <= turn.limit {
            if isUrgent(index), !put(index, to: &writer, block: &block, turn: turn, content: &content) { break }
            index += 1
        }
        lookForUrgent()
    }

    /// What is not confirmed for long enough, going round.
    private mutating func writeSuspects(
        to writer: inout ByteWriter, block: inout StreamBlockWriter, turn: Turn, content: inout DatagramContent
    ) {
        while writer.count + bytesOfLoneSample <= turn.suspicionEnd, let index = nextSuspect(turn),
            put(index, to: &writer, block: &block, turn: turn, content: &content)
        {
            repeatCursor = index + 1
        }
    }

    /// The next suspect from the cursor on, then from the floor on.
    private func nextSuspect(_ turn: Turn) -> UInt32? {
        let cursor = min(max(repeatCursor, buffer.floor), freshFrom)
        return firstSuspect(cursor..<freshFrom, turn) ?? firstSuspect(buffer.floor..<cursor, turn)
    }

    private func firstSuspect(_ indexes: Range<UInt32>, _ turn: Turn) -> UInt32? {
        var index = indexes.lowerBound
        while index < indexes.upperBound {
            let slot = buffer[index]
            if slot.isHeld, slot.sentAt != ResendBuffer.never, slot.sentAt <= turn.suspectBefore { return index }
            index += 1
        }
        return nil
    }

    private var bytesOfLoneSample: Int { StreamBlockWriter.runOverhead + codec.size }

    /// Writes one sample; false when it does not fit any more.
    private mutating func put(
        _ index: UInt32, to writer: inout ByteWriter, block: inout StreamBlockWriter, turn: Turn,
        content: inout DatagramContent
    ) -> Bool {
        guard block.append(buffer[index].sample, index: index, to: &writer) else { return false }
        markSent(index, at: turn.now, in: turn.number)
        content.note(index, stream: id, epoch: epoch)
        return true
    }
}

/// What a datagram came to hold.
struct DatagramContent {
    /// Whether the samples are named one by one.
    let isRecorded: Bool
    var samples = 0
    /// Samples that were never sent before.
    var fresh = 0
    var isEmpty = true
    private(set) var runs: [RunRecord] = []

    init(isRecorded: Bool) { self.isRecorded = isRecorded }

    mutating func note(_ index: UInt32, stream: StreamID, epoch: UInt8) {
        samples += 1
        isEmpty = false
        guard isRecorded else { return }
        if let last = runs.last, last.stream == stream, last.first + last.count == index {
            runs[runs.count - 1].count += 1
        } else {
            runs.append(RunRecord(stream: stream, epoch: epoch, first: index, count: 1))
        }
    }
}
