public import WireProtocol

/// Makes players' gestures out of the samples of many controllers.
///
/// ```
/// samples ─▶ timeline ─▶ device motion ─▶ recognizers ─▶ fusion ─▶ players' gestures
///            └──────── one for each stream ─────────┘    └─ one for each player ─┘
/// ```
/// A value without clock or randomness: the same calls give the same events, to the bit. Nothing that a controller can
/// send stops it, and no buffer grows beyond what was declared. A sample allocates nothing unless a gesture begins,
/// changes or ends with it.
///
/// The first stream of a controller by number that can show gestures speaks for it, until it falls silent and another
/// one is heard; its other streams give motion only. One whose buttons alone mean gestures speaks where no other can.
public struct Merge: Sendable {
    /// What is watched for, and how long is waited; ``adopt(gestures:contests:)`` alone changes it.
    public internal(set) var configuration: MergeConfiguration

    /// By key, in ascending order.
    var tracks: [StreamTrack] = []
    /// Where each of them stands, and when it has something to give up.
    var trackIndex = TrackIndex()
    var peers = OrderedTable<Peer>()
    var players = OrderedTable<Player>()
    /// Players that a controller drives, in ascending order.
    public internal(set) var drivenPlayers: [PlayerNumber] = []
    var detections: [Detection] = []
    var events: [GestureEvent] = []
    var teamEvents: [TeamGestureEvent] = []
    var teams: [TeamState]
    var arbiter: Arbiter
    /// Players some of whose gestures wait for other controllers' samples, in ascending order.
    var holding: [PlayerNumber] = []
    /// Teams some of whose players' gestures wait for other players' samples, by their place, in ascending order.
    var holdingTeams: [Int] = []
    /// Postures that began under a haptic and have not ended, of all controllers.
    var postponed: [Postponed] = []
    /// By player, only those who are not ordinary.
    var talents = OrderedTable<Talents>()
    var progress: [TeachingProgress] = []
    var shapings: [ShapingEvent] = []
    var submersions: [SubmersionEvent] = []
    /// Streams whose sensor has told something of the water since.
    var wet = StreamQueue()
    /// Streams with motion that is ready to be pushed.
    var ready = StreamQueue()
    /// Whether any stream ever measured submersion, or had its motion pushed: else neither of the two ever holds one.
    var hasGivers = false
    /// Whether any stream ever was a fast accelerometer alone.
    var feelsKnocks = false
    var lessonDeadline = HostTime.distantFuture
    /// The latest time that any call told.
    private(set) var now = HostTime(nanoseconds: .min)
    /// Everything that arrived until then was handed in: nothing is given up or decided beyond.
    private(set) var heardUntil = HostTime(nanoseconds: .min)
    var notices: [SensorEvent] = []
    /// Before this no sensor can have fallen silent that is heard now, or was connected and is awaited.
    var quietCheckAt = HostTime.distantFuture
    /// What was left out, and when that is to be told; `.distantFuture` while nothing was.
    var omissions: [Omission] = []
    var omissionsDue = HostTime.distantFuture

    struct Peer: Sendable {
        var clock: ClockMapping?
        var players: [PlayerNumber] = []
        var mask = HapticMask()
        /// Gestures that were its own haptic's.
        var masked: UInt64 = 0
        var voice = Voice()
    }

    /// - Precondition: the configuration has no ``MergeConfiguration/problem``.
    public init(configuration: MergeConfiguration = MergeConfiguration()) {
        precondition(configuration.problem == nil, configuration.problem ?? "")
        self.configuration = configuration
        teams = configuration.teams.map { TeamState($0, gestures: configuration.gestures.count) }
        arbiter = Arbiter(configuration.contests, among: configuration.gestures)
    }

    // MARK: Questions

    /// When ``advance(to:heardUntil:)`` has something to give up or to decide; `nil` while nothing waits.
    public var nextDeadline: HostTime? {
        var next = min(omissionsDue, lessonDeadline, quietCheckAt).nanoseconds
        next = min(next, trackIndex.earliest)
        if let verdict = arbiter.deadline { next = min(next, verdict.nanoseconds) }
        for player in holding {
            if let since = players[player]?.heldSince {
                next = min(next, (since + configuration.contests.cap).nanoseconds)
            }
        }
        for place in holdingTeams {
            if let since = teams[place].heldSince {
                next = min(next, (since + configuration.contests.cap).nanoseconds)
            }
        }
        return next == .max ? nil : HostTime(nanoseconds: next)
    }

    /// The player's newest motion, at once: holdback does not delay it. Compare its `occurredAt` with the time now to see
    /// how stale it is, or ask ``motion(of:at:)``, which also chooses among sensors in the same way.
    public func motion(of player: PlayerNumber) -> DeviceMotion? {
        shownSlot(of: player).flatMap { tracks[$0].newest }
    }

