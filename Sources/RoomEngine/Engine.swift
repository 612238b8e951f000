import InputMerge
public import SessionCoordinator
public import WireProtocol

/// Everything that one room is: the coordinator's seats and ledgers, the merge's players and gestures, and how both
/// become events, answers and haptics.
///
/// A value without clock, socket, log, lock or closure. Inputs and times go in, ``takeOutputs()`` says what is to be
/// done, ``nextDeadline`` when to come back. The same inputs give the same outputs, to the bit. A shell's turn is
///
/// ```swift
/// engine.receive(datagram, from: source, arrivedAt: stamp, now: now, cipher: cipher)   // as many as there are
/// engine.handle(input, at: now, cipher: cipher)                                        // whatever else came
/// if engine.advance(to: now) {                                                         // time passes
///     while let sent = engine.nextFeedback(into: buffer, now: now, cipher: cipher) { send(sent) }
/// }
/// engine.takeOutputs(into: &outputs)
/// for output in outputs { perform(output) }
/// sleep(until: engine.nextDeadline)
/// ```
public struct Engine: Sendable {
    public let configuration: EngineConfiguration
    public internal(set) var coordinator: Coordinator
    var sink: MergeSink
    /// What the last inputs led to; the memory is kept.
    var outputs: [RoomOutput] = []
    /// Ids of controllers by ``PeerIndex``, for events about those who have just left.
    private var ids: [ControllerID] = []
    /// The player whom each drove last, by ``PeerIndex``; 0 for nobody.
    private var driven: [PlayerNumber] = []
    /// Who waits for which sensor's motion.
    var listeners: [(sensor: StreamKey, listener: ListenerID)] = []
    /// The last states of those who left, oldest first.
    public private(set) var departed: [PeerState] = []
    /// What is kept with leases, for whoever returns; looked up, never gone through.
    var talents: [ControllerID: PlayerTalents]
    /// Players who have some of it.
    var talented: [PlayerNumber] = []
    /// Haptics without a receipt, by id; looked up, never gone through.
    var haptics: [UInt32: HapticTrail] = [:]
    /// When seats and links had their turn last, and when they are due again.
    private var servedAt: HostTime
    private var serviceDue: HostTime?
    /// Something came in since that is worth a turn at once.
    private var isUrgent = true
    private var motionIsWanted = false
    private var motionDue: HostTime
    private var freeSeats = -1

    /// Seats and links of all peers are looked at this often at most, however many datagrams come.
    private static let servicePeriod: Duration = .milliseconds(1)
    /// Motion is told 60 times a second.
    private static let motionPeriod: Duration = .microseconds(16_667)
    /// In larger rooms frames are logged only once somebody asks: 16 KB a peer.
    private static let mostSeatsLogged = 64
    private static let mostDeparted = 10_000

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

    // MARK: Questions

    /// When something falls due; `nil` when nothing does.
    public var nextDeadline: HostTime? {
        if isUrgent { return servedAt }
        var next = Int64.max
        if let serviceDue { next = min(next, serviceDue.nanoseconds) }
        if let due = sink.merge.nextDeadline { next = min(next, due.nanoseconds) }
        if motionIsWanted { next = min(next, motionDue.nanoseconds) }
        return next == .max ? nil : HostTime(nanoseconds: next)
    }

    /// Whether everyone was told that the room closes.
    public var hasSaidGoodbye: Bool { coordinator.hasSaidGoodbye }

    /// What the engine keeps, how much of it, and how much it may be: for laws on memory that simulations check.
    package var load: [(what: String, count: Int, most: Int)] {
        let seats = configuration.room.seats
        return [
            ("haptics without a receipt", haptics.count, seats * 64),
            ("departed peers", departed.count, Self.mostDeparted),
            ("outputs", outputs.count, 4_096), ("listeners", listeners.count, seats * 8),
            ("peers' places", ids.count, seats), ("kept talents", talents.count, seats),
        ]
    }

    // MARK: What arrives

    /// Takes a sealed datagram; see ``Coordinator/receive(_:from:arrivedAt:now:cipher:sink:)``.
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

