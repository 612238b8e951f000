public import InputMerge
public import SessionCoordinator
public import WireProtocol

/// Everything that one room is: the coordinator's seats and ledgers, the merge's players and gestures, and how both
/// become events, answers and haptics.
///
/// A value without clock, socket, log, lock or closure. Inputs and times go in, ``takeOutputs()`` says what is to be
/// done, ``nextDeadline`` when to come back. The same inputs give the same outputs, to the bit. A shell's turn is
///
/// ```swift
/// engine.receive(datagram, from: source, arrivedAt: stamp, now: now, cipher: cipher)   // until `isTurnOver`
/// engine.handle(input, at: now, cipher: cipher)                                        // whatever else came
/// if engine.advance(to: now, heardUntil: nil) {                                        // time passes
///     while let sent = engine.nextFeedback(into: buffer, now: now, cipher: cipher) { send(sent) }
/// }
/// engine.takeOutputs(into: &outputs)
/// for output in outputs { perform(output) }
/// sleep(until: engine.nextDeadline)
/// ```
public struct Engine: Sendable {
    /// What the host decided; ``RoomCommand/change(_:)`` alone changes it.
    public internal(set) var configuration: EngineConfiguration
    /// The seats and ledgers, to read; it is changed by inputs alone.
    public internal(set) var coordinator: Coordinator
    var sink: MergeSink
    /// What the last inputs led to; the memory is kept.
    var outputs: [RoomOutput] = []
    /// Ids of controllers by ``PeerIndex``, for events about those who have just left.
    private var ids: [ControllerID] = []
    /// The player whom each drove last, by ``PeerIndex``; 0 for nobody.
    private(set) var driven: [PlayerNumber] = []
    /// Who waits for which sensor's motion.
    var listeners: [(sensor: StreamKey, listener: ListenerID)] = []
    /// The last states of those who left, oldest first.
    public private(set) var departed: [PeerState] = []
    /// How many have left since the room opened, also of those whose states were let go.
    public private(set) var departures = 0
    /// Datagrams of those whose states were let go.
    private var forgotten: UInt64 = 0
    /// What is kept with leases, for whoever returns; looked up, never gone through.
    var talents: [ControllerID: PlayerTalents]
    /// Players who have some of it.
    var talented: [PlayerNumber] = []
    /// What those bring along who were invited from another room, the oldest invitation first.
    var travellers: [Traveller] = []
    /// Haptics without a receipt, by id; looked up, never gone through.
    var haptics: [UInt32: HapticTrail] = [:]
    /// When seats and links had their turn last, and when they are due again.
    private var servedAt: HostTime
    private var serviceDue = ServiceDue.open
    /// Those who are to be told what their buttons can mean.
    var buttonsDue: [PeerIndex] = []
    /// What they were told last, and where; looked up, never gone through.
    var buttonsTold: [PeerIndex: (conversation: ConversationID, list: ButtonList)] = [:]
    /// By ``PeerIndex``: what was told of its battery.
    var batteries: [BatteryWatch] = []
    /// What controllers have found by themselves, in the order in which they said so, and what the host saw meanwhile that
    /// they did not.
    var claims: [LocalClaim] = []
    var unclaimed: [UnclaimedGesture] = []
    /// By ``PeerIndex``: whether it was told to look for something.
    var detectionTold: [Bool] = []
    /// Who asked for watermarks, and is answered when all is told that was found.
    private var watermarksAsked: [RequestID] = []
    /// Something came in since that is worth a turn at once.
    private var isUrgent = true
    private var motionIsWanted = false
    private var motionDue: HostTime
    /// When it is looked at next who plays.
    var usesDue = HostTime(nanoseconds: .min)
    private var freeSeats = -1

    /// Seats and links of all peers are looked at this often at most, however many datagrams come.
    private static let servicePeriod: Duration = .milliseconds(1)
    /// Motion is told 60 times a second.
    private static let motionPeriod: Duration = .microseconds(16_667)
    /// In larger rooms frames are logged only once somebody asks: 16 KB a peer.
    private static let mostSeatsLogged = 64
    private static let mostDeparted = 10_000
    /// So many more are kept until the oldest go.
    private static let departedAtOnce = 1_000

