import ControlPort
import Datagrams
import EveningFiles
import FlightRecorder
import Identity
import Logging
import NIOCore
import RoomEngine
import RoomRecords
import SessionCoordinator
import WireProtocol

/// What the room's thread does with its engine in each turn: brings in what arrived, lets time pass, and carries out
/// what comes of it.
final class RoomTurns {
    private(set) var engine: Engine
    private let sockets: RoomLoop.Sockets
    private let cipher: LinkCipher
    private let outlets: RoomOutlets
    private let incoming = IncomingBatch()
    private let outgoing = OutgoingBatch()
    /// The same for browsers.
    private var browsers: [(datagram: ByteBuffer, conversation: ConversationID)] = []
    private var arrivals: ArrivalClock
    private var legacyArrivals: ArrivalClock
    private var outputs: [RoomOutput] = []
    /// Who waits for which answer.
    private var replies: [RequestID: @Sendable (Result<RoomAnswer, RoomError>) -> Void] = [:]
    private var requests: UInt64 = 0
    /// Datagrams that the kernel, and browsers' connections, handed over.
    private(set) var handedOver: UInt64 = 0
    /// Nanoseconds that all of these together lay there until they were read.
    private var waited: Int64 = 0
    private var motionIsWanted = false
    /// What the room's flight recorder keeps; `nil` while nothing is recorded.
    private var deck: TapeDeck?
    private var recorder: RoomRecorder?
    /// It was begun in the middle of an evening.
    private var tapesClocks = false
    private var servedAt = HostTime(nanoseconds: 0)
    private var lookahead = Lookahead()
    /// How far each way in has been read.
    private var backlog: Backlog
    /// When the thread was last seen awake.
    private var awakeAt: HostTime?
    private var standstills = Standstills()

    /// Who wakes so much later than it meant to, or needs so long for a part of a turn, stood still.
    private static let leastPause: Duration = .milliseconds(100)
    /// What is overdue and waits for letters is looked at so often.
    private static let overdue: Duration = .milliseconds(5)

    init(_ engine: Engine, on sockets: RoomLoop.Sockets, cipher: LinkCipher, _ outlets: RoomOutlets) {
        self.engine = engine
        self.sockets = sockets
        self.cipher = cipher
        self.outlets = outlets
        arrivals = ArrivalClock(openedAt: HostClock.now())
        legacyArrivals = arrivals
        backlog = Backlog(now: HostClock.now())
    }

    // MARK: What came in

    func note(motionIsWanted isWanted: Bool) {
        guard isWanted != motionIsWanted else { return }
        motionIsWanted = isWanted
        handle(.motionIsWanted(isWanted))
    }

    func handle(_ input: RoomInput) {
        let now = HostClock.now()
        engine.handle(input, at: now, cipher: cipher)
        tapeClocks(now: now)
        let isRefused = isRefused(input)
        deck?.input(input, now: now, isRefused: isRefused)
    }

    private func isRefused(_ input: RoomInput) -> Bool {
        guard deck != nil, case .invite(_, let conversation, _, _, _) = input else { return false }
        return engine.hasRefused(conversation)
    }

    /// Everything from here on is recorded; what was recorded elsewhere ends.
    func record(with recorder: RoomRecorder?) {
        endRecording()
        self.recorder = recorder
        deck = recorder.map { TapeDeck(room: engine.configuration.room, supply: $0.blocks) }
        // Amid an evening the tape does not hold what clocks were learnt from.
        tapesClocks = recorder.map { !$0.isFromTheStart } ?? false
        engine.tellClocks(tapesClocks)
        if tapesClocks { deck?.begin(amid: engine, now: HostClock.now()) }
    }

    /// Hands on what the tape holds; the recorder's file ends when its own thread has written it.
    func endRecording() {
        deck?.flush()
        deck = nil
        tapesClocks = false
        engine.tellClocks(false)
        recorder = nil
    }

    /// The room has ended: whoever still waits is told so, in the order in which they asked.
    func dismissAskers() {
        for (_, reply) in replies.sorted(by: { $0.key.rawValue < $1.key.rawValue }) { reply(.failure(.roomIsClosed)) }
        replies = [:]
    }

