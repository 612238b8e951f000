import WireProtocol

/// What a controller's sensors send, and how its clock stands to ours.
struct PeerMotion: Sendable {
    var streams: [StreamReceiver] = []
    /// The mapping that the merge was told last.
    private(set) var mapping: ClockMapping?
    private(set) var clock = ClockEstimator()
    /// The ledgers of the stream epochs that have ended.
    private(set) var past: SampleTotals
    /// How the clock stands is told by whoever knows: nothing is concluded from what comes.
    var isClockTold = false
    /// Since when something of each declared stream can have come, in nanoseconds; `nil` where that is not known.
    private var awaitedSince: Int64?
    /// So long a program may take from its seat to its sensors' first samples.
    private static let beginning: Int64 = 5_000_000_000

    init(past: SampleTotals = SampleTotals()) { self.past = past }

    var totals: SampleTotals {
        var totals = past
        for stream in streams { totals.add(stream.ledger) }
        return totals
    }

    var hasHoles: Bool { streams.contains { $0.hasHoles } }

    /// Ends all stream epochs and adds their ledgers to the past ones.
    mutating func closeStreams() {
        for stream in streams { past.add(stream.ledger) }
        streams = []
    }

    /// A program that is not known speaks from now on: a clock belongs to a program's run, not to a controller, and the
    /// next one may begin anywhere.
    mutating func restart() {
        closeStreams()
        clock = ClockEstimator()
        mapping = nil
    }

    // MARK: Clock

    /// A device that slept may have stopped its clock: what it showed before proves nothing now.
    mutating func restartClock() { clock.restart() }

    mutating func noteProbe(_ id: UInt16, sentAt: HostTime) { clock.probe(id, sentAt: sentAt) }

    /// Notes a datagram's send stamp; returns its one-way delay in nanoseconds, if the clocks are known.
    mutating func noteArrival(
        sentAt: Int64, _ arrival: Arrival, isNewest: Bool, of peer: PeerIndex, sink: inout some MotionSink
    ) -> Int64? {
        let arrivedAt = arrival.at
        let isChanged = clock.noteArrival(
            sentAt: sentAt, arrivedAt: arrivedAt, seenAt: arrival.now, isNewest: isNewest, known: mapping)
        if isChanged { tellClock(of: peer, now: arrivedAt, sink: &sink) }
        guard let mapping, mapping.state != .none else { return nil }
        let sent = mapping.hostTime(of: DeviceTime(nanoseconds: sentAt))
        return arrivedAt.nanoseconds.saturatingSubtract(sent.nanoseconds)
    }

    /// By how much, at most, transit times grow with each nanosecond while ways stay as they are: the clocks drift.
    var transitRise: Double {
        guard let mapping, mapping.state != .none else { return ClockEstimator.driftBound }
        return mapping.rateOffset + mapping.uncertaintyGrowth
    }

    /// Takes the answer to a probe, which proves where the peer is whatever its clock says; a late one is held against
    /// nobody.
    mutating func takeAnswer(
        id: UInt16, receivedAt: DeviceTime, sentAt: Int64, grain: UInt32, _ arrival: Arrival, of peer: PeerIndex,
        path: inout LinkPath, sink: inout some MotionSink
    ) {
        let place = clock.place(of: id)
        if place != nil || !clock.remembers(id) { path.noteEcho(of: place) }
        let answered = clock.answer(
            id: id, receivedAt: receivedAt, sentAt: sentAt, arrivedAt: arrival.at, seenAt: arrival.now,
            grain: Int64(grain))
        if answered != nil { tellClock(of: peer, now: arrival.at, sink: &sink) }
    }

    private mutating func tellClock(of peer: PeerIndex, now: HostTime, sink: inout some MotionSink) {
        guard !isClockTold, let newest = clock.mapping(now: now), newest != mapping else { return }
        mapping = newest
        sink.clockChanged(of: peer, to: newest)
    }

    /// Tells of a clock that has become stale, or less sure, by time alone.
    mutating func noteStaleClock(of peer: PeerIndex, now: HostTime, sink: inout some MotionSink) {
        guard !isClockTold, let mapping, mapping.state == .locked || mapping.state == .coarse,
            !clock.surelyKeeps(mapping, at: now), let newest = clock.mapping(now: now), newest.state != mapping.state
        else { return }
        self.mapping = newest
        sink.clockChanged(of: peer, to: newest)
    }

    /// Takes over how the clock stands.
    mutating func believe(_ newest: ClockMapping, of peer: PeerIndex, sink: inout some MotionSink) {
        isClockTold = true
        mapping = newest
        sink.clockChanged(of: peer, to: newest)
    }

    /// The mapping of a source that nobody probes. A millisecond is what its frames resolve: smaller corrections are not
    /// worth telling.
    mutating func takeMapping(
        _ newest: ClockMapping, sampledAt: DeviceTime, of peer: PeerIndex, sink: inout some MotionSink
    ) {
        guard !isClockTold else { return }
        if let mapping {
            let change = (newest.hostAnchor - mapping.hostTime(of: sampledAt)).wholeNanoseconds
            guard change.magnitude >= 1_000_000 else { return }
        }
        mapping = newest
        sink.clockChanged(of: peer, to: newest)
    }

    // MARK: Streams

