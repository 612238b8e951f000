import Foundation
import NIOCore
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
    /// Seats, links and feedback of all peers are looked at this often at most, however many datagrams come.
    private static let servicePeriod: Duration = .milliseconds(1)
    /// How long the farewells of a closing room may take.
    private static let farewellLimit: Duration = .milliseconds(500)

    /// The ports of a room.
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

    private let mailbox: Mailbox<LoopInput>
    private let bell: Doorbell
    private let journal: EventJournal
    private let ended = AsyncStream.makeStream(of: Void.self)
    /// How everyone stood in the end; `nil` while the thread runs.
    private let outcome = Mutex<[PeerStatus]?>(nil)

    init(journal: EventJournal) throws(SocketError) {
        self.journal = journal
        bell = try Doorbell()
        mailbox = Mailbox(capacity: Self.mailboxCapacity, bell: bell)
    }

    /// Hands an input to the thread; false when it has too many, or has ended.
    @discardableResult
    func post(_ input: LoopInput) -> Bool {
        outcome.withLock { $0 == nil ? mailbox.post(input) : false }
    }

    /// The peers of a room that has closed, as they stood then.
    var finalDepartures: [PeerStatus] { outcome.withLock { $0 ?? [] } }

    /// Starts the thread. It ends by itself after a `close`, once everyone was told.
    func start(on sockets: Sockets, _ makeEngine: @escaping @Sendable () -> RoomEngine) {
        let thread = Thread { [self] in
            let last = turn(makeEngine(), on: sockets)
            outcome.withLock { $0 = last.departed }
            turnAwayTheRest()
            journal.close()
            ended.continuation.finish()
        }
        thread.name = "roomful-room"
        thread.stackSize = 4 << 20
        thread.start()
    }

    private func turnAwayTheRest() {
        var letters: [LoopInput] = []
        mailbox.drain(into: &letters)
        for case .command(_, let reply) in letters { reply(.failure(RoomError(.closed, "the room is closed"))) }
    }

    /// Returns when the thread has ended.
    func wait() async { for await _ in ended.stream {} }

    private func turn(_ first: RoomEngine, on sockets: Sockets) -> RoomEngine {
        var engine = first
        let incoming = IncomingBatch()
        let outgoing = OutgoingBatch()
        var letters: [LoopInput] = []
        var closesAt: HostTime?
        var servedAt = HostClock.now()
        var arrivals = ArrivalClock(openedAt: servedAt)
        var legacyArrivals = arrivals
        engine.advance(to: servedAt)
        var serviceDue = engine.coordinator.nextDeadline
        /// Tells what came of the last inputs, and lets deadlines have their turn.
        func serve() {
            let now = HostClock.now()
            let wasEventful = engine.advanceMerge(to: now, isMotionWanted: journal.isMotionWanted)
            guard wasEventful || !letters.isEmpty || now >= serviceDue ?? .distantFuture else { return }
            engine.advance(to: now)
            send(from: &engine, to: sockets.link, through: outgoing, now: now)
            servedAt = now
            serviceDue = engine.coordinator.nextDeadline
        }
        while true {
            let isMotionWanted = journal.isMotionWanted
            let mergeDue = engine.nextMergeDeadline(isMotionWanted: isMotionWanted)
            let wake = sleep(until: [serviceDue, mergeDue, closesAt].compactMap(\.self).min(), on: sockets)
            if wake.contains(.datagrams) { receive(into: &engine, from: sockets.link, through: incoming, &arrivals) }
            if wake.contains(.others), let legacy = sockets.legacy {
                receiveLegacy(into: &engine, from: legacy, through: incoming, &legacyArrivals)
            }
            if !wake.isDisjoint(with: [.datagrams, .others]) {
                // They may owe an answer earlier than what was due so far.
                serviceDue = min(serviceDue ?? .distantFuture, servedAt + Self.servicePeriod)
            }
            mailbox.drain(into: &letters)
            var now = HostClock.now()
            for (place, letter) in letters.enumerated() {
                engine.apply(letter, now: now, kernelDrops: sockets.kernelDrops)
                if case .close = letter { closesAt = closesAt ?? now + Self.farewellLimit }
                // Browsers' datagrams come as letters: a flood of them must not keep deadlines and feedback waiting.
                guard (place + 1) % Self.lettersPerTurn == 0 else { continue }
                serve()
                now = HostClock.now()
            }
            serve()
            if let closesAt, engine.coordinator.hasSaidGoodbye || now >= closesAt { return engine }
        }
    }

    private func sleep(until deadline: HostTime?, on sockets: Sockets) -> DatagramSocket.Wake {
        guard let deadline else { return sockets.link.wait(orFor: bell, and: sockets.legacy) }
        return sockets.link.wait(orFor: bell, and: sockets.legacy, atMost: max(.zero, deadline - HostClock.now()))
    }

    private func receive(
        into engine: inout RoomEngine, from socket: DatagramSocket, through batch: IncomingBatch,
        _ arrivals: inout ArrivalClock
    ) {
        for _ in 0..<Self.batchesPerTurn {
            let asked = HostClock.now()
            guard let count = try? socket.receive(into: batch) else { return }
            let now = HostClock.now()
            defer { if count < IncomingBatch.depth { arrivals.noteEmpty(since: asked) } }
            for place in 0..<count {
                let arrivedAt = arrivals.arrival(waited: batch.waited(at: place), now: now)
                // One that was cut off is handed on at its true length's error: too long to be ours.
                engine.receive(batch[place], from: batch.sender(at: place), arrivedAt: arrivedAt, now: now)
            }
            if count < IncomingBatch.depth { return }
        }
    }

    /// One batch a turn: unsealed frames never keep sealed ones waiting.
    private func receiveLegacy(
        into engine: inout RoomEngine, from socket: DatagramSocket, through batch: IncomingBatch,
        _ arrivals: inout ArrivalClock
    ) {
        let asked = HostClock.now()
        guard let count = try? socket.receive(into: batch) else { return }
        let now = HostClock.now()
        defer { if count < IncomingBatch.depth { arrivals.noteEmpty(since: asked) } }
        for place in 0..<count {
            let arrivedAt = arrivals.arrival(waited: batch.waited(at: place), now: now)
            engine.receiveLegacy(
                UnsafeRawBufferPointer(batch[place]), from: batch.sender(at: place), arrivedAt: arrivedAt, now: now)
        }
    }

    private func send(
        from engine: inout RoomEngine, to socket: DatagramSocket, through batch: OutgoingBatch, now: HostTime
    ) {
        while let (destination, count) = engine.coordinator.nextFeedback(
            into: batch.room, now: now, cipher: engine.cipher)
        {
            switch destination {
            case .address(let address): batch.append(count, to: address)
            case .conversation(let conversation):
                engine.outlets.feedback(
                    ByteBuffer(bytes: UnsafeRawBufferPointer(rebasing: batch.room.prefix(count))), conversation)
            }
            if batch.isFull { socket.send(batch) }
        }
        if !batch.isEmpty { socket.send(batch) }
    }
}