    func ask(_ command: RoomCommand, _ reply: @escaping @Sendable (Result<RoomAnswer, RoomError>) -> Void) {
        requests += 1
        let request = RequestID(rawValue: requests)
        replies[request] = reply
        handle(.command(command, request))
        switch command {
        case .kick, .unlock: outlets.outbox.post(.banned(engine.roomStanding.banned))
        default: break
        }
    }

    /// The thread is awake, and meant to be at `due`, if that was sure.
    func noteWaking(at now: HostTime, due: HostTime?) {
        awakeAt = now
        if let due { note(from: due, until: now) }
    }

    /// The thread meant to go on at `due`, and does so now.
    private func note(from due: HostTime, until now: HostTime) {
        if now - due >= Self.leastPause { backlog.stoodStill(until: now) }
        guard let told = standstills.note(from: due, until: now) else { return }
        outlets.room.warning("\(RoomStatus.Standstill(told).words)")
    }

    /// What is to be told of the last minute's standstills.
    var standstill: Standstills.Report? { standstills.report(at: HostClock.now()) }

    /// Before what has come is read: nothing waits but there.
    func begin(reading ways: Backlog.Ways) { backlog.begin(ways, now: HostClock.now()) }

    /// All letters were read that had come by then.
    func noteLettersRead(until drained: HostTime) { backlog.emptied(.letters, at: drained) }

    func receive(_ datagram: ByteBuffer, from conversation: ConversationID, arrivedAt: HostTime) {
        let now = HostClock.now()
        handedOver += 1
        waited &+= now.nanoseconds &- arrivedAt.nanoseconds
        datagram.withUnsafeReadableBytes {
            let (before, repeats) = (engine.strangers, engine.repeats)
            engine.receive(unsealed: $0, from: conversation, arrivedAt: arrivedAt, now: now)
            tapeClocks(now: now)
            deck?.browserDatagram(
                $0, from: conversation, arrivedAt: arrivedAt, now: now, strangers: engine.strangers.since(before),
                isRepeated: engine.repeats != repeats)
        }
        backlog.read(.letters, until: arrivedAt)
        if engine.isTurnOver { serve() }
    }

    /// - Returns: whether the socket was found empty.
    func receive(atMost batches: Int) -> Bool {
        for _ in 0..<batches {
            let asked = HostClock.now()
            guard let count = try? sockets.link.receive(into: incoming) else { return true }
            handedOver += UInt64(count)
            let received = HostClock.now()
            var now = received
            for place in 0..<count { lookahead.note(UnsafeRawBufferPointer(incoming[place])) }
            lookahead.prefetch(&engine)
            for place in 0..<count {
                // A turn in between makes none of them wait longer in the socket.
                let arrivedAt = arrivals.arrival(waited: incoming.waited(at: place), now: received)
                waited &+= received.nanoseconds &- arrivedAt.nanoseconds
                // One that was cut off is handed on at its true length's error: too long to be ours.
                let (bytes, sender, before) = (incoming[place], incoming.sender(at: place), engine.strangers)
                let repeats = engine.repeats
                let own = incoming.dialled(at: place)
                engine.receive(bytes, from: sender, to: own, arrivedAt: arrivedAt, now: now, cipher: cipher)
                tapeClocks(now: now)
                deck?.datagram(
                    UnsafeRawBufferPointer(bytes), from: sender, arrivedAt: arrivedAt, now: now,
                    strangers: engine.strangers.since(before), isRepeated: engine.repeats != repeats)
                backlog.read(.link, until: arrivedAt)
                guard engine.isTurnOver else { continue }
                serve()
                now = HostClock.now()
            }
            guard count == IncomingBatch.depth else {
                backlog.emptied(.link, at: asked)
                arrivals.noteEmpty(since: asked)
                return true
            }
        }
        return false
    }

    /// What these letters bring is about to be read.
    func lookAhead(_ letters: ArraySlice<LoopInput>) {
        for case .control(.datagram(let bytes, _, arrivedAt: _)) in letters {
            bytes.withUnsafeReadableBytes { lookahead.note($0) }
        }
        lookahead.prefetch(&engine)
    }

