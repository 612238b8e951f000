package import SiteRecords

/// The whole site as the doors of one of its rooms see it: who is where, what happens, and commands to any room.
///
/// It needs the site's broker, and comes back by itself when that does. None of it holds up the room.
package protocol SiteDesk: Sendable {
    /// The site's rooms as they stand, with why nothing new is heard where that is so. From when it is asked on, it listens.
    func overview() async -> SiteOverview

    /// Has a room of the site carry out what an operator asks.
    ///
    /// - Parameter room: its name, its id, or the beginning of it.
    /// - Throws: ``RoomError``, the room's own or why it was not asked.
    func ask(_ request: OperatorRequest, of room: String) async throws -> OperatorReply

    /// Sends what the rooms of the site tell, in each room's order, and goes on by itself where the broker went and came;
    /// ends when the task is cancelled, or with what `send` throws.
    ///
    /// - Throws: ``RoomError`` when this host may not read the site's stream, or too many do.
    func follow(_ wish: SiteWish, _ send: @escaping @Sendable (SiteLine) async throws -> Void) async throws

    /// Sends a room's events as its own door would, `hello` first, from now on; ends when the broker goes or the room closes.
    ///
    /// - Throws: ``RoomError``, as above, and where the room does not answer.
    func follow(room: String, motion: Bool, _ send: @escaping @Sendable (EventRecord) async throws -> Void) async throws
}

/// What somebody wants to hear of a site's stream.
package struct SiteWish: Hashable, Sendable {
    /// Begin after this place in the stream; `nil` for what comes from now on.
    package var after: UInt64?
    /// Only of this room: its name, its id, or the beginning of it.
    package var room: String?
    /// Only events of these types. Gaps come always.
    package var types: [String]?

    package init(after: UInt64? = nil, room: String? = nil, types: [String]? = nil) {
        (self.after, self.room, self.types) = (after, room, types)
    }
}

/// One line for whoever follows a site: JSON, with the place in the stream to go on after, where it has one.
package struct SiteLine: Hashable, Sendable {
    package var sequence: UInt64?
    package var json: [UInt8]

    package init(sequence: UInt64? = nil, json: [UInt8]) { (self.sequence, self.json) = (sequence, json) }
}

/// How the rooms of a site stand.
package struct SiteOverview: Hashable, Sendable, Codable {
    package struct Room: Hashable, Sendable, Codable {
        /// Its last word.
        package var room: SiteRoom
        /// Since its last word, ms; `nil` while it speaks.
        package var silentForMs: Double?

        package init(room: SiteRoom, silentForMs: Double?) { (self.room, self.silentForMs) = (room, silentForMs) }
    }

    package var site: String
    /// Its broker's address, without secrets.
    package var broker: String
    /// Why nothing new is heard, and what to do; `nil` while the broker is there.
    package var problem: String?
    /// For how long it has been listened, ms: each room speaks once a second.
    package var listeningForMs: Double
    /// Whether other rooms may be asked and followed from here.
    package var opensRooms: Bool
    package var rooms: [Room]
    /// Those that the stream knows, and of which nothing was heard.
    package var absent: [AbsentRoom]

    package init(
        site: String, broker: String, problem: String?, listeningForMs: Double, opensRooms: Bool, rooms: [Room],
        absent: [AbsentRoom]
    ) {
        (self.site, self.broker, self.problem, self.listeningForMs) = (site, broker, problem, listeningForMs)
        (self.opensRooms, self.rooms, self.absent) = (opensRooms, rooms, absent)
    }
}

/// A room of which a site's stream has events, which did not say that it closes, and of which nothing is heard.
package struct AbsentRoom: Hashable, Sendable, Codable {
    package var room: String
    package var name: String
    package var host: String
    /// When the broker got its last event: RFC 3339.
    package var lastToldAt: String

    package init(room: String, name: String, host: String, lastToldAt: String) {
        (self.room, self.name, self.host, self.lastToldAt) = (room, name, host, lastToldAt)
    }
}