    /// When seats and links are due again.
    private enum ServiceDue: Sendable {
        /// Nobody has worked it out since they had their turn.
        case open
        case at(HostTime)
    }

    /// - Parameters:
    ///   - leases: what was kept from before the host restarted; each seat is `lost`, with a fresh grace.
    ///   - talents: what was kept with them.
    public init(
        configuration: EngineConfiguration, leases: [Lease] = [], talents: [ControllerID: PlayerTalents] = [:],
        now: HostTime
    ) {
        self.configuration = configuration
        self.talents = talents
        coordinator = Coordinator(configuration: configuration.room, leases: leases, now: now)
        sink = MergeSink(configuration.merge)
        sink.logsFrames = configuration.room.seats <= Self.mostSeatsLogged
        servedAt = now
        motionDue = now
    }

    /// Lets a second merge with other rules come along from now on: it gets the same calls and changes nothing.
    ///
    /// - Parameter tellsMotion: whether it tells every sample of every sensor too.
    public mutating func carry(_ passenger: MergeConfiguration, tellsMotion: Bool = false) {
        sink.carry(passenger, tellsMotion: tellsMotion)
    }

    /// What the second merge found since the last call.
    public mutating func takePassengerEvents() -> [MergeEvent] { sink.takePassengerEvents() }

    // MARK: Questions

    /// When something falls due; `nil` when nothing does.
    public var nextDeadline: HostTime? {
        if isUrgent { return servedAt }
        var next = Int64.max
        next = min(next, serviceTime.nanoseconds)
        if let due = sink.merge.nextDeadline { next = min(next, due.nanoseconds) }
        if let due = claimsDue { next = min(next, due.nanoseconds) }
        // Motion of nobody is no reason to wake.
        if motionIsWanted, !sink.merge.drivenPlayers.isEmpty { next = min(next, motionDue.nanoseconds) }
        return next == .max ? nil : HostTime(nanoseconds: next)
    }

    /// Datagrams that were nobody's so far.
    public var strangers: StrangerCounts { coordinator.strangers }

    /// Datagrams of which nothing but the header was read so far, as their number had come before.
    public var repeats: UInt64 { coordinator.repeats }

    /// Whether what came last was refused on this connection; to be asked before the outputs are taken.
    package func hasRefused(_ conversation: ConversationID) -> Bool {
        outputs.suffix(4).contains { output in
            if case .say(conversation, .refused) = output { true } else { false }
        }
    }

    /// Whether everyone was told that the room closes.
    public var hasSaidGoodbye: Bool { coordinator.hasSaidGoodbye }

    /// Datagrams by what they were taken for, all together: each that was handed in is in one class.
    ///
    /// Whoever hands them in counts too, and compares.
    public func classified(now: HostTime) -> UInt64 {
        let strangers = coordinator.strangers
        var sum = forgotten + strangers.badAuth + strangers.unknown + strangers.malformed
        for state in departed { sum += Self.arrivals(state.report) }
        for report in coordinator.reports(now: now) { sum += Self.arrivals(report) }
        return sum
    }

    /// Of frames without numbers, those beyond the budget are in no other class.
    private static func arrivals(_ report: PeerReport) -> UInt64 {
        report.datagrams.authenticated + (report.transport == .legacy ? report.datagrams.rateLimited : 0)
    }

    /// What the engine keeps, how much of it, and how much it may be: for laws on memory that simulations check.
    package var load: [(what: String, count: Int, most: Int)] {
        let seats = configuration.room.seats
        return [
            ("haptics without a receipt", haptics.count, seats * 64),
            ("departed peers", departed.count, Self.mostDeparted + Self.departedAtOnce),
            ("outputs", outputs.count, 4_096), ("listeners", listeners.count, seats * 8),
            ("travellers", travellers.count, Coordinator.mostOffers),
            ("peers' places", ids.count, seats), ("kept talents", talents.count, seats),
            ("controllers that wait", coordinator.newcomers.count, Coordinator.mostNewcomers),
            ("finds that wait", claims.count, seats * 8), ("gestures nobody claimed", unclaimed.count, 64),
        ]
    }

