/// What the lobby's page asks: where to go.
package struct LobbyRequest: Hashable, Sendable, Codable {
    /// Who asks, 32 hexadecimal digits: it will be this controller in every room.
    package var controller: String
    /// What nobody else knows, 64 hexadecimal digits, the same each time.
    package var key: String
    /// The long code of the room that serves the lobby, where its policy asks for one.
    package var code: String?
    /// The id of the room to which this phone was sent last.
    package var last: String?
}

/// What the lobby answers: one of the three.
package struct LobbyAnswer: Hashable, Sendable, Codable {
    package var go: Way?
    package var wait: Wait?
    package var error: OperatorReply.Failure?

    package struct Way: Hashable, Sendable, Codable {
        /// The room's id, to be said the next time.
        package var room: String
        package var name: String
        /// What to open: holds what admits, for this controller alone.
        package var url: String
        /// Whether the browser will warn of a certificate that it does not know.
        package var warns: Bool

        package init(room: String, name: String, url: String, warns: Bool) {
            (self.room, self.name, self.url, self.warns) = (room, name, url, warns)
        }
    }

    package struct Wait: Hashable, Sendable, Codable {
        /// From 1; absent where the site cannot be asked.
        package var place: Int?
        /// Rooms that take guests; with none, nothing is to be hoped for soon.
        package var rooms: Int
        /// When to ask again, ms.
        package var again: Int

        package init(place: Int?, rooms: Int, again: Int) {
            (self.place, self.rooms, self.again) = (place, rooms, again)
        }
    }

    package init(go: Way? = nil, wait: Wait? = nil, error: OperatorReply.Failure? = nil) {
        (self.go, self.wait, self.error) = (go, wait, error)
    }
}

/// How a player's way to another room ended well.
package struct MoveReport: Hashable, Sendable, Codable {
    /// 32 hexadecimal digits.
    package var controller: String
    package var name: String
    /// The room where it plays now, and its host.
    package var room: String
    package var host: String
    /// There, from 1.
    package var seat: Int
    package var player: Int

    package init(controller: String, name: String, room: String, host: String, seat: Int, player: Int) {
        (self.controller, self.name, self.room, self.host) = (controller, name, room, host)
        (self.seat, self.player) = (seat, player)
    }
}
