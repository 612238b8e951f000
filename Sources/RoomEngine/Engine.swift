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
    var driven: [PlayerNumber] = []
    /// Who waits for which sensor's motion.
    var listeners: [(sensor: StreamKey, listener: ListenerID)] = []
    /// Those who left.
    var gone = Departures()
    /// What is kept with leases, for whoever returns; looked up, never gone through.
    var talents: [ControllerID: PlayerTalents]
    /// Players who have some of it.
    var talented: [PlayerNumber] = []
    /// Whose jumps have taught something that is not kept yet, and when it will be.
    var flown: [ControllerID] = []
    var airtimesDue = HostTime.distantFuture
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
    var watermarksAsked: [RequestID] = []
    /// Something came in since that is worth a turn at once.
    var isUrgent = true
    var motionIsWanted = false
    /// Somebody has asked for the frames of datagrams.
    var framesAreAsked = false
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
        servedAt = now
        motionDue = now
        decideFrameLog()
    }

    /// To be called once there are other seats, or somebody asks for frames.
    mutating func decideFrameLog() {
        sink.logsFrames = framesAreAsked || configuration.room.seats <= Self.mostSeatsLogged
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
        var next = min(serviceTime, airtimesDue).nanoseconds
        if let due = sink.merge.nextDeadline { next = min(next, due.nanoseconds) }
        if let due = claimsDue { next = min(next, due.nanoseconds) }
        // Motion of nobody is no reason to wake.
        if motionIsWanted, !sink.merge.drivenPlayers.isEmpty { next = min(next, motionDue.nanoseconds) }
        return next == .max ? nil : HostTime(nanoseconds: next)
    }

    /// The same, of an engine that lies in a class: a property that is asked for through that copies it whole (Swift 6.3.1).
    package mutating func dueTime() -> HostTime? { nextDeadline }

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

    /// What the engine keeps, how much of it, and how much it may be: for laws on memory that simulations check.
    package var load: [(what: String, count: Int, most: Int)] {
        let seats = configuration.room.seats
        return [
            ("haptics without a receipt", haptics.count, seats * Coordinator.mostOpenHaptics),
            ("departed peers", gone.states.count, Departures.most + Departures.mostAtOnce),
            ("outputs", outputs.count, 4_096), ("listeners", listeners.count, seats * WireFormat.mostStreams),
            ("travellers", travellers.count, Coordinator.mostOffers),
            ("peers' places", ids.count, seats), ("kept talents", talents.count, seats),
            ("flights that are not kept yet", flown.count, seats),
            ("controllers that wait", coordinator.newcomers.count, Coordinator.mostNewcomers),
            ("finds that wait", claims.count, seats * Self.mostClaims),
            ("gestures nobody claimed", unclaimed.count, Self.mostUnclaimed),
        ]
    }

    // MARK: Time

    /// A datagram may owe an answer earlier than what was due so far.
    mutating func noteArrival() {
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
        if now >= airtimesDue { keepAirtimes() }
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

    /// Writes and seals the next datagram that is due to a peer; to be called after ``advance(to:heardUntil:)`` until it
    /// is `nil`.
    ///
    /// - Parameter buffer: room for `WireFormat.maximumDatagramSize` bytes.
    /// - Returns: where it goes, and its size in bytes.
    public mutating func nextFeedback(
        into buffer: UnsafeMutableRawBufferPointer, now: HostTime, cipher: some DatagramCipher
    ) -> (destination: FeedbackDestination, count: Int)? {
        var own = OwnAddress.unknown
        return nextFeedback(into: buffer, now: now, cipher: cipher, leavingFrom: &own)
    }

    /// The same, which says also from which of this machine's addresses it is to leave: the one that the peer dialled.
    package mutating func nextFeedback(
        into buffer: UnsafeMutableRawBufferPointer, now: HostTime, cipher: some DatagramCipher,
        leavingFrom own: inout OwnAddress
    ) -> (destination: FeedbackDestination, count: Int)? {
        let feedback = coordinator.nextFeedback(into: buffer, now: now, cipher: cipher, leavingFrom: &own)
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
