import WireProtocol

/// What one peer may cost the host: every kind of work that it can ask for, in one place.
///
/// What it may send follows from what it declared. Each allowance fills at about twice the rate that an honest
/// controller reaches while it repeats what was lost, and is deep enough for all that it may hold back in an outage.
/// A datagram is read when something is left of every allowance and it has the form of an honest one; what it costs
/// shows while it is read and is charged then, so that one datagram may overdraw and the next ones wait. What is
/// refused is not acknowledged either, so that it comes again when there is room. Who is refused second after second
/// for ``patience`` is not unlucky but wrong.
struct PeerBudget: Sendable {
    /// One kind of work.
    struct Allowance: Sendable {
        let perSecond: Double
        /// What may be used at once after a time of rest.
        let depth: Double
        private var left: Double

        init(perSecond: Double, depth: Double) {
            (self.perSecond, self.depth, left) = (perSecond, depth, depth)
        }

        var isUsedUp: Bool { left < 1 }
        mutating func fill(seconds: Double) { left = min(left + seconds * perSecond, depth) }
        mutating func spend(_ count: Int) { left -= Double(count) }
        /// Spends one if there is one.
        mutating func take() -> Bool {
            if isUsedUp { return false }
            spend(1)
            return true
        }
        /// What another one had used is used here too.
        mutating func goOn(from other: Allowance) { left = depth - (other.depth - other.left) }
    }

    /// How long a peer may be refused without a whole second in between in which it was not, in nanoseconds.
    static let patience: Int64 = 5_000_000_000
    private static let second: Int64 = 1_000_000_000
    /// A controller holds 10 s of samples (WIRE-FORMAT.md, section 12), and has them all to send when an outage ends: six
    /// seconds at twice the rate.
    private static let outage = 6.0
    /// Of samples the same, and what a host finds in its socket that stood still meanwhile: all 16 s come at one time. Two
    /// seconds more at twice the rate.
    private static let outageAndPause = 8.0

    /// Samples that may come at once, however many are declared: more than anybody holds but for the fastest, and what is
    /// refused comes again. What the sensors collect in a batch comes at once, too.
    static let mostSamplesAtOnce = 8_192.0
    /// Whatever batches are declared: no more than a few turns' work. What is refused comes again.
    static let mostSamplesOfBatches = 16_384.0

    /// Stream blocks that a datagram may hold: a block with a sample takes at least 32 of its 1,167 bytes, so that no more
    /// than 36 bring something; each of the 8 streams may have one more that only raises its floor.
    static let streamBlocksPerDatagram = 44
    /// Answers to probes, receipts and goodbyes that a datagram may hold: at most 32 probes are out, and of the others one
    /// is enough.
    static let answersPerDatagram = 64
    /// Frames that a source without numbers and seals may send in a second: two and a half times the paper's fastest. It
    /// declares nothing, so this is all of its budget, and nobody is thrown out for it: any machine may send in its name.
    static let legacyFramesPerSecond = 500

    /// 125 a second is what the sending interval of 8 ms allows; fast streams fill several datagrams at once, and carry
    /// each sample in up to three of them.
    private(set) var datagrams: Allowance
    /// Samples that had not come before, and those made up between them.
    private(set) var samples: Allowance
    /// One for each stream in each datagram, or for whoever packs samples one by one, one for each sample.
    private(set) var streamBlocks: Allowance
    /// New epochs within a link: a sensor that was restarted. Each makes a window and begins a timeline of the merge.
    private(set) var streamEpochs: Allowance
    /// Reliable messages that had not come before: one in each datagram at the sending interval, twice; and two outboxes
    /// of 256 at once, one of a program's life before and one of this. Receipts for the host's own haptics are free.
    private(set) var messages = Allowance(perSecond: 250, depth: 512)
    /// Newest-wins data that was newest: four channels in each datagram at the sending interval, twice.
    private(set) var data = Allowance(perSecond: 1_000, depth: 1_000)

    /// Goodbyes for a while: each makes the room tell that the player is lost, and soon that it is back.
    private(set) var pauses = Allowance(perSecond: 1, depth: 10)

    /// Marks in the room's recording: what is more of them is dropped, and nobody is thrown out for it. One more than may
    /// be said at once, as the way here takes now more time, now less.
    private var marks = Allowance(perSecond: WireFormat.marksPerSecond, depth: Double(WireFormat.mostMarksAtOnce) + 1)
    private(set) var droppedMarks = 0

    /// Names that it gave itself anew: each is told. What is more of them is dropped, and nobody is thrown out for it.
    private var names = Allowance(perSecond: 0.1, depth: 5)

    /// Gestures that the controller found by itself: what is more of them is dropped, and nobody is thrown out for it. Taps
    /// come no faster than two a quiet.
    private var finds = Allowance(perSecond: 10, depth: 20)

    private var filledAt: Int64?
    private var refusedSince: Int64?
    private var refusedLast: Int64 = 0

