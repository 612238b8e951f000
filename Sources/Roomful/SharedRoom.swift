import Logging
import RoomRecords
package import RoomServer
import SiteRecords
import SiteSuccession
import Synchronization
import WebFront

/// A room that several hosts of a site could own: this host's part, which opens it whenever it is its own.
package final class SharedRoom: Sendable {
    private struct State {
        /// By which it is opened here next.
        var options: RoomOptions
        var isStopped = false
        /// It was stopped as the host ends, which is no reason to close the room.
        var isLeft = false
        var isOpen = false
        /// It was open here before.
        var wasOpen = false
        var keeper: RoomKeeper?
    }

    private static let logger = Logger(label: "roomful.site")
    private let options: RoomOptions
    private let state: Mutex<State>

    /// - Parameter options: with a site and its key.
    package init(_ options: RoomOptions) {
        self.options = options
        state = Mutex(State(options: options))
    }

    /// By which it is opened here next.
    package var nextOptions: RoomOptions { state.withLock { $0.options } }

    /// Whether it is open here, or on the way to that or from it.
    package var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Looks over other options for a room that may not be open here; nothing changes before ``open(next:)``.
    ///
    /// - Returns: the present ones with what of these is taken over.
    /// - Throws: ``RoomError`` with code `badOption`.
    package func prepare(_ wanted: RoomOptions) throws -> RoomOptions {
        let options = try nextOptions.taking(wanted)
        _ = try WebPages(playing: options.play, serving: options.serve)
        return options
    }

    /// Opens the room by these, the next time that it is this host's.
    package func open(next options: RoomOptions) { state.withLock { $0.options = options } }

    /// Takes part until the room is closed here, or ``stop()`` is called.
    ///
    /// - Parameters:
    ///   - begun: is called once nothing on this machine keeps it from taking part. A standby may yet have to find the room.
    ///   - host: opens the room with these options, and returns when it has closed: what was wrong with it then, if anything.
    /// - Throws: what `host` throws or returns, and whatever keeps this host from taking part.
    package func run(
        begun: () -> Void = {}, _ host: @Sendable (RoomOptions) async throws -> (any Error)?
    ) async throws {
        guard let site = options.site, let file = site.key else {
            throw RoomError(.badOption, "a room that can outlive its host needs --site and --site-key")
        }
        if let problem = options.problem { throw RoomError(.badOption, problem) }
        let key = try SiteKey(file: file)
        let folder = try RoomFolder(options)
        defer { folder.release() }
        begun()
        guard let room = try await room(site, folder) else { return }
        let keeper = RoomKeeper(
            RoomKeeper.Plan(
                site: site, key: key, name: options.name, room: room, host: try folder.hostNumber(),
                keys: try folder.placeOfKeys()))
        let isStopped = state.withLock { state in
            state.keeper = keeper
            return state.isStopped
        }
        guard !isStopped else { return }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await keeper.run() }
            defer { keeper.stop() }
            for await tenure in keeper.tenures {
                guard try await serve(tenure, keeper, folder, host) else { break }
            }
        }
    }

    /// Ends taking part, once a room that is open here has closed.
    ///
    /// - Parameter leaving: the host ends, and nobody wants the room closed.
    package func stop(leaving: Bool) {
        let keeper = state.withLock { state in
            (state.isStopped, state.isLeft) = (true, leaving)
            return state.isOpen ? nil : state.keeper
        }
        keeper?.stop()
    }

    private func room(_ site: SiteOptions, _ folder: RoomFolder) async throws -> String? {
        guard site.isStandby else { return try folder.madeRoom() }
        if let room = try folder.knownRoom() { return room }
        let found = await RoomSearch(options.name, in: site).run { [self] in state.withLock { $0.isStopped } }
        if let found { try folder.follow(found) }
        return found
    }

    /// Opens the room for as long as it is this host's.
    ///
    /// - Returns: whether this host stands by from then on.
    private func serve(
        _ tenure: KeptTenure, _ keeper: RoomKeeper, _ folder: RoomFolder,
        _ host: (RoomOptions) async throws -> (any Error)?
    ) async throws -> Bool {
        // Another host has had the room since: what this one would put in its folder is older.
        if tenure.isOver { return !state.withLock { $0.isStopped } }
        let (mayOpen, isAgain) = state.withLock { state in
            defer { state.wasOpen = state.wasOpen || state.isOpen }
            state.isOpen = !state.isStopped
            return (state.isOpen, state.wasOpen)
        }
        defer { state.withLock { $0.isOpen = false } }
        var failure: (any Error)?
        var refusal: (any Error)?
        if mayOpen {
            Self.logger.notice("\"\(options.name)\": opens here (epoch \(tenure.epoch), \(tenure.cause))")
            do {
                if let heritage = tenure.adopted { try await folder.adopt(heritage) }
                var options = nextOptions
                options.tenure = tenure
                if options.recording != nil, isAgain {
                    options.recording = nil
                    Self.logger.warning(
                        "\"\(options.name)\": goes on unrecorded: the recording ended when another host had the room")
                }
                refusal = try await host(options)
            } catch {
                failure = error
            }
        }
        if tenure.isOver, failure == nil { return !state.withLock { $0.isStopped } }
        // A host that cannot have it open does not close it for everybody.
        let mayClose = mayOpen && (failure == nil || state.withLock { $0.isStopped && !$0.isLeft })
        var isKnown = true
        if mayClose || tenure.giveUp() { isKnown = await keeper.closed(tenure) }
        if let failure {
            let then = tenure.isHandover ? "another host may go on with it" : "it is this host's until it is back"
            Self.logger.warning("\"\(options.name)\": cannot be open here; \(mayClose ? "it is closed" : then)")
            throw failure
        }
        if !isKnown {
            Self.logger.warning(
                "\"\(options.name)\": the broker could not be told that the room is closed here: a standby may go on with it"
            )
        }
        if let refusal { throw refusal }
        return tenure.isHandover && isKnown && !state.withLock { $0.isStopped }
    }
}
