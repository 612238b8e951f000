import InputMerge
import SessionCoordinator
import WireProtocol

/// Leads samples from the coordinator into the merge, and delays into their histograms.
struct MergeSink: MotionSink {
    private(set) var merge: Merge
    /// Another merge, with other rules, that gets the same calls and decides nothing: what would have been.
    private(set) var passenger: Merge?
    private var passengerTellsMotion = false
    /// What the passenger found, until somebody asks.
    private var passengerEvents: [MergeEvent] = []
    /// By ``PeerIndex``.
    private(set) var delays: [PeerDelays?] = []
    /// Whether each peer's last 1,000 frames are kept, 16 KB a peer: in small rooms always, in large ones from when
    /// somebody first asks for them.
    var logsFrames = false
    /// The merge was told something that may end gestures, or decide a contest.
    var hasNews = false
    /// Whose clock stands differently, where somebody asked to be told.
    var clockNews: [(peer: PeerIndex, mapping: ClockMapping)]?
    /// By ``PeerIndex``: the charge that its samples told last; empty while none does.
    private var charges: [UInt8?] = []
    private var batteryNews: [PeerIndex] = []
    /// What the last inputs cost.
    var work = Work()

    init(_ configuration: MergeConfiguration) { merge = Merge(configuration: configuration) }

    /// Lets another merge come along.
    mutating func carry(_ configuration: MergeConfiguration, tellsMotion: Bool) {
        passenger = Merge(configuration: configuration)
        passengerTellsMotion = tellsMotion
    }

    /// Whatever is told to the merge, its passenger hears too.
    mutating func tell(_ body: (inout Merge) -> Void) {
        body(&merge)
        if passenger != nil { passenger.withValue(body) }
    }

    /// The room's own rules change; a passenger's were given it for comparison, and stay.
    mutating func adopt(gestures: [GestureDefinition], contests: ContestRules) {
        merge.adopt(gestures: gestures, contests: contests)
        hasNews = true
    }

    mutating func advance(to now: HostTime, heardUntil: HostTime?) -> [MergeEvent] {
        if passenger != nil {
            passenger.withValue { passengerEvents += $0.advance(to: now, heardUntil: heardUntil) }
        }
        return merge.advance(to: now, heardUntil: heardUntil)
    }

    /// Motion that was to be given until now, before somebody goes.
    mutating func lastBatches(of peer: PeerIndex) -> [MotionBatch] { merge.takeLastBatches(of: peer) }

    /// What the merge itself refused decides; its passenger hears it too.
    mutating func refuseLatest(of player: PlayerNumber) -> GestureKind? {
        if passenger != nil { passenger.withValue { _ = $0.refuseLatest(of: player) } }
        return merge.refuseLatest(of: player)
    }

    mutating func takePassengerEvents() -> [MergeEvent] {
        defer { passengerEvents.removeAll(keepingCapacity: true) }
        return passengerEvents
    }

    mutating func streamBegan(
        _ key: StreamKey, epoch: UInt8, _ declaration: StreamDeclaration, at now: HostTime, admittedAt: HostTime?
    ) {
        tell { $0.connect(key, declaration: declaration, admittedAt: admittedAt, now: now) }
        if passengerTellsMotion { passenger.withValue { $0.deliver(.each, of: key) } }
        hasNews = true
        work.spend(.streamEpoch)
    }

    mutating func accept(
        _ sample: Sample, index: UInt32, of key: StreamKey, arrivedAt: HostTime, now: HostTime
    ) -> ArrivalVerdict {
        work.spend(.sample)
        if sample.buttons != 0 { work.spend(.button, sample.buttons.nonzeroBitCount) }
        if sample.measures.contains(.battery) { noteCharge(sample.battery, of: key.peer) }
        if passenger != nil {
            passenger.withValue { _ = $0.accept(sample, index: index, of: key, arrivedAt: arrivedAt, now: now) }
        }
        return merge.accept(sample, index: index, of: key, arrivedAt: arrivedAt, now: now)
    }

    /// A battery that is the same is no news, and one that leaps within a turn is told once.
    private mutating func noteCharge(_ percent: UInt8, of peer: PeerIndex) {
        while charges.count <= peer { charges.append(nil) }
        guard charges[peer] != percent, percent <= 100 else { return }
        charges[peer] = percent
        if !batteryNews.contains(peer) { batteryNews.append(peer) }
    }

