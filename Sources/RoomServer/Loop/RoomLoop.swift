import ControlPort
import Datagrams
import EveningFiles
import Foundation
import Identity
import NIOCore
import RoomEngine
import SessionCoordinator
import Synchronization
import WireProtocol

/// The one thread that owns a room: it applies datagrams, then commands, then deadlines, and sleeps in between.
final class RoomLoop: Sendable {
    /// Commands and joinings that may wait at most; more are refused.
    private static let mailboxCapacity = 8_192
    /// Batches of 64 datagrams that are taken before commands and deadlines get their turn.
    private static let batchesPerTurn = 16
    /// Commands and browsers' datagrams that are taken before deadlines get their turn.
    private static let lettersPerTurn = 128
    /// What so many are about to need is looked up together.
    private static let lettersAhead = 32
    /// How long the farewells of a closing room may take.
    private static let farewellLimit: Duration = .milliseconds(500)

    /// The UDP ports of a room.
    struct Sockets: Sendable {
        var link: DatagramSocket
        /// For unsealed frames, if there is one.
        var legacy: DatagramSocket?

        /// Of both; `nil` when the kernel does not say.
        var kernelDrops: Int? {
            guard let legacy else { return link.kernelDrops }
            return link.kernelDrops.flatMap { drops in legacy.kernelDrops.map { drops + $0 } }
        }
    }

    /// What came to the room, as it is counted in different places.
    struct Arrivals: Sendable {
        /// Datagrams that the kernel, and browsers' connections, handed over.
        var handedOver: UInt64
        /// Nanoseconds from their arrival until the room's thread read them, all of them together.
        var waited: Int64
        /// Those in every account together.
        var classified: UInt64
        var strangers: StrangerCounts
        /// Thrown away by the kernel; `nil` when it does not say.
        var kernelDrops: Int?
    }

    let mailbox: Mailbox<LoopInput>
    let bell: Doorbell
    let journal: EventJournal
    /// Until when the thread may act, in a room that can outlive its host.
    private let fence: ActingFence?
    /// How long arrivals may gather where many speak.
    private let gather: Duration
    /// Who waits for the thread's end; `nil` once it has ended.
    private let waiting = Mutex<[CheckedContinuation<Void, Never>]?>([])
    /// How everyone stood in the end; `nil` while the thread runs.
    private let outcome = Mutex<[PeerState]?>(nil)
    private let lastArrivals = Mutex<Arrivals?>(nil)
    private let lastStandstill = Mutex<Standstills.Report?>(nil)
    /// The room's ports until its thread takes them, which lets go of them when it ends.
    private let sockets = Mutex<Sockets?>(nil)
    /// How far a recorded evening has been played, by its own clock; `nil` in a room that lives.
    let replayedTo = Mutex<HostTime?>(nil)

    init(journal: EventJournal, fence: ActingFence? = nil, gather: Duration = .zero) throws(SocketError) {
        self.journal = journal
        self.fence = fence
        self.gather = gather
        bell = try Doorbell()
        mailbox = Mailbox(capacity: Self.mailboxCapacity, bell: bell)
    }

    /// Hands an input to the thread; false when it has too many, or has ended.
    @discardableResult
    func post(_ input: LoopInput) -> Bool {
        outcome.withLock { $0 == nil ? mailbox.post(input, as: input.sort) : false }
    }

    /// Whether the thread has not ended yet.
    var isRunning: Bool { outcome.withLock { $0 == nil } }

    /// The peers of a room that has closed, as they stood then.
    var finalDepartures: [PeerState] { outcome.withLock { $0 ?? [] } }

    /// When the room's state was last asked for, or when it had closed; `nil` before.
    var arrivals: Arrivals? { lastArrivals.withLock { $0 } }

    /// How the room's thread had stood still in the minute before its state was last asked for; `nil` where that is not worth
    /// telling.
    var standstill: Standstills.Report? { lastStandstill.withLock { $0 } }

