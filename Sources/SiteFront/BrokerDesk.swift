import Foundation
package import RoomRecords
import SiteBroker
package import SiteRecords
import WireProtocol

/// The site as a room's doors see it, by its broker: it listens while somebody asks, and for half a minute after that.
///
/// It has a connection and, where the site has credentials, a user of its own: what the host may is enough to hear how rooms
/// stand, and too little to read or ask others.
package actor BrokerDesk: SiteDesk {
    private struct Line {
        var connection: BrokerConnection
        var watch: SiteWatch
        var absent: [AbsentRoom] = []
        var lookedAt: Double?
    }

    /// So many follow at once; each has a connection of its own, so that a slow one holds up nobody.
    static let mostFollowers = 16
    /// Nobody asked for so long: nothing is listened to any more.
    private static let idle: Duration = .seconds(30)
    /// How often the stream is looked through for rooms that say nothing, ms.
    private static let looking = 30_000.0
    static let refusal = RoomError(
        .badOption,
        "this host tells its site of its own room alone: open it with --site-operator, and the file operator.credentials of the site"
    )

    private let options: SiteOptions
    private let executor = BrokerExecutor("roomful.site.desk")
    private var line: Line?
    private var opening: Task<BrokerConnection, any Error>?
    /// What was heard before the broker went.
    private var past: SiteWatch?
    private var problem: String?
    private var pause = GrowingPause()
    private var nextTry = ContinuousClock.now
    private var askedAt = ContinuousClock.now
    /// When it left a broker on which it heard nobody.
    private var gaveUpAt = ContinuousClock.now - .seconds(60)
    private var followers = 0

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The site that a room belongs to.
    package init(_ options: SiteOptions) { self.options = options }

    private nonisolated var broker: String { options.place }

    /// Serves until the room closes.
    package func run(until room: any HostedRoom) async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                while !Task.isCancelled {
                    try? await Task.sleep(for: .seconds(5))
                    await self.rest()
                }
            }
            await room.untilClosed()
            group.cancelAll()
        }
        hangUp()
    }

    private func rest() {
        if ContinuousClock.now - askedAt > Self.idle { hangUp() }
    }

    private func hangUp() {
        line?.connection.close()
        (line, past) = (nil, nil)
    }

    // MARK: How it stands

    package func overview() async -> SiteOverview {
        let line = try? await listening()
        let watch = line?.watch ?? past
        let entries = watch?.entries ?? []
        let heard = Set(entries.map(\.entry.room.room))
        return SiteOverview(
            site: options.site.text, broker: broker, problem: line == nil ? problem : nil,
            listeningForMs: line?.watch.now ?? 0, opensRooms: options.opensWholeSite,
            rooms: entries.map { SiteOverview.Room(room: $0.entry.room, silentForMs: $0.silentForMs) },
            absent: (line?.absent ?? []).filter { !heard.contains($0.room) })
    }

    /// The connection by which it listens; begun where there is none.
    private func listening() async throws -> Line {
        askedAt = .now
        if let line, line.connection.hasEnded {
            past = line.watch
            line.connection.close()
            self.line = nil
        }
        if let line, options.addresses.count > 1, line.watch.now > 2 * SiteDirectory.silentAfter,
            line.watch.entries.allSatisfy({ $0.silentForMs != nil }), ContinuousClock.now - gaveUpAt > .seconds(60)
        {
            gaveUpAt = .now
            // Not even this room is heard: the broker is cut off from the others of its cluster.
            past = line.watch
            line.connection.giveUp()
            self.line = nil
        }
        if line == nil { try await call() }
        lookForAbsent()
        guard let line else { throw BrokerError(.closed, problem ?? "the broker has ended the connection") }
        return line
    }

    private func call() async throws {
        if opening == nil {
            guard ContinuousClock.now >= nextTry else { return }
            let options = options
            opening = Task { try await Self.connection(options) }
        }
        guard let mine = opening else { return }
        do {
            let connection = try await mine.value
            // Of several who waited for it, the first one begins.
            guard opening == mine else { return }
            opening = nil
            line = Line(connection: connection, watch: try SiteWatch(connection, options.site))
            (problem, past) = (nil, nil)
            pause.reset()
        } catch {
            guard opening == mine else { throw error }
            (opening, problem) = (nil, "\(error)")
            nextTry = .now + .milliseconds(pause.milliseconds())
            throw error
        }
    }

    /// Rooms that had fallen silent before anybody listened are known to the stream alone.
    private func lookForAbsent() {
        guard let line, line.watch.now > SiteDirectory.silentAfter,
            line.lookedAt.map({ line.watch.now - $0 > Self.looking }) ?? true
        else { return }
        self.line?.lookedAt = line.watch.now
        let heard = Set(line.watch.entries.map(\.entry.room.room))
        Task {
            let found = try? await AbsentRoom.all(of: line.connection, line.watch.subjects, but: heard)
            if let found, self.line?.connection === line.connection { self.line?.absent = found }
        }
    }

    static func connection(_ options: SiteOptions) async throws -> BrokerConnection {
        var options = options
        options.credentials = options.operatorCredentials ?? options.credentials
        return try await BrokerConnection.open(options, name: "roomful desk")
    }

    // MARK: Other rooms

    package func ask(_ request: OperatorRequest, of room: String) async throws -> OperatorReply {
        try await explained {
            let (line, room) = try await self.meant(room)
            return try await line.connection.ask(request, of: room, line.watch.subjects)
        }
    }

    private func meant(_ room: String) async throws -> (Line, SiteRoom) {
        let line = try await listening()
        return (line, try await line.watch.found(room, at: broker))
    }

    package func follow(_ wish: SiteWish, _ send: @escaping @Sendable (SiteLine) async throws -> Void) async throws {
        try await asFollower { try await SiteFollowing(options: self.options, wish: wish).run(send) }
    }

    package func follow(
        room: String, motion: Bool, _ send: @escaping @Sendable (EventRecord) async throws -> Void
    ) async throws {
        try await asFollower {
            let (_, meant) = try await self.meant(room)
            let following = RoomFollowing(options: self.options, room: meant, motion: motion)
            try await following.run(greeting: { try await self.greeting(of: meant) }, send)
        }
    }

    private func greeting(of room: SiteRoom) async throws -> EventRecord.Hello {
        guard case .hello(let hello) = try await ask(OperatorRequest(.events), of: room.room).event else {
            throw RoomError(.network, "\"\(room.name)\" does not say who is there: its host has another version")
        }
        return hello
    }

    private func asFollower(_ work: @Sendable () async throws -> Void) async throws {
        try await explained {
            guard self.followers < Self.mostFollowers else {
                throw RoomError(
                    .full, "\(Self.mostFollowers) follow the site by this room already: read its stream at the broker")
            }
            self.followers += 1
            defer { self.followers -= 1 }
            try await work()
        }
    }

    /// What the broker says against it is this room's answer.
    private func explained<Answer: Sendable>(_ work: () async throws -> Answer) async throws -> Answer {
        guard options.opensWholeSite else { throw Self.refusal }
        do {
            return try await work()
        } catch let error as BrokerError {
            throw RoomError(.network, error.message)
        }
    }
}
