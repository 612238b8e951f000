import NIOCore
import RoomEngine
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
    private var arrivals: ArrivalClock
    private var legacyArrivals: ArrivalClock
    private var outputs: [RoomOutput] = []
    /// Who waits for which answer.
    private var replies: [RequestID: @Sendable (Result<RoomAnswer, RoomError>) -> Void] = [:]
    private var requests: UInt64 = 0
    private var motionIsWanted = false

    init(_ engine: Engine, on sockets: RoomLoop.Sockets, cipher: LinkCipher, _ outlets: RoomOutlets) {
        self.engine = engine
        self.sockets = sockets
        self.cipher = cipher
        self.outlets = outlets
        arrivals = ArrivalClock(openedAt: HostClock.now())
        legacyArrivals = arrivals
    }

    // MARK: What came in

    func note(motionIsWanted isWanted: Bool) {
        guard isWanted != motionIsWanted else { return }
        motionIsWanted = isWanted
        handle(.motionIsWanted(isWanted))
    }

    func handle(_ input: RoomInput) { engine.handle(input, at: HostClock.now(), cipher: cipher) }

    func ask(_ command: RoomCommand, _ reply: @escaping @Sendable (Result<RoomAnswer, RoomError>) -> Void) {
        requests += 1
        let request = RequestID(rawValue: requests)
        replies[request] = reply
        handle(.command(command, request))
    }

    func receive(_ datagram: ByteBuffer, from conversation: ConversationID, arrivedAt: HostTime) {
        let now = HostClock.now()
        datagram.withUnsafeReadableBytes {
            engine.receive(unsealed: $0, from: conversation, arrivedAt: arrivedAt, now: now)
        }
    }

    func receive(atMost batches: Int) {
        for _ in 0..<batches {
            let asked = HostClock.now()
            guard let count = try? sockets.link.receive(into: incoming) else { return }
            let now = HostClock.now()
            for place in 0..<count {
                let arrivedAt = arrivals.arrival(waited: incoming.waited(at: place), now: now)
                // One that was cut off is handed on at its true length's error: too long to be ours.
                engine.receive(
                    incoming[place], from: incoming.sender(at: place), arrivedAt: arrivedAt, now: now, cipher: cipher)
            }
            guard count == IncomingBatch.depth else { return arrivals.noteEmpty(since: asked) }
        }
    }

    /// One batch a turn: unsealed frames never keep sealed ones waiting.
    func receiveLegacy() {
        let asked = HostClock.now()
        guard let legacy = sockets.legacy, let count = try? legacy.receive(into: incoming) else { return }
        let now = HostClock.now()
        for place in 0..<count {
            let arrivedAt = legacyArrivals.arrival(waited: incoming.waited(at: place), now: now)
            engine.receiveLegacy(
                UnsafeRawBufferPointer(incoming[place]), from: incoming.sender(at: place), arrivedAt: arrivedAt,
                now: now)
        }
        if count < IncomingBatch.depth { legacyArrivals.noteEmpty(since: asked) }
    }

    // MARK: Time

    /// Tells what came of the last inputs, and lets deadlines have their turn.
    func serve() {
        let now = HostClock.now()
        if engine.advance(to: now) { sendFeedback(now: now) }
        engine.takeOutputs(into: &outputs)
        for output in outputs {
            if case .answer(let request, let answer) = output {
                replies.removeValue(forKey: request)?(answer)
            } else if let gone = outlets.perform(output) {
                handle(.listenerIsGone(gone))
            }
        }
    }

    private func sendFeedback(now: HostTime) {
        while let (destination, count) = engine.nextFeedback(into: outgoing.room, now: now, cipher: cipher) {
            switch destination {
            case .address(let address): outgoing.append(count, to: address)
            case .conversation(let conversation):
                let bytes = UnsafeRawBufferPointer(rebasing: outgoing.room.prefix(count))
                outlets.server.send(ByteBuffer(bytes: bytes), to: conversation)
            }
            if outgoing.isFull { sockets.link.send(outgoing) }
        }
        if !outgoing.isEmpty { sockets.link.send(outgoing) }
    }
}
