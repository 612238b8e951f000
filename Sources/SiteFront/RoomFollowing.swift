import Foundation
package import RoomRecords
package import SiteBroker
package import SiteRecords

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
            group.addTask {
                try await connection.follow(room, subjects, from: .sequence(last + 1), after: hello.after) { event in
                    try await send(event)
                    return true
                }
            }
            if motion { group.addTask { try await tellMotion(connection, send) } }
            defer { group.cancelAll() }
            try await group.next()
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

extension BrokerConnection {
    /// Hands on what a room tells from a place of its site's stream on, until `isMore` says no, the room closes, or it
    /// was opened anew, by whatever clock: its numbers begin anew then, and whoever follows it asks anew.
    ///
    /// - Parameter number: events up to this one were told before.
    package func follow(
        _ room: SiteRoom, _ subjects: SiteSubjects, from start: StreamReader.Start, after number: Int,
        _ isMore: (EventRecord) async throws -> Bool
    ) async throws {
        var reader = StreamReader(self, stream: subjects.stream, filter: subjects.events(room.room), from: start)
        try await reader.read { record in
            guard let told = try? JSONDecoder().decode(SiteEvent.self, from: Data(record.payload)) else { return true }
            guard told.opened == room.opened else { return false }
            guard told.n > number, let event = told.event else { return true }
            guard try await isMore(event) else { return false }
            if case .room(let change) = event, change.state == .closing { return false }
            return true
        }
    }
}