    init(_ declarations: [StreamDeclaration]) {
        var (samplesPerSecond, bytesPerSecond, batches) = (0.0, 0.0, 0.0)
        for declaration in declarations {
            samplesPerSecond += declaration.nominalRate
            batches += declaration.nominalRate * Double(declaration.batch.wholeNanoseconds) / 1e9
            bytesPerSecond += declaration.nominalRate * Double(SampleCodec(declaration).size)
        }
        func allowance(_ perSecond: Double) -> Allowance {
            Allowance(perSecond: perSecond, depth: perSecond * Self.outage)
        }
        let streams = Double(declarations.count)
        datagrams = allowance(2 * (125 + 4 * bytesPerSecond / Double(WireFormat.maximumPayloadSize)))
        let rate = 2 * samplesPerSecond + 1
        samples = Allowance(
            perSecond: rate,
            depth: min(
                rate * Self.outageAndPause, max(Self.mostSamplesAtOnce, min(1.25 * batches, Self.mostSamplesOfBatches)))
        )
        streamBlocks = allowance(datagrams.perSecond * streams + samples.perSecond)
        streamEpochs = Allowance(perSecond: streams, depth: 8 * streams)
    }

    /// Goes on where the budget of the peer's link before left off: who joins again is no other than before. Only streams
    /// begin anew with a program, and each joining has cost a handshake.
    mutating func goOn(from other: PeerBudget) {
        datagrams.goOn(from: other.datagrams)
        samples.goOn(from: other.samples)
        streamBlocks.goOn(from: other.streamBlocks)
        messages.goOn(from: other.messages)
        data.goOn(from: other.data)
        pauses.goOn(from: other.pauses)
        marks.goOn(from: other.marks)
        droppedMarks = other.droppedMarks
        names.goOn(from: other.names)
        finds.goOn(from: other.finds)
        (filledAt, refusedSince, refusedLast) = (other.filledAt, other.refusedSince, other.refusedLast)
    }

    /// Takes a datagram into account; false when its content must not be read.
    mutating func admit(_ content: Payload.Counts, at time: Int64) -> Bool {
        fill(until: time)
        if content.streamBlocks <= Self.streamBlocksPerDatagram, content.answers <= Self.answersPerDatagram,
            !isUsedUp
        {
            datagrams.spend(1)
            streamBlocks.spend(content.streamBlocks)
            return true
        }
        noteRefusal(at: time)
        return false
    }

    /// Whether one more block of samples is read of a datagram that was taken; false when the blocks before it, and what
    /// had to be made up for them, have used up all.
    mutating func admitBlock(at time: Int64) -> Bool {
        guard samples.isUsedUp || streamEpochs.isUsedUp else { return true }
        noteRefusal(at: time)
        return false
    }

    private mutating func noteRefusal(at time: Int64) {
        if refusedSince == nil || time - refusedLast > Self.second { refusedSince = time }
        refusedLast = max(refusedLast, time)
    }

    private mutating func fill(until time: Int64) {
        let elapsed = Double(max(0, time.saturatingSubtract(filledAt ?? time))) / 1e9
        filledAt = max(filledAt ?? time, time)
        datagrams.fill(seconds: elapsed)
        samples.fill(seconds: elapsed)
        streamBlocks.fill(seconds: elapsed)
        streamEpochs.fill(seconds: elapsed)
        messages.fill(seconds: elapsed)
        data.fill(seconds: elapsed)
        pauses.fill(seconds: elapsed)
        marks.fill(seconds: elapsed)
        names.fill(seconds: elapsed)
        finds.fill(seconds: elapsed)
    }

    private var isUsedUp: Bool {
        datagrams.isUsedUp || samples.isUsedUp || streamBlocks.isUsedUp || streamEpochs.isUsedUp || messages.isUsedUp
            || data.isUsedUp || pauses.isUsedUp
    }

    /// New samples were read, or made up.
    mutating func spend(samples count: Int) { samples.spend(count) }
    /// A stream began anew.
    mutating func spendStreamEpoch() { streamEpochs.spend(1) }
    /// A message that had not come before was acted on.
    mutating func spendMessage() { messages.spend(1) }
    /// A piece of newest-wins data was handed on.
    mutating func spendData() { data.spend(1) }

    /// It paused.
    mutating func spendPause() { pauses.spend(1) }

    /// Whether one more pause is believed that was said on the control connection.
    mutating func admitPause(at time: Int64) -> Bool {
        fill(until: time)
        if pauses.take() { return true }
        noteRefusal(at: time)
        return false
    }

    /// Whether one more name of its own counts.
    mutating func admitName(at time: Int64) -> Bool {
        fill(until: time)
        return names.take()
    }

    /// Whether one more mark counts.
    mutating func admitMark() -> Bool {
        if marks.take() { return true }
        droppedMarks += 1
        return false
    }

    /// Whether one more gesture that it found by itself counts.
    mutating func admitFind() -> Bool { finds.take() }

    /// Whether the peer has used up the host's patience.
    var isExhausted: Bool {
        guard let refusedSince else { return false }
        return refusedLast - refusedSince >= Self.patience
    }
}