    var hasBatteryNews: Bool { !batteryNews.isEmpty }

    /// Whose charge is another, and how much it is in percent.
    mutating func takeBatteryNews() -> [(peer: PeerIndex, percent: Int)] {
        defer { batteryNews.removeAll(keepingCapacity: true) }
        return batteryNews.compactMap { peer in charges[peer].map { (peer, Int($0)) } }
    }

    mutating func takeBridged(of key: StreamKey) -> Int {
        let count = merge.takeBridged(of: key)
        work.spend(.bridgedSample, count)
        return count
    }

    mutating func streamAbandoned(_ key: StreamKey, below floor: UInt32) { tell { $0.abandon(below: floor, of: key) } }

    mutating func clockChanged(of peer: PeerIndex, to mapping: ClockMapping) {
        tell { $0.updateClock(of: peer, mapping) }
        hasNews = true
        clockNews?.append((peer, mapping))
        if delays.indices.contains(peer) { delays[peer]?.noteClock(mapping) }
    }

    /// A program that the host does not know speaks for the peer from now on.
    mutating func restart(_ peer: PeerIndex) {
        tell { $0.restart(peer: peer) }
        hasNews = true
        if delays.indices.contains(peer) { delays[peer]?.forgetStamps() }
    }

    mutating func noteDelay(of peer: PeerIndex, _ frame: FrameStamps, queueing: Int64, oneWay: Int64?) {
        guard delays.indices.contains(peer) else { return }
        delays[peer]?.note(frame, queueing: queueing, oneWay: oneWay, isLogged: logsFrames)
    }

    /// What the next datagrams of these peers will need; see ``Prefetch``.
    mutating func prefetch(_ peers: [PeerIndex]) -> UInt {
        var prefetch = Prefetch()
        delays.withUnsafeBufferPointer { delays in
            guard let first = delays.baseAddress else { return }
            for peer in peers where peer < delays.count { prefetch.read(first + peer) }
            for peer in peers where peer < delays.count {
                let (queueing, oneWay) = Self.latest(first[peer])
                if let queueing { prefetch.read(queueing) }
                if let oneWay { prefetch.read(oneWay) }
            }
        }
        return prefetch.sum &+ merge.prefetch(peers)
    }

    private static func latest(_ delays: PeerDelays?) -> (UnsafePointer<UInt16>?, UnsafePointer<UInt16>?) {
        (delays?.queueing.latestPlace, delays?.oneWay.latestPlace)
    }

    func delays(of peer: PeerIndex) -> PeerDelays? { delays.indices.contains(peer) ? delays[peer] : nil }

    /// When a peer sent, by its own clock, the datagram that arrived then; `nil` for one of long ago.
    func sentAt(arrivedAt: HostTime, of peer: PeerIndex) -> DeviceTime? {
        delays(of: peer)?.recent.sentAt(arrivedAt: arrivedAt)
    }

    /// A peer drives these players from now on; none when it left, and then everything about it is let go.
    mutating func assign(_ peer: PeerIndex, to players: [PlayerNumber], now: HostTime) {
        hasNews = true
        while delays.count <= peer { delays.append(nil) }
        if players.isEmpty {
            if charges.indices.contains(peer) { charges[peer] = nil }
            delays[peer] = nil
            if passengerTellsMotion {
                passenger.withValue { passengerEvents += $0.takeLastBatches(of: peer).map { .motions($0) } }
            }
            tell { $0.disconnect(peer: peer, now: now) }
        } else {
            if delays[peer] == nil { delays[peer] = PeerDelays() }
            tell { $0.assign(peer: peer, to: players, now: now) }
        }
    }

    /// A peer drives nobody until it is assigned again; its streams go on.
    mutating func unassign(_ peer: PeerIndex, now: HostTime) {
        hasNews = true
        tell { $0.assign(peer: peer, to: [], now: now) }
    }
}

extension Optional where Wrapped == Merge {
    /// Changes what is there, where it is.
    fileprivate mutating func withValue(_ body: (inout Merge) -> Void) {
        guard var merge = take() else { return }
        body(&merge)
        self = .some(consume merge)
    }
}
