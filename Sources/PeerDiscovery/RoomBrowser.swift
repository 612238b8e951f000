/// Finds the rooms on the local network, for as long as it is not stopped.
///
/// ```swift
/// let browser = RoomBrowser()
/// for await change in browser.changes { print(change) }
/// ```
/// It starts at once and survives avahi-daemon's restarts: meanwhile the rooms stay listed as `unconfirmed`. Everything it
/// tells is a hint, because any device can announce anything; who a room is, its certificate proves.
public final class RoomBrowser: Sendable {
    private let board: RoomBoard
    private let search: RoomSearch

    /// - Parameter game: finds only the rooms that play it; nil finds all.
    public init(game: GameLabel? = nil) {
        let board = RoomBoard()
        self.board = board
        let search = RoomSearch(game: game, board: board)
        self.search = search
        if AvahiThread.isRunning {
            AvahiThread.later { search.open() }
        } else {
            board.post(.unavailable(reason: "no thread for discovery; free some memory or file descriptors"))
            board.close()
        }
    }

    deinit {
        let search = search
        AvahiThread.later { search.close() }
        board.close()
    }

    /// What changes in the list: first every room that is there, as having appeared, then the differences as they come.
    ///
    /// Each reader has its own. A slow one sees fewer and larger steps, and always arrives at the right list.
    public var changes: RoomChanges { RoomChanges(board: board) }

    /// The list as it is now. Never waits.
    public func snapshot() -> RoomSnapshot { board.snapshot }

    /// Stops searching and ends everyone's `changes`; when this returns, the daemon has nothing of this browser left.
    public func stop() async {
        if AvahiThread.isRunning { await search.close() }
        board.close()
    }
}

/// The rooms nearby at one moment, and how much that list can be relied on.
public struct RoomSnapshot: Sendable, Hashable {
    /// By name, then by claim; at most 1,000.
    public let rooms: [DiscoveredRoom]
    /// The names of all announcements, resolved or not, safe to print; sorted.
    public let displayNames: [String]
    public let availability: DiscoveryAvailability
    /// What was left out.
    public let tally: PeerDirectory.Tally

    /// The rooms of that name, however it was typed: as announced or as displayed.
    ///
    /// Names that differ only in how Unicode composes their letters are the same name to a reader.
    public func rooms(named name: String) -> [DiscoveredRoom] {
        rooms.filter { $0.name == name || $0.displayName == name }
    }
}

/// Whether rooms can be found at all.
public enum DiscoveryAvailability: Sendable, Hashable {
    case starting
    case running
    /// For this reason, with what to do about it; it goes on by itself when the reason is gone.
    case unavailable(reason: String)
}

/// The changes of a browser's list, as one reader sees them.
public struct RoomChanges: AsyncSequence, Sendable {
    public typealias Element = RoomChange
    public typealias Failure = Never

    let board: RoomBoard

    public func makeAsyncIterator() -> Iterator { Iterator(board: board, bell: board.bell().makeAsyncIterator()) }

    public struct Iterator: AsyncIteratorProtocol {
        let board: RoomBoard
        var bell: AsyncStream<Void>.Iterator
        /// The list as the reader knows it once `pending` is through.
        private var known: [DiscoveredRoom] = []
        private var pending: ArraySlice<RoomChange> = []

        init(board: RoomBoard, bell: AsyncStream<Void>.Iterator) {
            self.board = board
            self.bell = bell
        }

        public mutating func next() async -> RoomChange? { await next(isolation: nil) }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> RoomChange? {
            while pending.isEmpty {
                guard await bell.next(isolation: actor) != nil else { return nil }
                let rooms = board.snapshot.rooms
                pending = RoomChange.between(known, rooms)[...]
                known = rooms
            }
            return pending.popFirst()
        }
    }
}
