/// Folds what is heard of rooms into a list, asks each whether it is still there, and pins the list to a board.
@AvahiThread
final class RoomSearch {
    /// So many announcements are a crowd, and of a crowd is told at most once in this time.
    private static let crowd = 64
    private static let moment = Duration.milliseconds(20)

    private let board: RoomBoard
    private let game: GameLabel?
    private let mode: DiscoveryMode
    private let interface: String?
    private let asksRooms: Bool
    private var directory = PeerDirectory()
    private var watch = RoomWatch()
    private var probes: [DiscoveredRoom.Claim: PortProbe] = [:]
    private var alarm: (time: Duration, task: Task<Void, Never>)?
    /// What the watch has not been told yet.
    private var news: [RoomChange] = []
    private var pause: Task<Void, Never>?
    private var isToldLate = false
    private let opened = ContinuousClock.now
    private lazy var search = ServiceSearch(
        type: game?.subtype ?? ServiceType.room, mode: mode, interface: interface, listener: self)

    nonisolated init(
        game: GameLabel?, mode: DiscoveryMode, interface: String?, asksRooms: Bool, board: RoomBoard
    ) {
        self.game = game
        self.mode = mode
        self.interface = interface
        self.asksRooms = asksRooms
        self.board = board
    }

    func open() { search.open() }

    func close() {
        search.close()
        for probe in probes.values { probe.cancel() }
        probes = [:]
        alarm?.task.cancel()
        alarm = nil
        pause?.cancel()
        pause = nil
    }

    private var now: Duration { ContinuousClock.now - opened }

    private func apply(_ event: DiscoveryEvent) {
        news += directory.apply(event)
        if pause == nil { tell() } else { isToldLate = true }
        guard directory.mayHaveMissedSome else { return }
        directory.beginAnew()
        // Not from within the search's own callback.
        AvahiThread.later { [weak self] in self?.search.browseAnew() }
    }

    /// Tells readers and the watch what is new.
    ///
    /// Both take time that grows with the list, so in a crowd what comes within a moment is told together: thousands of
    /// announcements would else cost the product.
    private func tell() {
        isToldLate = false
        board.post(directory, hasNewRooms: !news.isEmpty)
        if asksRooms { perform(watch.note(news, now: now)) }
        news = []
        setAlarm()
        guard directory.announcements > Self.crowd else { return }
        pause = Task { [weak self] in
            try? await Task.sleep(for: Self.moment)
            if !Task.isCancelled { self?.pauseIsOver() }
        }
    }

    private func pauseIsOver() {
        pause = nil
        if isToldLate { tell() }
    }

    // MARK: Asking rooms

    private func perform(_ actions: [RoomWatch.Action]) {
        for action in actions {
            switch action {
            case .probe(let claim, let endpoints):
                probes[claim] = PortProbe(endpoints) { [weak self] in self?.settled(claim, at: $0) }
            case .abandon(let claim): probes.removeValue(forKey: claim)?.cancel()
            }
        }
    }

    private func settled(_ claim: DiscoveredRoom.Claim, at endpoint: RoomEndpoint?) {
        probes.removeValue(forKey: claim)?.cancel()
        let (change, actions) = watch.settled(claim, at: endpoint, now: now)
        perform(actions)
        if let change { apply(.checked(claim, change)) } else { setAlarm() }
    }

    private func timePassed() {
        alarm = nil
        for claim in watch.overdue(at: now) { settled(claim, at: nil) }
        perform(watch.advance(to: now))
        setAlarm()
    }

    /// Owned by the search and cancelled with it.
    private func setAlarm() {
        let next = watch.nextDeadline
        guard next != alarm?.time else { return }
        alarm?.task.cancel()
        alarm = next.map { time in
            let task = Task { [weak self, opened] in
                try? await Task.sleep(until: opened + time, clock: .continuous)
                if !Task.isCancelled { self?.timePassed() }
            }
            return (time, task)
        }
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
