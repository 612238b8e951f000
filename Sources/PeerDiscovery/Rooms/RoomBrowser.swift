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

    /// - Parameters:
    ///   - game: finds only the rooms that play it; nil finds all.
    ///   - discovery: who looks for them.
    ///   - interface: the name of the only network interface to look around on; nil for all. avahi-daemon looks where
    ///     its own configuration says.
    ///   - asksRooms: whether each room's port is tried now and then; without it every room stays `unchecked`, and this
    ///     process connects to nobody.
    public init(
        game: GameLabel? = nil, discovery: DiscoveryMode = .auto, interface: String? = nil, asksRooms: Bool = true
    ) {
        let board = RoomBoard()
        self.board = board
        let search = RoomSearch(
            game: game, mode: discovery, interface: interface, asksRooms: asksRooms, board: board)
        self.search = search
        if AvahiThread.isRunning {
            AvahiThread.later { search.open() }
        } else {
            board.post(.unavailable(reason: AvahiThread.missing))
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

    /// Stops searching and ends everyone's `changes`; when this returns, the responder has nothing of this browser
    /// left, unless it hangs for more than a second.
    public func stop() async {
        let search = search
        await AvahiThread.perform(within: AvahiThread.patience) { search.close() }
        board.close()
    }
}
