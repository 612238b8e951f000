import InputMerge
import NIOCore
import SessionCoordinator
import WireProtocol

/// Everything that the one thread of a room owns: the coordinator, the merge, and how both become events.
///
/// Driven by ``RoomLoop`` with bytes, commands and times; what it wants done outside goes to ``Outlets``.
struct RoomEngine {
    /// Where effects go. Each of them returns at once.
    struct Outlets: Sendable {
        var publish: @Sendable (RoomEvent) -> Void
        var outbox: @Sendable (Outbox.Item) -> Void
        var seatsChanged: @Sendable (Int) -> Void
        /// To a browser, on its connection.
        var feedback: @Sendable (ByteBuffer, ConversationID) -> Void = { _, _ in }
        var offerEnded: @Sendable (OfferID, OfferOutcome) -> Void = { _, _ in }
    }

    /// In larger rooms frames are logged only once somebody asks.
    private static let mostSeatsLogged = 64

    var coordinator: Coordinator
    var sink: MergeSink
    let cipher: LinkCipher
    let options: RoomOptions
    let openedAt: HostTime
    let outlets: Outlets
    /// Ids of controllers by place, for events about those who have just left.
    private var names: [PeerIndex: String] = [:]
    /// The player whom each drove last.
    private var driven: [PeerIndex: PlayerNumber] = [:]
    /// Who waits for which sensor's motion.
    var batchListeners: [(sensor: StreamKey, batches: AsyncStream<MotionBatch>.Continuation)] = []
    /// The last state of the 10,000 who left last.
    private(set) var departed: [PeerStatus] = []
    /// What is kept with leases, for whoever returns.
    var talents: [ControllerID: StoredTalents]
    /// Haptics without a receipt, by id; looked up, never gone through.
    var haptics: [UInt32: HapticTrail] = [:]
    /// Players who have some of it.
    var talented: [PlayerNumber] = []
    private var nextMotion: HostTime
    private var freeSeats = -1

    init(
        coordinator: Coordinator, options: RoomOptions, cipher: LinkCipher, openedAt: HostTime,
        talents: [ControllerID: StoredTalents] = [:], outlets: Outlets
    ) {
        self.talents = talents
        self.coordinator = coordinator
        self.options = options
        self.cipher = cipher
        self.openedAt = openedAt
        self.outlets = outlets
        sink = MergeSink(options.merge)
        sink.logsFrames = options.seats <= Self.mostSeatsLogged
        nextMotion = openedAt
    }

    /// When the merge has something to give up, or somebody is due to hear of motion.
    func nextMergeDeadline(isMotionWanted: Bool) -> HostTime? {
        [sink.merge.nextDeadline, isMotionWanted ? nextMotion : nil].compactMap(\.self).min()
    }

    // MARK: Inputs, in the order of each turn: datagrams, commands, time

    mutating func receive(
        _ datagram: UnsafeMutableRawBufferPointer, from source: PeerAddress, arrivedAt: HostTime, now: HostTime
    ) {
        coordinator.receive(datagram, from: source, arrivedAt: arrivedAt, now: now, cipher: cipher, sink: &sink)
    }

    mutating func receiveLegacy(
        _ frame: UnsafeRawBufferPointer, from source: PeerAddress, arrivedAt: HostTime, now: HostTime
    ) {
        coordinator.receiveLegacy(frame, from: source, arrivedAt: arrivedAt, now: now, sink: &sink)
    }

    mutating func apply(_ input: LoopInput, now: HostTime, kernelDrops: Int?) {
        switch input {
        case .invite(let invitation, let conversation, let transport, let material):
            perform(
                coordinator.invite(invitation, from: conversation, over: transport, material: material, now: now),
                now: now)
        case .datagram(let bytes, let conversation, let arrivedAt):
            bytes.withUnsafeReadableBytes {
                coordinator.receive(
                    unsealed: $0, from: conversation, arrivedAt: arrivedAt, now: now, sink: &sink)
            }
        case .sensor(let report, let conversation): coordinator.learn(report, from: conversation)
        case .disconnected(let conversation): perform(coordinator.disconnected(conversation, now: now), now: now)
        case .status(let status, let conversation): coordinator.learn(lastSent: status.lastSent, from: conversation)
        case .goodbye(let farewell, let conversation):
            perform(coordinator.goodbye(farewell, from: conversation, now: now), now: now)
        case .command(let command, let reply):
            reply(carryOut(command, now: now, kernelDrops: kernelDrops))
        case .close:
            perform(coordinator.close(now: now), now: now)
            keepDeparted()
        }
    }

    /// Tells what the last samples led to; returns whether controllers are to hear of it. Cheap: done in every turn.
    mutating func advanceMerge(to now: HostTime, isMotionWanted: Bool) -> Bool {
        let events = sink.merge.advance(to: now)
        for event in events { tell(event, now: now) }
        if isMotionWanted, now >= nextMotion { tellMotion(now: now) }
        return !events.isEmpty
    }

    /// Lets time pass for seats and links. Looks at every peer: done once a millisecond at most.
    mutating func advance(to now: HostTime) {
        perform(coordinator.takeActions(), now: now)
        perform(coordinator.advance(to: now, sink: &sink), now: now)
        if coordinator.freeSeats != freeSeats {
            freeSeats = coordinator.freeSeats
            outlets.seatsChanged(freeSeats)
        }
    }

    // MARK: Effects

