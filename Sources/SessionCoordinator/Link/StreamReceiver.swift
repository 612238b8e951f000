package import WireProtocol

/// The host's side of one stream epoch: which samples are here, which are given up, and what to acknowledge.
///
/// Everything below `cumulative` is settled: it arrived, or the sender let it go. A bitmap tells of the indexes above, up
/// to ``WireFormat/streamWindow``; it is a ring, and made when the first hole opens: until then nothing is above.
package struct StreamReceiver: Sendable {
    package let epoch: UInt8
    let codec: SampleCodec
    /// The lowest index that is not settled.
    package private(set) var cumulative: UInt32 = 0
    /// One past the highest index that arrived.
    package private(set) var end: UInt32 = 0
    package private(set) var ledger = SampleLedger()
    /// When the one with the highest index was read, of those that are of this epoch alone.
    private(set) var newestSampledAt: DeviceTime?
    /// The same of the epoch before, in the same link: until then everything was of that one.
    private let formerUntil: DeviceTime?
    /// For how long a sender holds what was not acknowledged, and may number it anew.
    private static let longestHeld: Duration = .seconds(10)
    /// When new samples came last, in nanoseconds.
    var newestArrivedAt: Int64?
    /// The game was told that no samples come, though the link lives.
    var isDead = false
    private var words: [UInt64] = []
    package let declaration: StreamDeclaration

    /// - Parameter formerUntil: when the newest sample of the epoch before was read, if that is over in the same link.
    package init(declaration: StreamDeclaration, epoch: UInt8, formerUntil: DeviceTime? = nil) {
        self.declaration = declaration
        self.epoch = epoch
        (self.formerUntil, newestSampledAt) = (formerUntil, formerUntil)
        codec = SampleCodec(declaration)
    }

    /// One that goes on from where it stood.
    init(declaration: StreamDeclaration, _ standing: StandingStream) {
        self.init(declaration: declaration, epoch: standing.epoch)
        ledger = standing.ledger
        (cumulative, end) = (standing.cumulative, standing.cumulative + UInt32(standing.settled.count))
        guard hasHoles else { return }
        words = [UInt64](repeating: 0, count: Int(WireFormat.streamWindow / 64))
        for (offset, isSettled) in standing.settled.enumerated() where isSettled {
            let index = cumulative + UInt32(offset)
            words[word(index)] |= bit(index)
        }
        settle()
    }

    var standing: StandingStream {
        StandingStream(
            stream: declaration.stream, epoch: epoch, cumulative: cumulative,
            settled: (cumulative..<end).map { isSettled($0) }, ledger: ledger)
    }

    /// When the stream counts as dead: after a second, or ten samples' time if that is longer, and its batch.
    var deathDue: Int64? {
        guard let newestArrivedAt, !isDead else { return nil }
        let patience = max(1_000_000_000, Int64(10e9 / declaration.nominalRate))
        return newestArrivedAt.saturatingAdd(patience).saturatingAdd(declaration.batch.wholeNanoseconds)
    }

    /// Some index below one that arrived has not come yet.
    package var hasHoles: Bool { cumulative < end }

    /// Whether the sample with this index is here or settled otherwise.
    package func isSettled(_ index: UInt32) -> Bool {
        index < cumulative || (index < end && words[word(index)] & bit(index) != 0)
    }

    /// Gives up what lies below the sender's floor and is not here. Returns whether anything was.
    @discardableResult
    mutating func raise(floor: UInt32) -> Bool {
        guard floor > cumulative else { return false }
        var abandoned: UInt64 = 0
        if floor >= end {
            abandoned += UInt64(floor - max(end, cumulative))
        }
        var index = cumulative
        let known = min(floor, end)
        while index < known {
            if words[word(index)] & bit(index) == 0 { abandoned += 1 }
            words[word(index)] &= ~bit(index)
            index += 1
        }
        cumulative = floor
        end = max(end, floor)
        if abandoned > 0 { ledger.book(abandoned: abandoned, last: floor - 1) }
        settle()
        return abandoned > 0
    }

    /// Takes an index that is not settled. The caller has raised the floor before, so it lies within the window.
    mutating func take(_ index: UInt32, verdict: ArrivalVerdict) {
        precondition(index >= cumulative && index - cumulative < WireFormat.streamWindow, "index outside the window")
        ledger.book(verdict, index: index)
        if index == cumulative, !hasHoles {
            (cumulative, end) = (index + 1, index + 1)
            return
        }
        if words.isEmpty { words = [UInt64](repeating: 0, count: Int(WireFormat.streamWindow / 64)) }
        words[word(index)] |= bit(index)
        end = max(end, index + 1)
        settle()
    }

    /// Takes a block of this epoch: raises the floor, then hands every sample that is not settled to the sink.
    ///
    /// - Returns: how many samples were new, whether they opened the first hole, and whether they came of a stream that
    ///   had been called dead.
    mutating func take(
        _ block: StreamBlock, _ key: StreamKey, arrivedAt: HostTime, now: HostTime, sink: inout some MotionSink
    ) -> (samples: Int, openedHole: Bool, revived: Bool) {
        let hadHoles = hasHoles
        if raise(floor: block.floor) { sink.streamAbandoned(key, below: block.floor) }
        var samples = 0
        for run in block.runs {
            // Most of a run is repeated, and settled: it is counted, and not decoded again.
            let known = min(run.count, Int(max(cumulative, run.first) - run.first))
            if known > 0 { ledger.bookRedundant(known) }
            guard known < run.count else { continue }
            run.forEach(from: known, codec: codec) { index, sample in
                guard isNews(index) else { return }
                samples += 1
                guard !isOfFormerEpoch(sample) else {
                    take(index, verdict: .late)
                    // Nothing before it can be younger: nobody needs to wait for that either.
                    return sink.streamAbandoned(key, below: index + 1)
                }
                if index >= end { newestSampledAt = sample.sampledAt }
                take(index, verdict: sink.accept(sample, index: index, of: key, arrivedAt: arrivedAt, now: now))
            }
        }
        let revived = samples > 0 && isDead
        if samples > 0 { noteNews(at: arrivedAt) }
        assert(ledger.isBalanced, "the sample ledger's law is broken")
        return (samples, !hadHoles && hasHoles, revived)
    }

    /// Whether it was numbered before, and is numbered anew: what came of it then was fed, and what did not is too late
    /// now. What lies farther back than anybody holds samples is of a clock that was set.
    @inline(__always)
    private func isOfFormerEpoch(_ sample: Sample) -> Bool {
        guard let formerUntil else { return false }
        return (.zero...Self.longestHeld).contains(formerUntil - sample.sampledAt)
    }

    /// New samples came: the stream lives.
    mutating func noteNews(at time: HostTime) {
        newestArrivedAt = max(newestArrivedAt ?? .min, time.nanoseconds)
        isDead = false
    }

    /// The host itself stood still for so long.
    mutating func forgive(_ gap: Int64, now: HostTime) {
        newestArrivedAt = newestArrivedAt.map { min(now.nanoseconds, $0.saturatingAdd(gap)) }
    }

    /// Whether the sample with this index is none that came before, which is booked. It changes nothing else, but what only
    /// looks is given a copy of the whole receiver where one is being changed.
    mutating func isNews(_ index: UInt32) -> Bool {
        if index >= cumulative, index >= end || words[word(index)] & bit(index) == 0 { return true }
        ledger.bookRedundant()
        return false
    }

    /// Writes what the sender need not repeat.
    func writeAcknowledgement(to writer: inout ByteWriter) -> Bool {
        writer.writeAcknowledgement(
            stream: declaration.stream, epoch: epoch, cumulative: cumulative, end: end,
            hasArrived: { words[word($0)] & bit($0) != 0 })
    }

    private mutating func settle() {
        while cumulative < end, words[word(cumulative)] & bit(cumulative) != 0 {
            words[word(cumulative)] &= ~bit(cumulative)
            cumulative += 1
        }
    }

    private func word(_ index: UInt32) -> Int { Int(index / 64 % (WireFormat.streamWindow / 64)) }
    private func bit(_ index: UInt32) -> UInt64 { 1 << UInt64(index % 64) }
}
