/// The kinds of blocks that a datagram's sealed content is made of. A reader skips the ones it does not know.
package enum BlockType: UInt8, Sendable {
    case stream = 1
    case acknowledgement = 2
    case probe = 3
    case probeAnswer = 4
    case message = 5
    case receipt = 6
    case data = 7
    case goodbye = 8
    case account = 9
    case tally = 10
}

/// One block of a datagram's sealed content. Views point into the datagram and die with it.
public enum Block {
    /// Controller to host: samples.
    case stream(StreamBlock)
    /// Host to controller: which samples need not be repeated.
    case acknowledgement(StreamAcknowledgement)
    /// Host to controller: "what time is it?" The datagram's send time is the probe's.
    case probe(id: UInt16)
    /// Controller to host: the probe came at this moment; the datagram's send time is the answer's. Within `grain`
    /// nanoseconds its clock's readings of one moment may lie apart: it moves in steps.
    case probeAnswer(id: UInt16, receivedAt: DeviceTime, grain: UInt32)
    /// Either way: a reliable message, repeated until its receipt.
    case message(id: UInt32, body: UnsafeRawBufferPointer.SubSequence)
    /// Either way: every message below `next` has arrived.
    case receipt(next: UInt32)
    /// Either way: newest-wins data; a lower sequence than one seen on the channel is dropped.
    case data(channel: UInt8, sequence: UInt32, body: UnsafeRawBufferPointer.SubSequence)
    /// Either way: the sender leaves; `lastSent` is the highest number that it used.
    case goodbye(reason: GoodbyeReason, lastSent: UInt32)
    /// Host to controller: what has arrived of this link epoch.
    case account(highest: UInt32, unique: UInt32)
    /// Controller to host: what it has sent in all, of which the host may have heard less.
    case tally(SenderTally)
}

/// Why a side ended the link.
public enum GoodbyeReason: UInt8, Hashable, Sendable {
    /// The controller leaves for good: its seat is free at once.
    case left = 1
    /// The controller pauses (screen locked, page hidden): its seat stays reserved.
    case paused = 2
    /// The host closes the room.
    case closing = 3
    /// The operator took the seat.
    case kicked = 4
    /// The link is replaced by another.
    case replaced = 5
    /// The controller sent far more than it declared.
    case tooFast = 6
    /// Another reason, of a later version.
    case other = 255
}

/// What a host knows of one stream: everything below `cumulative` is settled, and the bitmap tells of the rest.
public struct StreamAcknowledgement {
    /// Which of the controller's streams it is about.
    public let stream: StreamID
    /// The numbering of the stream's samples that the indexes belong to; of another one it says nothing.
    public let epoch: UInt8
    /// The lowest index that is neither received nor abandoned.
    public let cumulative: UInt32
    private let bitmap: UnsafeRawBufferPointer.SubSequence

    init(reading bytes: UnsafeRawBufferPointer.SubSequence) throws(FrameError) {
        var reader = ByteReader(bytes)
        stream = try reader.read()
        epoch = try reader.read()
        cumulative = try reader.read()
        guard reader.remaining.count <= Int(WireFormat.streamWindow) / 8 else { throw .malformedBlock }
        bitmap = reader.remaining
    }

    /// One past the highest index that the bitmap tells of; at most `UInt32.max`, which is no sample's index.
    public var end: UInt32 {
        let (end, overflow) = cumulative.addingReportingOverflow(1 + UInt32(bitmap.count * 8))
        return overflow ? .max : end
    }

    /// Whether the sample with this index has arrived (or is settled otherwise).
    public func covers(_ index: UInt32) -> Bool {
        if index < cumulative { return true }
        if index == cumulative { return false }
        let bit = Int(index - cumulative - 1)
        guard bit / 8 < bitmap.count else { return false }
        return bitmap[bitmap.startIndex + bit / 8] >> (bit % 8) & 1 == 1
    }
}
