internal import Synchronization

/// Finds the controllers that wait nearby to be called, for as long as it is not stopped.
///
/// It starts at once and survives the responder's comings and goings. Everything it tells is a hint, because any device
/// can announce anything.
public final class ControllerBrowser: Sendable {
    private let board = ControllerBoard()
    private let search: ControllerSearch

    /// - Parameters:
    ///   - discovery: who looks for them.
    ///   - interface: the name of the only network interface to look around on; nil for all. avahi-daemon looks where
    ///     its own configuration says.
    public init(discovery: DiscoveryMode = .auto, interface: String? = nil) {
        let search = ControllerSearch(mode: discovery, interface: interface, board: board)
        self.search = search
        if AvahiThread.isRunning {
            AvahiThread.later { search.open() }
        } else {
            board.state.withLock { $0.availability = .unavailable(reason: AvahiThread.missing) }
        }
    }

    deinit {
        let search = search
        AvahiThread.later { search.close() }
    }

    /// The list as it is now, by name. Never waits for the network.
    public var controllers: [DiscoveredController] { board.state.withLock { $0.directory }.controllers }

    /// Whether waiting controllers can be found at the moment, and if not, why.
    public var availability: DiscoveryAvailability { board.state.withLock { $0.availability } }

    /// Stops searching; when this returns, the responder has nothing of this browser left.
    public func stop() async {
        let search = search
        await AvahiThread.perform(within: AvahiThread.patience) { search.close() }
    }
}

/// Where the searching thread leaves what it heard.
private final class ControllerBoard: Sendable {
    struct State {
        var directory = ControllerDirectory()
        var availability = DiscoveryAvailability.starting
    }

    let state = Mutex(State())
}

/// Folds what is heard of waiting controllers into a list.
@AvahiThread
private final class ControllerSearch: SearchListener {
    private let board: ControllerBoard
    private let mode: DiscoveryMode
    private let interface: String?
    private lazy var search = ServiceSearch(
        type: ServiceType.controller, mode: mode, interface: interface, listener: self)

    nonisolated init(mode: DiscoveryMode, interface: String?, board: ControllerBoard) {
        self.mode = mode
        self.interface = interface
        self.board = board
    }

    func open() { search.open() }
    func close() { search.close() }

    func heard(_ event: DiscoveryEvent) {
        let now = ContinuousClock.now
        let asksAnew = board.state.withLock { state in
            state.directory.apply(event, at: now)
            guard state.directory.mayHaveMissedSome else { return false }
            state.directory.beginAnew()
            return true
        }
        // Not from within the search's own callback.
        if asksAnew { AvahiThread.later { [weak self] in self?.search.browseAnew() } }
    }

    func heardUnreadableName() {}

    func wants(_ sighting: Sighting) -> Bool { board.state.withLock { $0.directory.isKnown(sighting) } }

    func searchBecame(_ availability: DiscoveryAvailability, by backend: DiscoveryBackend?) {
        board.state.withLock { $0.availability = availability }
    }
}