    /// What became of a stream's samples; `nil` for a stream that is not connected.
    public func tally(of key: StreamKey) -> StreamTally? { slot(of: key).map { tracks[$0].lane.tally } }

    // MARK: Who is there

    /// A stream begins, or begins anew: its timeline and its motion start over, at index 0. A declaration that has a
    /// problem changes nothing.
    ///
    /// - Parameter admittedAt: what surely occurred before was nobody's motion, and is late; `nil` when nothing was.
    public mutating func connect(
        _ key: StreamKey, declaration: StreamDeclaration, admittedAt: HostTime? = nil, now: HostTime
    ) {
        self.now = max(self.now, now)
        guard declaration.problem == nil else { return }
        var track = StreamTrack(
            key, declaration: declaration, configuration: configuration, admittedAt: admittedAt, now: now)
        track.lane.clock.mapping = peers[key.peer]?.clock
        if track.water != nil { hasGivers = true }
        if track.knocks != nil { feelsKnocks = true }
        quietCheckAt = min(quietCheckAt, track.silentAt)
        let known = slot(of: key)
        if let slot = known {
            tracks[slot].close(into: &detections)
            track.isPresent = tracks[slot].isPresent
            track.outbox = tracks[slot].outbox
            if let before = tracks[slot].water, track.water != nil {
                track.water?.goOn(from: before)
            } else {
                tracks[slot].water?.loseSight(at: self.now)
            }
            noteSubmersions(of: slot..<slot + 1)
            track.lane.inheritBridged(of: &tracks[slot].lane)
            tracks[slot] = track
            if hasGivers { noteGiver(at: slot) }
            setDeadline(nil, at: slot)
        } else {
            let place = trackIndex.insert(key)
            tracks.insert(track, at: place)
        }
        chooseSpeaker(of: key.peer, keepsPresent: known != nil)
        settle()
    }

    /// A new program speaks for the peer: what it had begun ends, its clock is unknown, and of its streams only those
    /// that are connected again go on.
    public mutating func restart(peer: PeerIndex) {
        for slot in slots(of: peer) {
            tracks[slot].close(into: &detections)
            if hasGivers { noteGiver(at: slot) }
            setDeadline(nil, at: slot)
        }
        _ = peers.update(peer) { $0.clock = nil }
        settle()
    }

    /// The peer is gone for good: what it had begun ends, and nobody waits for it any more.
    ///
    /// - Parameter now: when it left; `nil`: at the latest time that was told.
    public mutating func disconnect(peer: PeerIndex, now: HostTime? = nil) {
        self.now = max(self.now, now ?? self.now)
        for slot in slots(of: peer) { tracks[slot].close(into: &detections) }
        settle()
        let gone = slots(of: peer)
        for slot in gone { leave(slot) }
        noteSubmersions(of: gone)
        noteOmissions(of: peer)
        for slot in gone { setDeadline(nil, at: slot) }
        tracks.removeSubrange(gone)
        trackIndex.removeSubrange(gone)
        for player in peers[peer]?.players ?? [] { release(peer, from: player) }
        peers[peer] = nil
    }

    /// From now on the peer drives these players and no others. What a player had begun through it alone ends now.
    ///
    /// - Parameter now: when that is; `nil`: at the latest time that was told.
    public mutating func assign(peer: PeerIndex, to newPlayers: [PlayerNumber], now: HostTime? = nil) {
        self.now = max(self.now, now ?? self.now)
        let before = peers[peer]?.players ?? []
        for player in before where !newPlayers.contains(player) { release(peer, from: player) }
        if let player = newPlayers.first, let old = before.first, old != player { abandonLesson(of: player) }
        peers[peer, default: Peer()].players = newPlayers
        if before.first != newPlayers.first { equip(peer, after: before.first) }
        for player in newPlayers {
            let blank = Player(
                number: player, rule: configuration.fusion, gestures: configuration.gestures.map(\.kind))
            players[player, default: blank].add(peer)
            let place = drivenPlayers.firstIndex { $0 >= player } ?? drivenPlayers.endIndex
            if place == drivenPlayers.endIndex || drivenPlayers[place] != player {
                drivenPlayers.insert(player, at: place)
            }
        }
    }

    /// How the peer's clock stands to the host's, for all samples that are fed from now on.
    public mutating func updateClock(of peer: PeerIndex, _ mapping: ClockMapping) {
        peers[peer, default: Peer()].clock = mapping
        for slot in slots(of: peer) { tracks[slot].lane.clock.mapping = mapping }
    }

