package import RoomRecords

/// One record of a site's stream: an event of a room, as the public schema has it, with whose it is.
///
/// ```json
/// {"v":1,"room":"9f…","name":"Hall","host":"arcade-3","opened":"2026-11-22T18:00:00.125Z","n":17,"event":{"type":"gesture",…}}
/// ```
/// Numbers begin at 0 with the room's `hello` each time that it opens, and only grow: between the records of one `room` and
/// `opened` none is missing, but where a `gap` says so.
package struct SiteEvent: Hashable, Sendable, Codable {
    /// The form's version.
    package var v = 1
    /// 32 hexadecimal digits.
    package var room: String
    package var name: String
    /// The machine's name.
    package var host: String
    /// When the room was opened: RFC 3339, UTC, with ms. Another one is another numbering.
    package var opened: String
    /// In a room that can outlive its host: which of its owners tells this, from 1.
    package var epoch: UInt64?
    /// In such a room: when this owner opened it, which is what `at` 0 means in its events.
    package var openedHere: String?
    /// The event's number; of a gap its last.
    package var n: Int
    package var event: EventRecord?
    /// In place of an event: those of these numbers are not in the stream.
    package var gap: Gap?

    package struct Gap: Hashable, Sendable, Codable {
        package var first: Int
        package var last: Int
    }
}
