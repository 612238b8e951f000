import Datagrams
package import FlightRecorder
import RoomEngine
import RoomRecords
import SessionCoordinator
import Synchronization
package import WireProtocol

/// What a room plays again in place of what comes to its ports.
package struct RoomReplay: Sendable {
    package var opening: Opening
    /// Only what is about this player is told; `nil` for all.
    package var player: PlayerNumber?

    package init(_ opening: Opening, player: PlayerNumber? = nil) {
        self.opening = opening
        self.player = player
    }
}

/// What the room's thread does with a recorded evening: plays it into an engine of its own, tells what comes of it, and
/// answers questions from it. Nothing that anybody sends or asks changes the evening.
final class ReplayTurns {
    private var replay: Replay
    private let player: PlayerNumber?
    private let openedAt: HostTime
    private let cipher: LinkCipher
    private let journal: EventJournal
    private var requests: UInt64 = 0
    /// By the evening's own clock.
    private(set) var now: HostTime

    init(_ recorded: RoomReplay, cipher: LinkCipher, journal: EventJournal) {
        replay = Replay(recorded.opening)
        replay.tellsPlayersMotion = true
        player = recorded.player
        openedAt = recorded.opening.openedAt
        now = recorded.opening.now
        self.cipher = cipher
        self.journal = journal
    }

    var departed: [PeerState] { replay.engine.departed }

    func play(_ entry: TapeEntry, at time: HostTime) {
        replay.play(entry, at: time, cipher: cipher)
        now = max(now, time)
        for case .event(let event) in replay.outputs where isWanted(event) { journal.publish(event) }
    }

    private func isWanted(_ event: RoomEvent) -> Bool {
        guard let player else { return true }
        if case .motion(let own, _) = event { return own == player }
        return EventRecord(event, openedAt: openedAt).concerns(player)
    }

    /// Questions are answered as they were true then; of a command the answer is that it was taken.
    func ask(_ command: RoomCommand, _ reply: @Sendable (Result<RoomAnswer, RoomError>) -> Void) {
        switch command {
        case .alive, .status, .peers, .departed, .players, .motion, .teaching(.taught):
            requests += 1
            let answer = replay.answer(command, RequestID(rawValue: .max - requests), at: now, cipher: cipher)
            reply(answer.map(onlyWanted))
        case .identify, .play, .send, .sendNewest: reply(.success(.done))
        case .frames, .offer, .endOffer, .accept, .decline, .kick, .lock, .unlock, .rezero, .move, .swap, .rename,
            .teaching, .deliver, .change, .detect, .luggage, .depart, .watermarks:
            reply(.failure(RoomError(.badOption, "this is a recorded evening: nobody in it can be changed")))
        }
    }

    private func onlyWanted(_ answer: RoomAnswer) -> RoomAnswer {
        guard let player, case .players(let players, let queue) = answer else { return answer }
        return .players(players.filter { $0.player == player }, queue: queue)
    }
}

extension RoomLoop {
    /// Starts the thread on a recorded evening: what comes to its ports is taken, and nobody's.
    func start(replaying recorded: RoomReplay, on sockets: Sockets, cipher: LinkCipher) {
        startThread(on: sockets) { [self] sockets in
            let turns = ReplayTurns(recorded, cipher: cipher, journal: journal)
            let unread = IncomingBatch()
            var letters: [LoopInput] = []
            var isOpen = true
            while isOpen {
                let wake = sockets.link.wait(orFor: bell, and: nil)
                if wake.contains(.datagrams) { _ = try? sockets.link.receive(into: unread) }
                mailbox.drain(into: &letters)
                for letter in letters {
                    switch letter {
                    case .replay(let entries):
                        for (entry, time) in entries { turns.play(entry, at: time) }
                        replayedTo.withLock { $0 = turns.now }
                    case .command(let command, let reply): turns.ask(command, reply)
                    case .record(_, let done): done()
                    case .control: break
                    case .close, .abandon: isOpen = false
                    }
                }
            }
            return turns.departed
        }
    }
}

extension Room {
    /// Whether its thread still runs.
    package var isOpen: Bool { loop.isRunning }

    /// Plays entries of the recorded evening; false while too many wait, or when the room has closed.
    package func play(_ entries: [(entry: TapeEntry, at: HostTime)]) -> Bool { loop.post(.replay(entries)) }
}