    // MARK: What arrives

    /// Takes a sealed datagram; see `Coordinator/receive(_:from:arrivedAt:now:cipher:sink:)`.
    public mutating func receive(
        _ datagram: UnsafeMutableRawBufferPointer, from source: PeerAddress, arrivedAt: HostTime, now: HostTime,
        cipher: some DatagramCipher
    ) {
        coordinator.receive(datagram, from: source, arrivedAt: arrivedAt, now: now, cipher: cipher, sink: &sink)
        noteArrival()
    }

    /// Takes an unsealed frame of the paper's format.
    public mutating func receiveLegacy(
        _ frame: UnsafeRawBufferPointer, from source: PeerAddress, arrivedAt: HostTime, now: HostTime
    ) {
        coordinator.receiveLegacy(frame, from: source, arrivedAt: arrivedAt, now: now, sink: &sink)
        noteArrival()
    }

    /// Takes a browser's datagram, which came inside TLS on this connection.
    public mutating func receive(
        unsealed datagram: UnsafeRawBufferPointer, from conversation: ConversationID, arrivedAt: HostTime, now: HostTime
    ) {
        coordinator.receive(unsealed: datagram, from: conversation, arrivedAt: arrivedAt, now: now, sink: &sink)
        noteArrival()
    }

    /// Whether what came in since the last ``advance(to:)`` was work enough for one turn.
    ///
    /// Whoever hands in many datagrams asks after each, and lets time pass before the next: so nobody's feedback, haptic or
    /// deadline waits for more than one turn's work, whatever somebody sends. Nothing is lost or overtaken by it: what is
    /// left waits where it lies.
    public var isTurnOver: Bool { sink.work.isTurnOver }

    /// What was done since the room was made, in units of about a quarter of a microsecond.
    package var workDone: UInt64 { sink.work.done }

    /// A datagram may owe an answer earlier than what was due so far.
    private mutating func noteArrival() {
        sink.work.spend(.datagram)
        let latest = servedAt + Self.servicePeriod
        if case .at(let time) = serviceDue, time <= latest { return }
        serviceDue = .at(min(serviceTime, latest))
    }

    /// Seats were taken over: what is due is to be worked out anew.
    mutating func reconsiderService() { serviceDue = .open }

    /// When seats and links are due; looks at every peer while nobody has worked it out.
    private var serviceTime: HostTime {
        switch serviceDue {
        case .open: coordinator.nextDeadline ?? .distantFuture
        case .at(let time): time
        }
    }

    /// Takes any input. What came from the network has quicker ways above, without a copy.
    public mutating func handle(_ input: RoomInput, at now: HostTime, cipher: some DatagramCipher) {
        switch input {
        case .datagram(var bytes, let source, let arrivedAt):
            return bytes.withUnsafeMutableBytes {
                receive($0, from: source, arrivedAt: arrivedAt, now: now, cipher: cipher)
            }
        case .legacyFrame(let bytes, let source, let arrivedAt):
            return bytes.withUnsafeBytes { receiveLegacy($0, from: source, arrivedAt: arrivedAt, now: now) }
        case .browserDatagram(let bytes, let conversation, let arrivedAt):
            return bytes.withUnsafeBytes { receive(unsealed: $0, from: conversation, arrivedAt: arrivedAt, now: now) }
        case .invite(let invitation, let conversation, let transport, let material, let source):
            perform(
                coordinator.invite(
                    invitation, from: conversation, over: transport, at: source, material: material, now: now),
                now: now)
        case .sensor(let report, let conversation):
            if let peer = coordinator.learn(report, from: conversation) { noteBattery(of: peer, now: now) }
        case .status(let status, let conversation): coordinator.learn(lastSent: status.lastSent, from: conversation)
        case .goodbye(let farewell, let conversation):
            perform(coordinator.goodbye(farewell, from: conversation, now: now), now: now)
        case .disconnected(let conversation): perform(coordinator.disconnected(conversation, now: now), now: now)
        // What the merge knows, it may not have told yet.
        case .command(.watermarks, let request): watermarksAsked.append(request)
        case .command(let command, let request): outputs.append(.answer(request, carryOut(command, now: now)))
        case .motionIsWanted(let isWanted): motionIsWanted = isWanted
        case .listenerIsGone(let listener): endDelivery(to: listener)
        case .strangers(let counts):
            coordinator.note(counts)
            return noteArrival()
        case .advance:
            advance(to: now)
            return
        case .close(let backIn):
            perform(coordinator.close(backIn: backIn, now: now), now: now)
            keepDeparted()
        }
        isUrgent = true
    }

