import WireProtocol

/// The rooms of a site, as they were heard of; those that said nothing for a while are silent.
package struct SiteDirectory: Sendable {
    package struct Entry: Hashable, Sendable {
        package var room: SiteRoom
        /// Since its last word, ms, by the listener's own clock.
        package var heardAt: Double
        /// Another opening of the same room, and when that was heard last.
        fileprivate var former: Opening?
        /// When the two took turns last.
        fileprivate var alternatedAt: Double?
    }

    fileprivate struct Opening: Hashable, Sendable {
        var opened: String
        var heardAt: Double
    }

    private static let twins =
        "two hosts speak as this room, and commands reach both: was a host's folder copied? End one of them"

    /// A room tells of itself once a second.
    package static let silentAfter = 3_500.0
    /// Who has listened for so long has heard all that live, be one of them late once, ms.
    package static let listening = 2_200.0
    /// A site has rooms, not thousands; what a stranger makes up has an end.
    package static let mostRooms = 2_000

    private var entries: [String: Entry] = [:]

    package init() {}

    /// - Parameter now: the listener's monotonic clock, ms.
    package mutating func note(_ room: SiteRoom, now: Double) {
        guard entries[room.room] != nil || entries.count < Self.mostRooms else { return }
        var entry = Entry(room: room, heardAt: now)
        if let known = entries[room.room] {
            (entry.former, entry.alternatedAt) = (known.former, known.alternatedAt)
            if known.room.opened != room.opened {
                // One that was opened anew never speaks as before again.
                if let former = known.former, former.opened == room.opened, now - former.heardAt < Self.silentAfter {
                    entry.alternatedAt = now
                }
                entry.former = Opening(opened: known.room.opened, heardAt: known.heardAt)
            }
        }
        entries[room.room] = entry
    }

    /// By name, and of one name by host.
    package func entries(now: Double) -> [(entry: Entry, silentForMs: Double?)] {
        entries.values.sorted {
            ($0.room.name, $0.room.host, $0.room.room) < ($1.room.name, $1.room.host, $1.room.room)
        }
        .map { entry in
            var entry = entry
            let silence = now - entry.heardAt
            if let last = entry.alternatedAt, now - last < Self.silentAfter { entry.room.problems.append(Self.twins) }
            return (entry, silence >= Self.silentAfter ? silence : nil)
        }
    }

    /// Why none is meant, or more than one.
    package enum Unclear: Error, Hashable, Sendable {
        case noRooms
        case nobody(known: [String])
        case several([String])
    }

    /// The one that is meant (``Designation``); without a word, the only one.
    ///
    /// Rooms that say that they close are none.
    package func find(_ word: String?) throws(Unclear) -> SiteRoom {
        let rooms = entries(now: 0).map(\.entry.room).filter { !$0.isClosing }
        guard !rooms.isEmpty else { throw .noRooms }
        let meant = word.map(rooms.meant(by:)) ?? rooms
        if let one = meant.first, meant.count == 1 { return one }
        let labels = (meant.isEmpty ? rooms : meant).map { "\"\($0.name)\" (\($0.room.prefix(8)), on \($0.host))" }
        throw meant.isEmpty ? .nobody(known: labels) : .several(labels)
    }
}

extension [SiteRoom] {
    /// Those that are meant, in the first way in which any is (``Designation``).
    package func meant(by word: String) -> [SiteRoom] {
        Designation(word).choose { isMeant in filter { isMeant($0.room, $0.name, nil) } }
    }
}
