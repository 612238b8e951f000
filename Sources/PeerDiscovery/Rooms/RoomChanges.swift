/// The changes of a browser's list, as one reader sees them.
public struct RoomChanges: AsyncSequence, Sendable {
    public typealias Element = RoomChange
    public typealias Failure = Never

    let board: RoomBoard

    public func makeAsyncIterator() -> Iterator { Iterator(board: board, bell: board.bell().makeAsyncIterator()) }

    /// Yields the differences from one call to the next; an unread list costs nothing, as only its newest state is
    /// kept.
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
