/// The rooms of a site, as they were heard of; those that said nothing for a while are silent.
package struct SiteDirectory: Sendable {
    package struct Entry: Hashable, Sendable {
        package var room: SiteRoom
        /// Since its last word, ms, by the listener's own clock.
        package var heardAt: Double
    }

    /// A room tells of itself once a second.
    package static let silentAfter = 3_500.0
    /// A site has rooms, not thousands; what a stranger makes up has an end.
    package static let mostRooms = 2_000

    private var entries: [String: Entry] = [:]

    package init() {}

    /// - Parameter now: the listener's monotonic clock, ms.
    package mutating func note(_ room: SiteRoom, now: Double) {
        guard entries[room.room] != nil || entries.count < Self.mostRooms else { return }
        entries[room.room] = Entry(room: room, heardAt: now)
    }

    /// By name, and of one name by host.
    package func entries(now: Double) -> [(entry: Entry, silentForMs: Double?)] {
        entries.values.sorted {
            ($0.room.name, $0.room.host, $0.room.room) < ($1.room.name, $1.room.host, $1.room.room)
        }
        .map { entry in
            let silence = now - entry.heardAt
            return (entry, silence >= Self.silentAfter ? silence : nil)
        }
    }

    /// Why none is meant, or more than one.
    package enum Unclear: Error, Hashable, Sendable {
        case noRooms
        case nobody(known: [String])
        case several([String])
    }

    /// The one that is meant: by its name, its id or the beginning of it (at least 4 digits); without a word, the only one.
    ///
    /// Rooms that say that they close are none.
    package func find(_ word: String?) throws(Unclear) -> SiteRoom {
        let rooms = entries(now: 0).map(\.entry.room).filter { !$0.isClosing }
        guard !rooms.isEmpty else { throw .noRooms }
        let meant =
            if let word {
                rooms.filter { $0.isMeant(by: word) }
            } else { rooms }
        if let one = meant.first, meant.count == 1 { return one }
        let labels = (meant.isEmpty ? rooms : meant).map { "\"\($0.name)\" (\($0.room.prefix(8)), on \($0.host))" }
        throw meant.isEmpty ? .nobody(known: labels) : .several(labels)
    }
}
