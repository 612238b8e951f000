import Foundation
import Roomful
import SiteBroker
import SiteFront
import SiteRecords

/// An operator's way to one room of a site, from any machine that reaches its broker.
struct SiteClient: RoomOperator {
    let connection: BrokerConnection
    let room: SiteRoom
    private let subjects: SiteSubjects

    /// - Parameter room: its name, its id or the beginning of it; `nil` where the site has only one.
    init(_ options: SiteOptions, room: String?) async throws {
        connection = try await BrokerConnection.open(options)
        let watch = try SiteWatch(connection, options.site)
        self.room = try await watch.hear(room, at: options.place)
        subjects = watch.subjects
    }

    init(_ connection: BrokerConnection, _ room: SiteRoom, _ subjects: SiteSubjects) {
        (self.connection, self.room, self.subjects) = (connection, room, subjects)
    }

    func ask(_ request: OperatorRequest) async throws -> OperatorReply {
        try await connection.ask(request, of: room, subjects)
    }

    func follow(
        after: Int?, motion _: Bool, _ isMore: (EventRecord, _ lost: Int) throws -> Bool, begun: () async throws -> Void
    ) async throws {
        let stream = try await connection.stream(subjects.stream)
        try await begun()
        var reader = StreamReader(
            connection, stream: subjects.stream, filter: subjects.events(room.room),
            from: after == nil ? .sequence((stream?.last ?? 0) + 1) : .all)
        try await reader.read { record in
            guard let told = try? JSONDecoder().decode(SiteEvent.self, from: Data(record.payload)),
                told.opened == room.opened, told.n > after ?? 0, let event = told.event
            else { return true }
            return try isMore(event, 0)
        }
    }
}
