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
        self.room = try await watch.hear(room, at: options.address?.description ?? "")
        subjects = watch.subjects
    }

    init(_ connection: BrokerConnection, _ room: SiteRoom, _ subjects: SiteSubjects) {
        (self.connection, self.room, self.subjects) = (connection, room, subjects)
    }

    func ask(_ request: OperatorRequest) async throws -> OperatorReply {
        // An invitation is answered when it has ended.
        let patience: Duration =
            request.task == .invite ? .milliseconds(Int(request.timeout ?? 120_000) + 5_000) : .seconds(10)
        let message: BrokerMessage
        do {
            message = try await connection.request(
                subjects.ask(room.room), Array(try JSONEncoder().encode(request)), within: patience)
        } catch let error as BrokerError where error.code == .nobodyHears {
            throw RoomError(
                .closed, "\"\(room.name)\" on \(room.host) answers nobody: it has closed, or lost the broker")
        }
        guard let reply = try? JSONDecoder().decode(OperatorReply.self, from: Self.withoutControls(message.payload))
        else {
            throw RoomError(.network, "\"\(room.name)\" answered what this version does not understand")
        }
        if let failure = reply.error {
            throw RoomError(RoomError.Code(rawValue: failure.code), failure.message, candidates: failure.candidates)
        }
        return reply
    }

    /// JSON whose texts move no terminal: another host wrote it. Lines stay lines.
    static func withoutControls(_ json: [UInt8]) -> Data {
        func plain(_ value: Any) -> Any {
            switch value {
            case let text as String:
                return String(
                    String.UnicodeScalarView(
                        text.unicodeScalars.filter { $0 == "\n" || $0.properties.generalCategory != .control }))
            case let list as [Any]: return list.map(plain)
            case let object as [String: Any]: return object.mapValues(plain)
            default: return value
            }
        }
        guard let value = try? JSONSerialization.jsonObject(with: Data(json)),
            let data = try? JSONSerialization.data(withJSONObject: plain(value), options: .fragmentsAllowed)
        else { return Data(json) }
        return data
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