    // MARK: Time

    /// Lets time pass: gives up what was awaited long enough, tells what came of the last inputs, and, where that is due,
    /// lets seats and links have their turn.
    ///
    /// - Parameter heardUntil: until when everything that arrived was handed in, where more waits; `nil` for all. Whoever ends
    ///   a turn amid a backlog says so, and comes back: what came in time is not given up for having been read late.
    /// - Returns: whether they had it: then feedback may be due.
    @discardableResult
    public mutating func advance(to now: HostTime, heardUntil: HostTime? = nil) -> Bool {
        sink.work.beginTurn()
        noteFinds(now: now)
        let events = sink.advance(to: now, heardUntil: heardUntil)
        for event in events { tell(event, now: now) }
        if !watermarksAsked.isEmpty { answerWatermarks(now: now) }
        if sink.hasBatteryNews { noteBatteries(now: now) }
        if !claims.isEmpty || !unclaimed.isEmpty { settleClaims(now: now) }
        if motionIsWanted, now >= motionDue { tellMotion(now: now) }
        guard isUrgent || !events.isEmpty || now >= serviceTime else { return false }
        // Whoever goes ends gestures, which the merge tells in its next turn: that is due at once, and noted below.
        sink.hasNews = false
        perform(coordinator.takeActions(), now: now)
        perform(coordinator.advance(to: now, heardUntil: heardUntil, sink: &sink), now: now)
        tellButtons()
        isUrgent = sink.hasNews
        correctDeparted()
        if coordinator.freeSeats != freeSeats {
            freeSeats = coordinator.freeSeats
            outputs.append(.freeSeats(freeSeats))
        }
        servedAt = now
        // Feedback comes next, and changes it: it is worked out once, after that.
        serviceDue = .open
        noteUses(now: now)
        return true
    }

    /// Writes and seals the next datagram that is due to a peer; to be called after ``advance(to:)`` until it is `nil`.
    ///
    /// - Parameter buffer: room for `WireFormat.maximumDatagramSize` bytes.
    /// - Returns: where it goes, and its size in bytes.
    public mutating func nextFeedback(
        into buffer: UnsafeMutableRawBufferPointer, now: HostTime, cipher: some DatagramCipher
    ) -> (destination: FeedbackDestination, count: Int)? {
        let feedback = coordinator.nextFeedback(into: buffer, now: now, cipher: cipher)
        if feedback == nil { serviceDue = .at(coordinator.nextDeadline ?? .distantFuture) }
        return feedback
    }

    /// Takes what is to be done, in order, in place of what the list held before; its memory is used again.
    public mutating func takeOutputs(into list: inout [RoomOutput]) {
        list.removeAll(keepingCapacity: true)
        if !outputs.isEmpty { swap(&outputs, &list) }
    }

    /// Takes what is to be done, in order.
    public mutating func takeOutputs() -> [RoomOutput] {
        var list: [RoomOutput] = []
        takeOutputs(into: &list)
        return list
    }

    private mutating func answerWatermarks(now: HostTime) {
        for request in watermarksAsked { outputs.append(.answer(request, carryOut(.watermarks, now: now))) }
        watermarksAsked = []
    }

    /// 60 a second while somebody listens.
    private mutating func tellMotion(now: HostTime) {
        motionDue = now + Self.motionPeriod
        for player in sink.merge.drivenPlayers {
            if let state = sink.merge.state(of: player, at: now) { outputs.append(.event(.motion(player, state))) }
        }
    }

    // MARK: Effects

