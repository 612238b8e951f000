import Foundation
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
    private let outcome = Mutex<[PeerState]?>(nil)
    private let lastKernelDrops = Mutex<Int?>(nil)

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
    var finalDepartures: [PeerState] { outcome.withLock { $0 ?? [] } }

    /// Datagrams that the kernel threw away, when the room's state was last asked for; `nil` when it does not say.
    var kernelDrops: Int? { lastKernelDrops.withLock { $0 } }

    /// Starts the thread. It ends by itself after a `close`, once everyone was told.
    func start(
        on sockets: Sockets, cipher: LinkCipher, _ outlets: RoomOutlets,
        _ makeEngine: @escaping @Sendable () -> Engine
    ) {
        let thread = Thread { [self] in
            let turns = RoomTurns(makeEngine(), on: sockets, cipher: cipher, outlets)
            run(turns, sockets)
            outcome.withLock { $0 = turns.engine.departed }
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

    private func run(_ turns: RoomTurns, _ sockets: Sockets) {
        var letters: [LoopInput] = []
        var closesAt: HostTime?
        turns.serve()
        while true {
            turns.note(motionIsWanted: journal.isMotionWanted)
            let wake = sleep(until: [turns.engine.nextDeadline, closesAt].compactMap(\.self).min(), on: sockets)
            if wake.contains(.datagrams) { turns.receive(atMost: Self.batchesPerTurn) }
            if wake.contains(.others) { turns.receiveLegacy() }
            mailbox.drain(into: &letters)
            for (place, letter) in letters.enumerated() {
                switch letter {
                case .input(let input): turns.handle(input)
                case .datagram(let bytes, let conversation, let arrivedAt):
                    turns.receive(bytes, from: conversation, arrivedAt: arrivedAt)
                case .command(let command, let reply):
                    if case .status = command { lastKernelDrops.withLock { $0 = sockets.kernelDrops } }
                    turns.ask(command, reply)
                case .close:
                    turns.handle(.close)
                    closesAt = closesAt ?? HostClock.now() + Self.farewellLimit
                }
                // Browsers' datagrams come as letters: a flood of them must not keep deadlines and feedback waiting.
                if (place + 1) % Self.lettersPerTurn == 0 { turns.serve() }
            }
            turns.serve()
            if let closesAt, turns.engine.hasSaidGoodbye || HostClock.now() >= closesAt { return }
        }
    }

    private func sleep(until deadline: HostTime?, on sockets: Sockets) -> DatagramSocket.Wake {
        guard let deadline else { return sockets.link.wait(orFor: bell, and: sockets.legacy) }
        return sockets.link.wait(orFor: bell, and: sockets.legacy, atMost: max(.zero, deadline - HostClock.now()))
    }
}
