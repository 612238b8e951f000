import LeaseStorage
import RoomEngine
import SessionCoordinator
import Synchronization
import WireProtocol

/// What the room's thread wants written to disk or said on a control connection, in its order.
///
/// The thread never waits for either: a task of its own takes everything that has gathered, commits all changes at
/// once, and only then says what was to be said. So a seat is answered after it is safe, and a hundred joinings share
/// one commit.
final class Outbox: Sendable {
    enum Item: Sendable {
        case commit([LeaseChange], thenSay: ConversationID?, ControlMessage?)
        case say(ConversationID, ControlMessage)
        case close(ConversationID)
        /// Keeps what a player brings along with the lease of this controller.
        case keep(ControllerID, PlayerTalents)
        /// Tells those with a seat whether the room is recorded, as it is when this is said.
        case recorded
        /// Keeps whether newcomers are let in, for a host that is not closed but ends.
        case door(isLocked: Bool)
        /// Keeps whom the operator keeps out, for the same.
        case banned([ControllerID])
    }

    private struct Contents {
        var items: [Item] = []
        /// The newest alone: however fast an operator's script locks and unlocks, the disk need not keep up.
        var isLocked: Bool?
        var banned: [ControllerID]?
    }

    private let contents = Mutex(Contents())
    private let signal = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    func post(_ item: Item) {
        contents.withLock { contents in
            switch item {
            case .door(let isLocked): contents.isLocked = isLocked
            case .banned(let controllers): contents.banned = controllers
            case .commit, .say, .close, .keep, .recorded: contents.items.append(item)
            }
        }
        signal.continuation.yield()
    }

    func finish() { signal.continuation.finish() }

    /// Works until ``finish()`` was called and everything before it is done.
    func run(
        commit: ([LeaseChange]) async -> Void, perform: (Item) -> Void
    ) async {
        for await _ in signal.stream { await drain(commit, perform) }
        await drain(commit, perform)
    }

    private func drain(
        _ commit: ([LeaseChange]) async -> Void, _ perform: (Item) -> Void
    ) async {
        let (batch, isLocked, banned) = contents.withLock { contents in
            defer {
                contents.items.removeAll(keepingCapacity: true)
                (contents.isLocked, contents.banned) = (nil, nil)
            }
            return (contents.items, contents.isLocked, contents.banned)
        }
        let changes = batch.flatMap { item -> [LeaseChange] in
            if case .commit(let changes, _, _) = item { changes } else { [] }
        }
        if !changes.isEmpty { await commit(changes) }
        for item in batch { perform(item) }
        if let isLocked { perform(.door(isLocked: isLocked)) }
        if let banned { perform(.banned(banned)) }
    }
}
