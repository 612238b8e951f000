import WireProtocol

/// One sensor's samples on their way to the host: which are fresh, which may have been lost.
struct OutgoingStream: Sendable {
    let id: StreamID
    let codec: SampleCodec
    /// A sensor's clock that goes back by as much was set anew; by less, the sample may be a stray. In nanoseconds.
    private static let clockStep: Int64 = 1_000_000_000

    /// Nanoseconds between samples, as declared.
    let nominalInterval: Int64
    /// Nanoseconds that the sensor may keep a sample, as declared.
    private let batch: Int64
    private(set) var epoch: UInt8 = 0
    private(set) var buffer: ResendBuffer
    /// The first index that was never sent: from here on samples are fresh.
    private(set) var freshFrom: UInt32 = 0
    /// Where speculative repeats go on, so that they go round instead of always repeating the oldest.
    var repeatCursor: UInt32 = 0
    /// Samples fell off: the host should hear of the new floor.
    var owesFloor = false
    /// Some sample that was sent before is urgent.
    private(set) var hasUrgent = false
    /// First fresh index of the latest datagrams, the latest first.
    private var freshStarts: (UInt32, UInt32, UInt32) = (0, 0, 0)
    /// What a datagram below this number carried last, and the host still does not have, is lost.
    private var lossHorizon: UInt32 = 0
    private var latestSampledAt: Int64?
    /// By how much samples come later than the sensor's clock tells, wherever that stands.
    private var delay = QueueingDelay()
    /// The sample before was refused as a stray, of this moment.
    private var strayAt: Int64?
    var counts = StreamCounts()

    /// - Parameter first: the index that the first sample gets.
    init(_ declaration: StreamDeclaration, capacity: Int, from first: UInt32 = 0) {
        id = declaration.stream
        codec = SampleCodec(declaration)
        nominalInterval = Int64(1e9 / declaration.nominalRate)
        batch = declaration.batch.wholeNanoseconds
        buffer = ResendBuffer(capacity: capacity, from: first)
        freshFrom = first
    }

    var freshCount: Int { Int(buffer.next - freshFrom) }

    /// Takes a sample and gives it its index.
    ///
    /// What comes later by more than `history`, as after a program stood still, falls off as if it had been held meanwhile.
    ///
    /// - Parameters:
    ///   - now: on the link's own time.
    ///   - clock: what the device's clock shows.
    ///   - history: how long samples are held, in nanoseconds.
    mutating func append(
        _ sample: Sample, now: Int64, clock: Int64, history: Int64
    ) throws(SampleError) -> UInt32 {
        guard codec.isFinite(sample) else { throw refusing(.notFinite) }
        guard codec.hasUnitAttitude(sample) else { throw refusing(.noUnitAttitude) }
        let time = sample.sampledAt.nanoseconds / 1_000 * 1_000
        if isStray(time) {
            strayAt = time
            throw refusing(.notAfterPredecessor)
        }
        guard time <= clock.saturatingAdd(1_000_000_000) else { throw refusing(.aheadOfClock) }
        if buffer.next >= .max - WireFormat.streamWindow { beginNumbering() }
        let isOld = isOverdue(time, clock: clock, by: history)
        latestSampledAt = time
        strayAt = nil
        var sample = sample
        sample.sampledAt.nanoseconds = time
        let index = buffer.next
        counts.appended += 1
        let abandoned = buffer.append(sample, at: isOld ? ResendBuffer.longAgo : now)
        if abandoned > 0 {
            counts.abandoned += abandoned
            skipAbandoned()
        }
        return index
    }

    /// Whether a sample lies a little before its predecessor: one alone is a stray, of two in their order the second
    /// shows that the clock was set.
    private func isStray(_ time: Int64) -> Bool {
        guard let latestSampledAt, time <= latestSampledAt, time > latestSampledAt.saturatingSubtract(Self.clockStep)
        else { return false }
        return strayAt.map { time <= $0 } ?? true
    }

    /// Whether a sample comes by more than this later than the quickest did, and than its batch explains.
    private mutating func isOverdue(_ time: Int64, clock: Int64, by limit: Int64) -> Bool {
        // What came before says nothing of a clock that was set back.
        if let latestSampledAt, time <= latestSampledAt { delay = QueueingDelay() }
        let late = delay.add(sentAt: time, arrivedAt: clock).wholeNanoseconds
        return late > limit.saturatingAdd(batch)
    }