    mutating func perform(_ actions: [Action], now: HostTime) {
        for action in actions {
            switch action {
            case .answer(let conversation, let message): outlets.outbox(.say(conversation, message))
            case .close(let conversation): outlets.outbox(.close(conversation))
            case .commit(let changes, let conversation, let message):
                outlets.outbox(.commit(changes, thenSay: conversation, message))
            case .assign(let peer, let players): assign(peer, players, now: now)
            case .restart(let peer): sink.restart(peer)
            case .occurred(let occurrence, let time): tell(occurrence, at: time)
            case .rezero(let peer):
                if let report = coordinator.report(of: peer, now: now) { sink.merge.rezero(player: report.player) }
            case .message(let peer, let bytes): outlets.outbox(.received(controller(peer), bytes, channel: nil))
            case .data(let peer, let channel, let bytes):
                outlets.outbox(.received(controller(peer), bytes, channel: channel))
            case .offerEnded(let id, let outcome): outlets.offerEnded(id, outcome)
            }
        }
    }

    private mutating func assign(_ peer: PeerIndex, _ players: [PlayerNumber], now: HostTime) {
        keepDeparted()
        sink.assign(peer, to: players)
        // The row on disk goes with the lease.
        if players.isEmpty {
            endBatches { $0.peer == peer }
            if let gone = ControllerID(controller(peer)) { talents[gone] = nil }
        } else if let report = coordinator.report(of: peer, now: now) {
            names[peer] = report.controller.description
            driven[peer] = report.player
        }
        refreshTalents(now: now)
    }

    /// Notes how those stood who left, while their delays are still here.
    private mutating func keepDeparted() {
        for report in coordinator.takeDeparted() { departed.append(status(report)) }
        if departed.count > 10_000 { departed.removeFirst(departed.count - 10_000) }
    }

    // MARK: What events say

    func milliseconds(_ time: HostTime) -> Double {
        // Saturates: a controller may claim any time at all.
        Double((time - openedAt).wholeNanoseconds / 1_000) / 1_000
    }

    func controller(_ peer: PeerIndex) -> String { names[peer] ?? "" }

    /// Whom the peer drives, or drove when it left; 0 for nobody.
    func player(of peer: PeerIndex) -> PlayerNumber { driven[peer] ?? 0 }

    private mutating func tell(_ occurrence: Occurrence, at time: HostTime) {
        let at = milliseconds(time)
        switch occurrence {
        case .player(let change):
            if let report = coordinator.report(of: change.peer, now: time) {
                names[change.peer] = report.controller.description
            }
            outlets.publish(
                .player(
                    RoomEvent.Player(
                        at: at, player: change.player, state: .init(change.state), name: change.name,
                        color: colorText(change.color), controllers: [controller(change.peer)])))
        case .link(let change):
            outlets.publish(
                .link(
                    RoomEvent.Link(
                        at: at, player: change.player, controller: controller(change.peer),
                        state: .init(change.state), stream: change.stream.map(Int.init),
                        transport: change.transport.rawValue,
                        delay: change.delay.map { Double($0) / 1e6 },
                        samplesMissing: change.samplesMissing.map(Int.init),
                        datagramsMissing: change.datagramsMissing.map(Int.init))))
        case .haptic(let outcome): tell(outcome, at: time)
        case .room(let change): outlets.publish(.room(RoomEvent.Room(at: at, state: .init(change))))
        case .asking(let controller, let name):
            outlets.publish(.asking(RoomEvent.Asking(at: at, controller: controller.description, name: name)))
        }
    }

    /// Gestures older than this are told, but not felt: a buffer that comes after an outage must not shake anyone.
    private static let oldestFelt: Duration = .seconds(1)

    private mutating func tell(_ event: MergeEvent, now: HostTime) {
        let gesture: GestureEvent
        switch event {
        case .gesture(let event): gesture = event
        case .team(let gesture): return outlets.publish(.team(self.event(gesture)))
        case .verdict(let verdict): return outlets.publish(.verdict(self.event(verdict)))
        case .teaching(let progress): return tell(progress, now: now)
        case .sensor(let event): return tell(event)
        case .motions(let batch): return tell(batch)
        }
        outlets.publish(
            .gesture(
                RoomEvent.Gesture(
                    at: milliseconds(gesture.occurredAt),
                    uncertainty: gesture.uncertaintyNanoseconds.map { Double($0 / 1_000) / 1_000 },
                    player: gesture.player, gesture: gesture.gesture.rawValue, phase: .init(gesture.phase),
                    id: gesture.id.description, strength: gesture.strength, confidence: gesture.confidence,
                    controllers: gesture.controllers.map(controller),
                    measures: gesture.measures == GestureMeasures() ? nil : gesture.measures)))
        // Stillness is not answered: that would end it.
        guard options.answersGesturesWithHaptics, gesture.phase == .began, gesture.gesture != .holdStill,
            now - gesture.occurredAt <= Self.oldestFelt
        else { return }
        for peer in gesture.controllers {
            _ = play(
                intensity: 0.4 + 0.6 * gesture.strength, sharpness: 0.5, on: peer, answering: gesture.id, now: now)
        }
    }

    /// 60 a second while somebody listens.
    private mutating func tellMotion(now: HostTime) {
        nextMotion = now + .microseconds(16_667)
        for player in sink.merge.drivenPlayers {
            if let state = sink.merge.state(of: player, at: now) { outlets.publish(.motion(event(state, of: player))) }
        }
    }

    func event(_ motion: PlayerMotion, of player: PlayerNumber) -> RoomEvent.Motion {
        RoomEvent.Motion(motion, player: player, at: milliseconds(motion.occurredAt))
    }
}

func colorText(_ color: UInt32) -> String {
    let digits = String(color & 0xFF_FFFF, radix: 16)
    return "#" + String(repeating: "0", count: 6 - digits.count) + digits
}
