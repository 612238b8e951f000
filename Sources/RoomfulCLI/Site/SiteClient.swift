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

    /// From now on, whatever number is named: what was told before is read by ``SiteEvents``.
    func follow(
        after _: EventPlace?, motion _: Bool, _ isMore: (EventRecord, _ lost: Int) throws -> Bool,
        begun: () async throws -> Void
    ) async throws {
        let last = try await connection.stream(subjects.stream)?.last ?? 0
        try await begun()
        try await connection.follow(room, subjects, from: .sequence(last + 1), after: 0) { try isMore($0, 0) }
    }
}