    /// A datagram may owe an answer earlier than what was due so far.
    private mutating func noteArrival() {
        serviceDue = min(serviceDue ?? .distantFuture, servedAt + Self.servicePeriod)
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
        case .invite(let invitation, let conversation, let transport, let material):
            perform(
                coordinator.invite(invitation, from: conversation, over: transport, material: material, now: now),
                now: now)
        case .sensor(let report, let conversation): coordinator.learn(report, from: conversation)
        case .status(let status, let conversation): coordinator.learn(lastSent: status.lastSent, from: conversation)
        case .goodbye(let farewell, let conversation):
            perform(coordinator.goodbye(farewell, from: conversation, now: now), now: now)
        case .disconnected(let conversation): perform(coordinator.disconnected(conversation, now: now), now: now)
        case .command(let command, let request): outputs.append(.answer(request, carryOut(command, now: now)))
        case .motionIsWanted(let isWanted): motionIsWanted = isWanted
        case .listenerIsGone(let listener): endDelivery(to: listener)
        case .advance:
            advance(to: now)
            return
        case .close:
            perform(coordinator.close(now: now), now: now)
            keepDeparted()
        }
        isUrgent = true
    }

    // MARK: Time

    /// Lets time pass: gives up what was awaited long enough, tells what came of the last inputs, and, where that is due,
    /// lets seats and links have their turn.
    ///
    /// - Returns: whether they had it: then feedback may be due.
    @discardableResult
    public mutating func advance(to now: HostTime) -> Bool {
        let events = sink.merge.advance(to: now)
        for event in events { tell(event, now: now) }
        if motionIsWanted, now >= motionDue { tellMotion(now: now) }
        guard isUrgent || !events.isEmpty || now >= serviceDue ?? .distantFuture else { return false }
        perform(coordinator.takeActions(), now: now)
        perform(coordinator.advance(to: now, sink: &sink), now: now)
        if coordinator.freeSeats != freeSeats {
            freeSeats = coordinator.freeSeats
            outputs.append(.freeSeats(freeSeats))
        }
        servedAt = now
        serviceDue = coordinator.nextDeadline
        isUrgent = false
        return true
    }

    /// Writes and seals the next datagram that is due to a peer; to be called after ``advance(to:)`` until it is `nil`.
    ///
    /// - Parameter buffer: room for ``WireFormat/maximumDatagramSize`` bytes.
    /// - Returns: where it goes, and its size in bytes.
    public mutating func nextFeedback(
        into buffer: UnsafeMutableRawBufferPointer, now: HostTime, cipher: some DatagramCipher
    ) -> (destination: FeedbackDestination, count: Int)? {
        let feedback = coordinator.nextFeedback(into: buffer, now: now, cipher: cipher)
        if feedback == nil { serviceDue = coordinator.nextDeadline }
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
            case .assign(let peer, let players): assign(peer, players, now: now)
            case .restart(let peer): sink.restart(peer)
            case .occurred(let occurrence, let time): tell(occurrence, at: time)
            case .rezero(let peer):
                if let report = coordinator.report(of: peer, now: now) { sink.merge.rezero(player: report.player) }
            case .message(let peer, let bytes): outputs.append(.received(controller(peer), bytes, channel: nil))
            case .data(let peer, let channel, let bytes):
                outputs.append(.received(controller(peer), bytes, channel: channel))
            case .offerEnded(let id, let outcome): outputs.append(.offerEnded(id, outcome))
            }
        }
    }

    private mutating func assign(_ peer: PeerIndex, _ players: [PlayerNumber], now: HostTime) {
        keepDeparted()
        sink.assign(peer, to: players)
        // What is on disk goes with the lease.
        if players.isEmpty {
            endDelivery { $0.peer == peer }
            talents[controller(peer)] = nil
        } else if let report = coordinator.report(of: peer, now: now) {
            remember(report.controller, of: peer)
            driven[peer] = report.player
        }
        refreshTalents(now: now)
    }

    /// Notes how those stood who left, while their delays are still here.
    private mutating func keepDeparted() {
        for report in coordinator.takeDeparted() { departed.append(state(report)) }
        if departed.count > Self.mostDeparted { departed.removeFirst(departed.count - Self.mostDeparted) }
    }

    // MARK: Who is who

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
