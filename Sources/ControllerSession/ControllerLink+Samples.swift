import WireProtocol

extension ControllerLink {
    /// Bytes around the samples of a datagram: header, send time and tag.
    private static var frame: Int { WireFormat.contentStart + sealTagLength }
    /// Bytes around the samples of one run.
    private static var around: Int { StreamBlockWriter.overhead + StreamBlockWriter.runOverhead }
    /// A datagram with fresh samples may grow to so many times the size that they alone would need, unless feedback
    /// shows losses or fails to come: a good network pays no more for the repeats that a bad one needs.
    private static var suspicionFactor: Int { 3 }

    /// Bytes that a stream would like for what is fresh and for its redundancy.
    func wantedByFresh(_ stream: OutgoingStream) -> Int {
        guard stream.freshCount > 0 else { return 0 }
        let first = stream.redundancyStart(loss.redundancy)
        return Self.around + Int(stream.buffer.next - min(first, stream.freshFrom)) * stream.codec.size
    }

    /// Fills the rest of a datagram with samples, one block a stream; the streams take turns in being first.
    ///
    /// - Returns: the bytes written.
    mutating func writeStreams(
        into buffer: UnsafeMutableRawBufferPointer, number: UInt32, content: inout DatagramContent
    ) -> Int {
        guard !streams.isEmpty else { return 0 }
        var writer = ByteWriter(buffer)
        let suspicionEnd = suspicionBudget(buffer.count)
        var wantedLater = streams.reduce(0) { $0 + wantedByFresh($1) }
        for offset in streams.indices {
            let place = (offset + Int(number % UInt32(streams.count))) % streams.count
            wantedLater -= wantedByFresh(streams[place])
            let fairShare = writer.count + writer.room / (streams.count - offset)
            let limit = max(fairShare, buffer.count - wantedLater)
            let turn = OutgoingStream.Turn(
                number: number, now: timing.now, limit: limit, suspicionEnd: min(limit, suspicionEnd),
                suspectBefore: timing.now.saturatingSubtract(timing.repeatInterval), redundancy: loss.redundancy)
            streams[place].write(to: &writer, turn: turn, content: &content)
        }
        return writer.count
    }

    /// Up to where repeats on mere suspicion may fill the samples' part of a datagram.
    private func suspicionBudget(_ room: Int) -> Int {
        guard let opened, !isFeedbackOverdue(opened) else { return room }
        var alone = 0
        for stream in streams where stream.freshCount > 0 {
            alone += Self.around + stream.freshCount * stream.codec.size
        }
        guard alone > 0 else { return room }
        return min(room, (Self.frame + alone) * Self.suspicionFactor - Self.frame)
    }

    /// The host should have spoken by now, but has not been silent for so long that it may be gone.
    private func isFeedbackOverdue(_ opened: Phase.Opened) -> Bool {
        !opened.isQuiet
            && timing.now >= opened.heardAt.saturatingAdd(roundTrip.patience(interval: pace.feedback))
    }
}
