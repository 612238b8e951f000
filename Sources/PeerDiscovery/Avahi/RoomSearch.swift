internal import CAvahi

/// Browses and resolves through the daemon, whichever daemon there is, and pins the resulting list to a board.
@AvahiThread
final class RoomSearch {
    private let game: GameLabel?
    private let board: RoomBoard
    private var directory = PeerDirectory()
    private var budget = ResolverBudget()
    private var client: AvahiClient?
    private var browser: ServiceBrowser?
    private var resolvers: [Sighting: ServiceResolver] = [:]
    private lazy var link = DaemonLink { [weak self] in self?.linkChanged($0) }

    nonisolated init(game: GameLabel?, board: RoomBoard) {
        self.game = game
        self.board = board
    }

    func open() { link.open() }

    func close() {
        drop()
        link.close()
    }

    private func linkChanged(_ change: DaemonLink.Change) {
        switch change {
        case .ready(let client): if browser == nil { browse(client) }
        case .busy: break  // The daemon's own name concerns nobody who only listens.
        case .missing(let reason):
            drop()
            apply(.backendLost)
            board.post(.unavailable(reason: reason))
        }
    }

    private func browse(_ client: AvahiClient) {
        self.client = client
        let browser = ServiceBrowser(client, game: game) { [weak self] in self?.browserHeard($0) }
        self.browser = browser
        board.post(
            browser.isOpen
                ? .running : .unavailable(reason: "avahi-daemon refuses: \(client.error)"))
    }

    private func browserHeard(_ event: ServiceBrowser.Event) {
        switch event {
        case .added(let sighting):
            apply(.added(sighting))
            if directory.isKnown(sighting) { perform(budget.request(sighting)) }
        case .removed(let sighting):
            apply(.removed(sighting))
            perform(budget.withdraw(sighting))
        case .unreadableName: directory.rejectName()
        case .allForNow: apply(.allForNow)
        case .failed:
            let reason = client.map { "\($0.error)" } ?? "no daemon"
            board.post(.unavailable(reason: "avahi-daemon stopped browsing: \(reason)"))
        }
    }

    private func perform(_ actions: [ResolverBudget.Action]) {
        for action in actions {
            switch action {
            case .open(let sighting): resolve(sighting)
            case .close(let sighting): resolvers.removeValue(forKey: sighting)?.close()
            }
        }
    }

    private func resolve(_ sighting: Sighting) {
        guard let client else { return }
        let resolver = ServiceResolver(client, sighting) { [weak self] in self?.resolved(sighting, $0) }
        resolvers[sighting] = resolver
        // A refusal comes late like an answer, so that the budget is not called from within its own actions.
        if !resolver.isOpen { AvahiThread.later { [weak self] in self?.resolved(sighting, nil) } }
    }

    private func resolved(_ sighting: Sighting, _ resolution: Resolution?) {
        apply(resolution.map { .resolved(sighting, $0) } ?? .unresolved(sighting))
        perform(budget.settle(sighting))
    }

    private func apply(_ event: DiscoveryEvent) {
        let changes = directory.apply(event)
        board.post(directory, hasNewRooms: !changes.isEmpty)
    }

    /// Lets go of everything in the daemon, children before the client.
    private func drop() {
        for resolver in resolvers.values { resolver.close() }
        resolvers = [:]
        budget = ResolverBudget()
        browser?.close()
        browser = nil
        client = nil
    }
}