    /// Where the player's controllers lie now counts as level and ahead.
    public mutating func rezero(player: PlayerNumber) {
        for peer in players[player]?.controllers ?? [] { rezero(peer: peer) }
    }

    /// Where this controller lies now counts as level and ahead; others of its player lie as they lay.
    package mutating func rezero(peer: PeerIndex) {
        for slot in slots(of: peer) { tracks[slot].rezero() }
    }

    // MARK: What arrives

    /// Takes a sample. It is fed as soon as none before it is missing; events come from ``advance(to:heardUntil:)``.
    ///
    /// - Parameters:
    ///   - arrivedAt: may lie before times already told, and may run backwards.
    ///   - now: when it is looked at, if that is not when it arrived.
    /// - Returns: whether it came before its timeline passed its index, and not far too late to be acted on
    ///   (``MergeConfiguration/oldest``). Samples of streams that are not connected are late.
    public mutating func accept(
        _ sample: Sample, index: UInt32, of key: StreamKey, arrivedAt: HostTime, now: HostTime? = nil
    ) -> ArrivalVerdict {
        guard let slot = slot(of: key) else { return .late }
        let now = max(now ?? arrivedAt, arrivedAt)
        let isForgotten = now - arrivedAt > configuration.longestWait
        self.now = max(self.now, now)
        let verdict = tracks[slot].accept(
            sample, index: index, arrivedAt: arrivedAt, oldest: isForgotten ? now : now - configuration.oldest,
            into: &detections)
        if feelsKnocks { settleStrokes(at: slot) }
        if hasGivers { noteGiver(at: slot) }
        setDeadline(tracks[slot].nextDeadline(), at: slot)
        noteSensor(at: slot)
        if !detections.isEmpty { settle() }
        return verdict
    }

    /// How many samples were made up for the stream since this was last asked: a sender pays for them as for its own.
    package mutating func takeBridged(of key: StreamKey) -> Int {
        slot(of: key).map { tracks[$0].lane.takeBridged() } ?? 0
    }

    /// The sender said that indices below `floor` will never come unless they came already: no need to wait.
    public mutating func abandon(below floor: UInt32, of key: StreamKey) {
        guard let slot = slot(of: key) else { return }
        tracks[slot].abandon(below: floor, into: &detections)
        if feelsKnocks { settleStrokes(at: slot) }
        if hasGivers { noteGiver(at: slot) }
        setDeadline(tracks[slot].nextDeadline(), at: slot)
        if !detections.isEmpty { settle() }
    }

    /// Gives up what was awaited long enough, and returns what happened since the last call: gestures in order of
    /// occurrence (ties: by player, then id), then what teams did, then verdicts. The order holds within one call: a
    /// stream on a slow link may report older events later.
    ///
    /// - Parameter heardUntil: what arrived later may still wait to be handed in, and counts as it arrived: nobody is given
    ///   up, passed over in a contest or found silent for what a host that stood still has not read yet. `nil`: nothing
    ///   waits.
    public mutating func advance(to now: HostTime, heardUntil: HostTime? = nil) -> [MergeEvent] {
        self.now = max(self.now, now)
        let heard = max(self.heardUntil, min(heardUntil ?? now, now))
        self.heardUntil = heard
        if trackIndex.earliest <= heard.nanoseconds {
            for slot in tracks.indices where trackIndex.isDue(slot, by: heard) {
                tracks[slot].pass(until: heard, into: &detections)
                if feelsKnocks { settleStrokes(at: slot) }
                if hasGivers { noteGiver(at: slot) }
                trackIndex.put(tracks[slot].nextDeadline(), at: slot)
            }
            trackIndex.recount()
        }
        if !detections.isEmpty || !holding.isEmpty || !postponed.isEmpty || !holdingTeams.isEmpty { settle() }
        if now >= lessonDeadline {
            endLessons(at: now)
            // What was taught is watched for from now on; what had begun before has ended by that.
            if !detections.isEmpty { settle() }
        }
        let verdicts = arbiter.isOpen ? decideContests() : []
        noteSilence()
        noteOmissions()
        if !wet.keys.isEmpty { noteSubmersions() }
        let batches = ready.keys.isEmpty ? [] : takeBatches()
        return takeEvents(verdicts, takeSubmersions(), batches)
    }

    // MARK: Inside

    /// When the track has something to give up; `nil` while nothing is missing.
    mutating func setDeadline(_ deadline: HostTime?, at slot: Int) { trackIndex.set(deadline, at: slot) }

    func slot(of key: StreamKey) -> Int? { trackIndex.slot(of: key) }

    func slots(of peer: PeerIndex) -> Range<Int> { trackIndex.slots(of: peer) }
}
