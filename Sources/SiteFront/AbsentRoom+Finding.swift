import Foundation
import Identity
package import RoomRecords
package import SiteBroker
package import SiteRecords
import WireProtocol

extension AbsentRoom {
    /// So many rooms are looked after.
    private static let most = 200

    /// - Parameter heard: the ids of those who speak.
    package static func all(of connection: BrokerConnection, _ subjects: SiteSubjects, but heard: Set<String>)
        async throws -> [AbsentRoom]
    {
        var found: [AbsentRoom] = []
        let known = try await connection.subjects(of: subjects.stream, matching: subjects.allEvents)
        for subject in known.prefix(most) {
            guard let room = subjects.room(in: subject), !heard.contains(room),
                let newest = try await connection.newest(in: subjects.stream, of: subject),
                let told = try? JSONDecoder().decode(SiteEvent.self, from: Data(newest.payload))
            else { continue }
            if case .room(let event) = told.event, event.state == .closing { continue }
            found.append(
                AbsentRoom(
                    room: room, name: spoken(told.name, atMost: 128), host: spoken(told.host, atMost: 128),
                    lastToldAt: newest.storedAt ?? ""))
        }
        return found
    }
}
