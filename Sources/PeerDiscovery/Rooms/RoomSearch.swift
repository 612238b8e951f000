/// Folds what is heard of rooms into a list, and pins it to a board.
@AvahiThread
final class RoomSearch {
    private let board: RoomBoard
    private let game: GameLabel?
    private let mode: DiscoveryMode
    private let interface: String?
    private var directory = PeerDirectory()
    private lazy var search = ServiceSearch(
        type: game?.subtype ?? ServiceType.room, mode: mode, interface: interface, listener: self)

    nonisolated init(game: GameLabel?, mode: DiscoveryMode, interface: String?, board: RoomBoard) {
        self.game = game
        self.mode = mode
        self.interface = interface
        self.board = board
    }

    func open() { search.open() }

    func close() { search.close() }

    private func apply(_ event: DiscoveryEvent) {
        let changes = directory.apply(event)
        board.post(directory, hasNewRooms: !changes.isEmpty)
    }
}

extension RoomSearch: SearchListener {
    func heard(_ event: DiscoveryEvent) { apply(event) }

    func heardUnreadableName() { directory.rejectName() }

    func wants(_ sighting: Sighting) -> Bool { directory.isKnown(sighting) }

    func searchBecame(_ availability: DiscoveryAvailability, by backend: DiscoveryBackend?) {
        board.post(availability, backend)
    }
}