    /// Starts the thread. It ends by itself after a `close`, once everyone was told.
    func start(
        on sockets: Sockets, cipher: LinkCipher, _ outlets: RoomOutlets,
        _ makeEngine: @escaping @Sendable () -> (Engine, RoomRecorder?)
    ) {
        startThread(on: sockets) { [self] sockets in
            let (engine, recorder) = makeEngine()
            let turns = RoomTurns(engine, on: sockets, cipher: cipher, outlets)
            turns.record(with: recorder)
            run(turns, sockets)
            turns.dismissAskers()
            turns.endRecording()
            lastArrivals.withLock { $0 = turns.account }
            return turns.engine.departed
        }
    }

    /// - Parameter run: what the thread does at these ports until the room closes; who had a seat then.
    func startThread(on sockets: Sockets, _ run: @escaping @Sendable (Sockets) -> [PeerState]) {
        self.sockets.withLock { $0 = sockets }
        let thread = Thread { [self] in
            nameThisThread("roomful-room")
            let departed = atTakenPorts(run)
            outcome.withLock { $0 = departed }
            turnAwayTheRest()
            journal.close()
            let told = waiting.withLock { waiting in
                defer { waiting = nil }
                return waiting ?? []
            }
            for continuation in told { continuation.resume() }
        }
        thread.stackSize = 4 << 20
        thread.start()
    }

    /// The ports are free when this returns, before anybody hears that the room has closed.
    private func atTakenPorts(_ run: (Sockets) -> [PeerState]) -> [PeerState] {
        let taken = sockets.withLock { sockets in
            defer { sockets = nil }
            return sockets
        }
        guard let taken else { return [] }
        return run(taken)
    }

    private func turnAwayTheRest() {
        var letters: [LoopInput] = []
        mailbox.drain(into: &letters)
        turnAway(letters[...])
    }

    private func turnAway(_ letters: ArraySlice<LoopInput>) {
        for letter in letters {
            switch letter {
            case .command(_, let reply): reply(.failure(.roomIsClosed))
            case .record(_, let done): done()
            case .control, .replay, .close, .abandon: break
            }
        }
    }