    mutating func abandon(before limit: Int64) {
        let abandoned = buffer.abandon(before: limit)
        guard abandoned > 0 else { return }
        counts.abandoned += abandoned
        skipAbandoned()
    }

    private mutating func skipAbandoned() {
        owesFloor = true
        freshFrom = max(freshFrom, buffer.floor)
        if hasUrgent { lookForUrgent() }
    }

    private mutating func refusing(_ code: SampleError.Code) -> SampleError {
        counts.refuse(code)
        return SampleError(code: code, stream: id)
    }

    /// Counts a sample for which there is no seat.
    mutating func refuseUnseated() -> SampleError { refusing(.notSeated) }

    /// Takes what the host says it has; indexes that were never sent are not believed.
    mutating func acknowledge(_ acknowledgement: StreamAcknowledgement, lossHorizon horizon: UInt32?) {
        guard acknowledgement.epoch == epoch else { return }
        var index = buffer.floor
        let end = min(max(acknowledgement.cumulative, acknowledgement.end), freshFrom)
        while index < end {
            if acknowledgement.covers(index), buffer.release(index) { counts.acknowledged += 1 }
            index += 1
        }
        if let horizon, horizon > lossHorizon {
            lossHorizon = horizon
        }
        lookForUrgent()
    }

    /// A new link epoch, of a host that knows the stream: what it has not confirmed is sent again.
    mutating func repeatAll() {
        buffer.forgetSending()
        beginLink()
    }

    /// A new link epoch, of a host that never saw the stream: a new stream epoch with what is still held.
    mutating func restart() {
        buffer.renumber()
        epoch &+= 1
        beginLink()
    }

    /// The indexes are nearly used up, after weeks: the stream goes on in a new epoch, in the same link.
    private mutating func beginNumbering() {
        // What is held gets another index there, and is given up under the one that it had: the host accounts for both.
        counts.appended += buffer.heldCount
        counts.abandoned += buffer.heldCount
        restart()
    }

    /// Nothing is fresh then: however much was collected, it is sent at the pace of repeats.
    private mutating func beginLink() {
        freshFrom = buffer.next
        freshStarts = (freshFrom, freshFrom, freshFrom)
        repeatCursor = buffer.floor
        lossHorizon = 0
        lookForUrgent()
    }

    /// The sample was lost as far as the host's feedback tells, or not sent in this link epoch at all.
    func isUrgent(_ index: UInt32) -> Bool {
        let slot = buffer[index]
        return slot.isHeld && (slot.sentAt == ResendBuffer.never || slot.sentIn < lossHorizon)
    }

    /// Keeps ``hasUrgent`` true to what is held; to be called when something urgent was sent.
    mutating func lookForUrgent() {
        var index = buffer.floor
        while index < freshFrom, !isUrgent(index) { index += 1 }
        hasUrgent = index < freshFrom
    }

    /// The oldest index that the next datagram repeats for redundancy: what the last few carried as fresh.
    func redundancyStart(_ datagrams: Int) -> UInt32 {
        let start =
            switch datagrams {
            case ..<1: freshFrom
            case 1: freshStarts.0
            case 2: freshStarts.1
            default: freshStarts.2
            }
        return max(start, buffer.floor)
    }

    mutating func markSent(_ index: UInt32, at now: Int64, in number: UInt32) {
        if buffer.markSent(index, at: now, in: number) { counts.resent += 1 }
    }

    /// The fresh samples below `index` were sent.
    mutating func advanceFresh(to index: UInt32) {
        guard index > freshFrom else { return }
        freshStarts = (freshFrom, freshStarts.0, freshStarts.1)
        freshFrom = index
    }
}

/// One stream's counts, over the whole life of the controller.
struct StreamCounts: Hashable, Sendable {
    var appended = 0
    private(set) var refusals: [ControllerReport.Stream.Refusal] = []
    var acknowledged = 0
    var abandoned = 0
    var resent = 0

    mutating func refuse(_ code: SampleError.Code) {
        let place = refusals.firstIndex { $0.code == code } ?? refusals.endIndex
        if place == refusals.endIndex { refusals.append(.init(code: code, samples: 0)) }
        refusals[place].samples += 1
    }
}