    /// One batch a turn: unsealed frames never keep sealed ones waiting.
    ///
    /// - Returns: whether the socket was found empty, or is none.
    func receiveLegacy() -> Bool {
        let asked = HostClock.now()
        guard let legacy = sockets.legacy, let count = try? legacy.receive(into: incoming) else { return true }
        handedOver += UInt64(count)
        let now = HostClock.now()
        for place in 0..<count {
            let arrivedAt = legacyArrivals.arrival(waited: incoming.waited(at: place), now: now)
            waited &+= now.nanoseconds &- arrivedAt.nanoseconds
            let (bytes, sender, before) = (
                UnsafeRawBufferPointer(incoming[place]), incoming.sender(at: place), engine.strangers
            )
            engine.receiveLegacy(bytes, from: sender, arrivedAt: arrivedAt, now: now)
            tapeClocks(now: now)
            deck?.legacyFrame(
                bytes, from: sender, arrivedAt: arrivedAt, now: now, strangers: engine.strangers.since(before))
        }
        guard count < IncomingBatch.depth else { return false }
        legacyArrivals.noteEmpty(since: asked)
        return true
    }

    /// What was handed over, and what the accounts make of it; counted apart.
    var account: RoomLoop.Arrivals {
        RoomLoop.Arrivals(
            handedOver: handedOver, waited: waited, classified: engine.classified(now: HostClock.now()),
            strangers: engine.coordinator.strangers, kernelDrops: sockets.kernelDrops)
    }

    // MARK: Time

    var nextDeadline: HostTime? {
        let next = engine.dueTime()
        guard let next, backlog.isAwaitingLetters else { return next }
        return max(next, HostClock.now() + Self.overdue)
    }
    var hasSaidGoodbye: Bool { engine.hasSaidGoodbye }

    /// Tells what came of the last inputs, and lets deadlines have their turn.
    func serve() {
        let now = HostClock.now()
        if let awakeAt { note(from: awakeAt, until: now) }
        awakeAt = now
        let heardUntil = backlog.heardUntil
        deck?.turn(now: now, heardUntil: heardUntil)
        if engine.advance(to: now, heardUntil: heardUntil) { sendFeedback(now: now) }
        tapeClocks(now: now)
        engine.takeOutputs(into: &outputs)
        if deck != nil { tapeOutputs(now: now) }
        for output in outputs {
            if case .answer(let request, let answer) = output {
                replies.removeValue(forKey: request)?(answer)
            } else if let gone = outlets.perform(output, recorder: recorder) {
                handle(.listenerIsGone(gone))
            }
        }
    }

    /// Where the tape does not hold what clocks were learnt from, it is told how they stand, before what shows it.
    private func tapeClocks(now: HostTime) {
        guard tapesClocks else { return }
        deck?.clocks(engine.takeClockNews(), now: now)
    }

    private func tapeOutputs(now: HostTime) {
        deck?.endTurn(outputs, now: now)
        servedAt = now
        if let lost = deck?.lostEntries, lost > 0 { recorder?.note(lostEntries: lost) }
    }

    /// Before the thread sleeps: what would wait too long is handed on. The deadline is worked out once a turn.
    func rest(until deadline: HostTime?) { deck?.rest(now: servedAt, until: deadline) }

    private func sendFeedback(now: HostTime) {
        var own = OwnAddress.unknown
        while let (destination, count) = engine.nextFeedback(
            into: outgoing.room, now: now, cipher: cipher, leavingFrom: &own)
        {
            switch destination {
            case .address(let address): outgoing.append(count, to: address, from: own)
            case .conversation(let conversation):
                let bytes = UnsafeRawBufferPointer(rebasing: outgoing.room.prefix(count))
                browsers.append((ByteBuffer(bytes: bytes), conversation))
            }
            if outgoing.isFull { sockets.link.send(outgoing) }
        }
        if !outgoing.isEmpty { sockets.link.send(outgoing) }
        if !browsers.isEmpty {
            outlets.connections.send(browsers)
            browsers.removeAll(keepingCapacity: true)
        }
    }
}