    /// Returns when the thread has ended, and no sooner where the task is cancelled: an asynchronous stream would end
    /// then, and for everyone else who waits at it, too.
    func wait() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let hasEnded = waiting.withLock { waiting in
                waiting?.append(continuation)
                return waiting == nil
            }
            if hasEnded { continuation.resume() }
        }
    }

    private func run(_ turns: RoomTurns, _ sockets: Sockets) {
        var letters: [LoopInput] = []
        var held: [LoopInput] = []
        var closesAt: HostTime?
        var gathering = Gathering(atMost: gather, now: HostClock.now())
        var isBehind = false
        if fence?.isOpen ?? true { turns.serve() }
        while true {
            if let fence, !fence.isOpen {
                guard closesAt == nil, waitOutside(turns, &held) else { return }
                continue
            }
            turns.note(motionIsWanted: journal.isMotionWanted)
            let deadline = turns.nextDeadline.map { min($0, closesAt ?? $0) } ?? closesAt
            turns.rest(until: deadline)
            let wake: DatagramSocket.Wake
            let now = HostClock.now()
            var due = deadline.map { max($0, now) }
            if let pause = gathering.pause(arrived: turns.handedOver, isBehind: isBehind, now: now) {
                due = now + .nanoseconds(pause)
                wake = gather(for: pause)
            } else {
                wake = sleep(until: deadline, on: sockets)
            }
            // Who was stopped while it slept may own the room no more.
            if let fence, !fence.isOpen { continue }
            // Letters are taken first and read last: what a controller sent before its goodbye is read before that.
            let drained = HostClock.now()
            turns.noteWaking(at: drained, due: due)
            letters.removeAll(keepingCapacity: true)
            if mailbox.hasMail { mailbox.drain(into: &letters) }
            let hasDatagrams = wake.contains(.datagrams) || !letters.isEmpty
            turns.begin(reading: hasDatagrams ? [.link, .letters] : .letters)
            isBehind = hasDatagrams && !turns.receive(atMost: Self.batchesPerTurn)
            if wake.contains(.others), !turns.receiveLegacy() { isBehind = true }
            if !held.isEmpty {
                letters = held + letters
                held = []
            }
            guard take(letters, turns, &closesAt) else { return }
            turns.noteLettersRead(until: drained)
            turns.serve()
            if let closesAt, turns.hasSaidGoodbye || HostClock.now() >= closesAt { return }
        }
    }

    /// Carries out what other threads have handed over, in its order.
    ///
    /// - Returns: false when another host owns the room.
    private func take(_ letters: [LoopInput], _ turns: RoomTurns, _ closesAt: inout HostTime?) -> Bool {
        for (place, letter) in letters.enumerated() {
            if place % Self.lettersAhead == 0 { turns.lookAhead(letters[place...].prefix(Self.lettersAhead)) }
            switch letter {
            case .control(.input(let input)): turns.handle(input)
            case .control(.datagram(let bytes, let conversation, arrivedAt: let arrivedAt)):
                turns.receive(bytes, from: conversation, arrivedAt: arrivedAt)
            case .command(let command, let reply):
                if case .status = command {
                    // Who has just left is in nobody's account before that.
                    turns.serve()
                    lastArrivals.withLock { $0 = turns.account }
                    lastStandstill.withLock { $0 = turns.standstill }
                }
                turns.ask(command, reply)
            case .replay: break
            case .record(let recorder, let done):
                turns.record(with: recorder)
                done()
            case .close(let backIn):
                turns.handle(.close(backIn: backIn))
                closesAt = closesAt ?? HostClock.now() + Self.farewellLimit
            case .abandon:
                turns.dismissAskers()
                turnAway(letters[(place + 1)...])
                return false
            }
            // Browsers' datagrams come as letters: a flood of them must not keep deadlines and feedback waiting.
            if (place + 1) % Self.lettersPerTurn == 0 { turns.serve() }
        }
        return true
    }

    /// Waits while the host does not own the room, or may not act in it: nothing is told, and nobody is answered. What
    /// connections bring is kept for when it acts again; datagrams wait in the socket, or are lost.
    ///
    /// - Returns: false when the room is over.
    private func waitOutside(_ turns: RoomTurns, _ held: inout [LoopInput]) -> Bool {
        bell.wait(atMost: .milliseconds(100))
        // What rang may be carried out by now.
        if fence?.isOpen == true {
            bell.ring()
            return true
        }
        var (letters, isOver): ([LoopInput], Bool) = ([], false)
        mailbox.drain(into: &letters)
        for letter in letters {
            switch letter {
            case .abandon, .close: isOver = true
            case .command(_, let reply): reply(.failure(.waitsForBroker))
            case .record(let recorder, let done):
                turns.record(with: recorder)
                done()
            case .control(.input(.disconnected)): held.append(letter)
            case .control(.input): if held.count < Self.mailboxCapacity { held.append(letter) }
            case .control(.datagram), .replay: break
            }
        }
        return !isOver
    }

    /// Sleeps so long, whatever comes: something will, on every way. Whoever rang is heard by the next wait as well.
    private func gather(for nanoseconds: Int64) -> DatagramSocket.Wake {
        var time = timespec(tv_sec: 0, tv_nsec: Int(nanoseconds))
        nanosleep(&time, nil)
        return .arrivals
    }

    private func sleep(until deadline: HostTime?, on sockets: Sockets) -> DatagramSocket.Wake {
        guard let deadline else { return sockets.link.wait(orFor: bell, and: sockets.legacy) }
        return sockets.link.wait(orFor: bell, and: sockets.legacy, atMost: max(.zero, deadline - HostClock.now()))
    }
}

extension RoomError {
    static let roomIsClosed = RoomError(.closed, "the room is closed")
    static let waitsForBroker = RoomError(
        .closed, "this host waits for its site's broker: until that answers, another may own the room")
}