    mutating func perform(_ actions: [Action], now: HostTime) {
        for action in actions {
            switch action {
            case .answer(let conversation, let message): outputs.append(.say(conversation, message))
            case .close(let conversation): outputs.append(.close(conversation))
            case .commit(let changes, let conversation, let message):
                outputs.append(.commit(changes, thenSay: conversation, message))
            case .assign(let peer, let controller, let players): assign(peer, of: controller, to: players, now: now)
            case .restart(let peer): sink.restart(peer)
            case .opened(let peer):
                buttonsDue.append(peer)
                tellDetection(to: peer)
            // Mostly they are taken before what the host sees is told.
            case .found(let peer, let find, let at): claim(find, of: peer, at: at, now: now)
            case .felt(let peer, let id, let at): noteFelt(id, on: peer, at: at)
            case .forget(let peer, let controller): forget(controller, at: peer, now: now)
            case .occurred(let occurrence, let time): tell(occurrence, at: time)
            case .rezero(let peer):
                let player = player(of: peer)
                if player != 0 { sink.tell { $0.rezero(player: player) } }
            case .mark(let peer, let text, let time):
                outputs.append(.mark(text, at: time, by: controller(peer), of: player(of: peer)))
            case .message(let peer, let bytes): outputs.append(.received(controller(peer), bytes, channel: nil))
            case .data(let peer, let channel, let bytes):
                outputs.append(.received(controller(peer), bytes, channel: channel))
            case .offerEnded(let id, let outcome):
                settle(id, outcome)
                outputs.append(.offerEnded(id, outcome))
            }
        }
    }

    private mutating func assign(
        _ peer: PeerIndex, of controller: ControllerID, to players: [PlayerNumber], now: HostTime
    ) {
        keepDeparted()
        // Who listens to its motion hears the last of it, too.
        if players.isEmpty, listeners.contains(where: { $0.sensor.peer == peer }) {
            for batch in sink.lastBatches(of: peer) { tell(batch) }
        }
        sink.assign(peer, to: players, now: now)
        if let player = players.first {
            remember(controller, of: peer)
            driven[peer] = player
        } else {
            settleClaims(of: peer)
            endDelivery { $0.peer == peer }
            buttonsTold[peer] = nil
            if batteries.indices.contains(peer) { batteries[peer] = BatteryWatch() }
            // What it had begun ends under its own name: its place may be another's before the merge has its next turn.
            // Nothing is given up by it: something may wait that is to be read first.
            for event in sink.advance(to: now, heardUntil: HostTime(nanoseconds: .min)) { tell(event, now: now) }
            // What is on disk goes with the lease.
            talents[controller] = nil
        }
        refreshTalents()
    }

    /// Notes how those stood who left, while their delays are still here.
    private mutating func keepDeparted() {
        for report in coordinator.takeDeparted() {
            departed.append(state(report))
            departures += 1
        }
        guard departed.count > Self.mostDeparted + Self.departedAtOnce else { return }
        // Many at once, as those behind them move up; in place, with nobody else holding them.
        let oldest = departed.count - Self.mostDeparted
        for place in 0..<oldest { forgotten += Self.arrivals(departed[place].report) }
        departed.removeFirst(oldest)
    }

    /// Stragglers of those who left belong to them.
    private mutating func correctDeparted() {
        for report in coordinator.takeCorrections() {
            let place = departed.lastIndex {
                $0.report.connection == report.connection && $0.report.controller == report.controller
            }
            if let place { departed[place].report = report }
        }
    }

    // MARK: Who is who

    /// Whether it is who the merge takes it for: the coordinator may have given a leaver's place away, and what the leaver
    /// ends is told first.
    func isAssigned(_ sitter: Sitter) -> Bool { controller(sitter.peer) == sitter.controller }

    func controller(_ peer: PeerIndex) -> ControllerID {
        ids.indices.contains(peer) ? ids[peer] : ControllerID(high: 0, low: 0)
    }

    /// Whom the peer drives, or drove when it left; 0 for nobody.
    func player(of peer: PeerIndex) -> PlayerNumber { driven.indices.contains(peer) ? driven[peer] : 0 }

    mutating func remember(_ controller: ControllerID, of peer: PeerIndex) {
        while ids.count <= peer {
            ids.append(ControllerID(high: 0, low: 0))
            driven.append(0)
        }
        ids[peer] = controller
    }
}
