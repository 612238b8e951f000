import Foundation
import Identity
import Roomful
import SiteBroker
import SiteFront
import SiteRecords

/// A room of which a site's stream has events, which did not say that it closes, and of which nothing is heard.
struct AbsentRoom: Encodable {
    var room: String
    var name: String
    var host: String
    /// When the broker got its last event: RFC 3339.
    var lastToldAt: String

    /// So many rooms are looked after.
    private static let most = 200

    /// - Parameter heard: the ids of those who speak.
    static func all(of connection: BrokerConnection, _ subjects: SiteSubjects, but heard: Set<String>) async throws
        -> [AbsentRoom]
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

    var line: String {
        TerminalText.isolated(
            "\(name): silent, and did not say that it closes; it was on \(host), and told something at \(lastToldAt)")
    }
}
