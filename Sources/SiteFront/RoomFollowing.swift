import Foundation
import RoomRecords
import SiteBroker
import SiteRecords

/// Hands on another room's events as its own door tells them: `hello`, then what the stream gets from then on, and motion.
struct RoomFollowing: Sendable {
    let options: SiteOptions
    let room: SiteRoom
    let motion: Bool
    private var subjects: SiteSubjects { SiteSubjects(options.site) }

    init(options: SiteOptions, room: SiteRoom, motion: Bool) {
        (self.options, self.room, self.motion) = (options, room, motion)
    }

    /// - Parameter greeting: asks the room how it stands.
    func run(
        greeting: @Sendable () async throws -> EventRecord.Hello,
        _ send: @escaping @Sendable (EventRecord) async throws -> Void
    ) async throws {
        let connection = try await BrokerDesk.connection(options)
        defer { connection.close() }
        // What happens after the greeting comes behind this place; what lies between both was told by it.
        let last = try await connection.stream(subjects.stream)?.last ?? 0
        let hello = try await greeting()
        try await send(.hello(hello))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await tellEvents(connection, behind: last, after: hello.after, send) }
            if motion { group.addTask { try await tellMotion(connection, send) } }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func tellEvents(
        _ connection: BrokerConnection, behind place: UInt64, after: Int,
        _ send: @Sendable (EventRecord) async throws -> Void
    ) async throws {
        var reader = StreamReader(
            connection, stream: subjects.stream, filter: subjects.events(room.room), from: .sequence(place + 1))
        try await reader.read { record in
            guard let told = try? JSONDecoder().decode(SiteEvent.self, from: Data(record.payload)) else { return true }
            // It was opened anew, by whatever clock: its numbers begin anew, and whoever follows it asks anew.
            guard told.opened == room.opened else { return false }
            guard told.n > after, let event = told.event else { return true }
            try await send(event)
            if case .room(let change) = event, change.state == .closing { return false }
            return true
        }
    }

    /// Motion comes for as long as somebody wants it; the newest wins.
    private func tellMotion(
        _ connection: BrokerConnection, _ send: @escaping @Sendable (EventRecord) async throws -> Void
    ) async throws {
        let (motions, feed) = AsyncStream.makeStream(of: [UInt8].self, bufferingPolicy: .bufferingNewest(512))
        try connection.hear(subjects.allMotion(room.room), atMost: 4_096) { feed.yield($0.payload) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                while !Task.isCancelled {
                    try connection.publish([], to: subjects.want(room.room))
                    try await Task.sleep(for: .seconds(5))
                }
            }
            group.addTask {
                for await payload in motions {
                    let record = try? JSONDecoder().decode(EventRecord.self, from: Data(payload))
                    if case .motion(let motion) = record { try await send(.motion(motion)) }
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