    /// Takes a block's samples, and charges the link's budget for them.
    ///
    /// - Parameter admittedAt: when the peer was given its seat, if that is known.
    /// - Returns: the stream, if it had been called dead and lives again.
    mutating func take(
        _ block: StreamBlock, of peer: PeerIndex, admittedAt: HostTime?, on link: inout Link, arrivedAt: HostTime,
        now: HostTime, sink: inout some MotionSink
    ) -> StreamID? {
        let key = StreamKey(peer: peer, stream: block.stream)
        guard let place = stream(for: block, key, admittedAt: admittedAt, on: &link, at: arrivedAt, sink: &sink)
        else { return nil }
        let taken = streams[place].take(block, key, arrivedAt: arrivedAt, now: now, sink: &sink)
        link.budget.spend(samples: taken.samples + sink.takeBridged(of: key))
        if taken.openedHole, link.urgency == .calm { link.urgency = .busy }
        return taken.revived ? block.stream : nil
    }

    /// Finds the receiver for a block, opening a new epoch where the sender began one; `nil` for what was not declared
    /// or is of an epoch that is over.
    private mutating func stream(
        for block: StreamBlock, _ key: StreamKey, admittedAt: HostTime?, on link: inout Link, at now: HostTime,
        sink: inout some MotionSink
    ) -> Int? {
        let known = streams.firstIndex { $0.declaration.stream == block.stream }
        // Nearly always: what was declared of a stream stays as it is while its program runs.
        if let known, streams[known].epoch == block.epoch, streams[known].declaration.measures == block.measures {
            return known
        }
        guard let declaration = link.program.declarations.first(where: { $0.stream == block.stream }),
            declaration.measures == block.measures
        else {
            link.ledger.bookUnreadable()
            return nil
        }
        var formerUntil: DeviceTime?
        if let known {
            guard block.epoch &- streams[known].epoch < 128 else { return nil }
            formerUntil = streams[known].newestSampledAt
            past.add(streams[known].ledger)
            streams.remove(at: known)
        }
        link.budget.spendStreamEpoch()
        link.urgency = .atOnce
        streams.append(
            StreamReceiver(declaration: declaration, epoch: block.epoch, formerUntil: formerUntil))
        sink.streamBegan(key, epoch: block.epoch, declaration, at: now, admittedAt: admittedAt)
        return streams.endIndex - 1
    }

    /// Takes the one sample of a frame without numbers. The index is ours: it counts what came.
    mutating func take(
        _ sample: Sample, of peer: PeerIndex, beginsAnew: Bool, mapping newest: ClockMapping, arrivedAt: HostTime,
        now: HostTime, sink: inout some MotionSink
    ) {
        let declaration = LegacyFrame.declaration
        let key = StreamKey(peer: peer, stream: declaration.stream)
        let isFull = streams.first?.end == .max
        if streams.isEmpty || beginsAnew || isFull {
            let epoch = streams.first.map { $0.epoch &+ 1 } ?? 0
            closeStreams()
            if !isClockTold { mapping = nil }
            streams = [StreamReceiver(declaration: declaration, epoch: epoch)]
            sink.streamBegan(key, epoch: epoch, declaration, at: arrivedAt, admittedAt: nil)
        }
        takeMapping(newest, sampledAt: sample.sampledAt, of: peer, sink: &sink)
        let next = streams[0].end
        let verdict = sink.accept(sample, index: next, of: key, arrivedAt: arrivedAt, now: now)
        streams[0].take(next, verdict: verdict)
        streams[0].noteNews(at: arrivedAt)
    }

    /// When the first stream counts as dead, in nanoseconds; `.max` when none is waited for.
    var deathDue: Int64 {
        var earliest = Int64.max
        for stream in streams { earliest = min(earliest, stream.deathDue ?? .max) }
        return earliest
    }

    /// A link was opened: whatever has said nothing yet is waited for from now on.
    mutating func awaitStreams(from now: HostTime) { awaitedSince = now.nanoseconds }

    /// Whether nothing came of a declared stream, and something should have. What measures no motion has nothing to say
    /// until a button is pressed, or water comes.
    func isOverdue(_ declaration: StreamDeclaration, at now: HostTime) -> Bool {
        guard let awaitedSince, !declaration.measures.isDisjoint(with: [.acceleration, .rotationRate, .attitude]),
            !streams.contains(where: { $0.declaration.stream == declaration.stream })
        else { return false }
        let patience = max(Self.beginning, Int64(10e9 / declaration.nominalRate))
        return now.nanoseconds - awaitedSince >= patience.saturatingAdd(declaration.batch.wholeNanoseconds)
    }

    /// The host itself stood still for so long: no stream is as old as it seems.
    mutating func forgive(_ gap: Int64, now: HostTime) {
        awaitedSince = awaitedSince.map { min(now.nanoseconds, $0.saturatingAdd(gap)) }
        for place in streams.indices { streams[place].forgive(gap, now: now) }
    }

    /// Calls streams dead from which nothing comes any more; names them.
    mutating func bury(at now: HostTime) -> [StreamID] {
        var dead: [StreamID] = []
        for place in streams.indices {
            guard let due = streams[place].deathDue, due <= now.nanoseconds else { continue }
            streams[place].isDead = true
            dead.append(streams[place].declaration.stream)
        }
        return dead
    }
}
