import Foundation
import RoomRecords
package import SiteBroker
package import SiteRecords

/// Where the reading of a site's stream begins, and what is to be said of it beside.
package struct SiteReading: Hashable, Sendable {
    /// Where it begins.
    package var start: StreamReader.Start
    /// The stream is another one than that which gave the number: it is read from its beginning.
    package var isNew = false
    /// These were asked for, and are no longer kept.
    package var missing: ClosedRange<UInt64>?
    /// The newest record when it began.
    package var last: UInt64

    /// - Throws: ``BrokerError`` with code `noStream` where no room has told anything yet.
    package init(_ wanted: StreamReader.Start, of connection: BrokerConnection, _ subjects: SiteSubjects) async throws {
        guard let stream = try await connection.stream(subjects.stream) else {
            throw BrokerError(
                .noStream,
                "\(connection.place.address) keeps no events of site \"\(subjects.site)\" yet: the first room makes the stream"
            )
        }
        (start, last) = (wanted, stream.last)
        // What is told while the broker is away counts, too.
        if wanted == .new { start = .sequence(stream.last + 1) }
        guard case .sequence(let number) = start else { return }
        if number > stream.last + 1 {
            (start, isNew) = (.all, true)
        } else if number < stream.first {
            missing = number...stream.first - 1
        }
    }
}

extension StreamRecord {
    /// A site's record with its place in the stream (`seq`), as one line; `nil` for what is no JSON object.
    package var line: [UInt8]? {
        guard var object = try? JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any] else { return nil }
        object["seq"] = sequence
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        return (try? JSONSerialization.data(withJSONObject: object, options: options)).map { Array($0) }
    }
}

extension SiteEvent {
    /// Whether a room is meant by this word: its name, its id, or the beginning of it (4 digits at least).
    package func isOf(_ word: String) -> Bool {
        SiteRoom.isMeant(by: word, name: name, room: room)
    }
}
