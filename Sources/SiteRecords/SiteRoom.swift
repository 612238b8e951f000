import WireProtocol

/// A room as its site sees it: what `rf.SITE.ROOM.status` says once a second, and whenever something changes.
package struct SiteRoom: Hashable, Sendable, Codable {
    /// The form's version.
    package var v = 1
    package var site: String
    /// 32 hexadecimal digits.
    package var room: String
    package var name: String
    /// The machine's name.
    package var host: String
    /// Wall clock, ms since 1970.
    package var at: Double
    /// When the room opened, as its events say it; another one means that it was closed in between.
    package var opened: String
    package var game: String?
    package var policy: String
    package var seats: Int
    package var freeSeats: Int
    package var isLocked: Bool
    /// Who want a seat and have none.
    package var waiting: Int
    /// The first 64 who have a seat.
    package var players: [Player]
    /// All who have one.
    package var playing: Int
    /// What is wrong, in words; the first 16.
    package var problems: [String]
    /// The room's last word: it closes.
    package var isClosing: Bool
    /// How its way to the broker stands.
    package var buffer: SiteStanding?
    /// Whether guests of the site's lobbies may be sent there.
    package var takesGuests: Bool?

    package struct Player: Hashable, Sendable, Codable {
        package var player: Int
        package var name: String
        /// `#rrggbb`.
        package var color: String
        /// `good`, `poor` or `silent`.
        package var link: String
        /// 0 to 1, of the last complete 5 s.
        package var quality: Double?

        package init(player: Int, name: String, color: String, link: String, quality: Double?) {
            self.player = player
            self.name = name
            self.color = color
            self.link = link
            self.quality = quality
        }
    }

    /// Whether a room that is not seen among others is meant by this word: by its id, the beginning of it, or its name,
    /// letter by letter, as one that is called so in another case may be another.
    package static func isMeant(by word: String, name: String, room: String) -> Bool {
        let word = Designation(word)
        return [Designation.Way.wholeID, .name, .beginningOfID].contains {
            word.means(id: room, name: name, by: $0)
        }
    }

    /// No room has more seats.
    private static let mostSeats = 10_000
    package static let mostPlayers = 64
    package static let mostProblems = 16

    package init(
        site: String, room: String, name: String, host: String, at: Double, opened: String, game: String?,
        policy: String,
        seats: Int, freeSeats: Int, isLocked: Bool, waiting: Int, players: [Player], playing: Int, problems: [String],
        isClosing: Bool = false, buffer: SiteStanding? = nil, takesGuests: Bool? = nil
    ) {
        self.site = site
        self.room = room
        self.name = name
        self.host = host
        self.at = at
        self.opened = opened
        self.game = game
        self.policy = policy
        self.seats = seats
        self.freeSeats = freeSeats
        self.isLocked = isLocked
        self.waiting = waiting
        self.players = players
        self.playing = playing
        self.problems = problems
        self.isClosing = isClosing
        self.buffer = buffer
        self.takesGuests = takesGuests
    }

    /// The same but for what passes by itself: whether there is news.
    package func says(_ other: SiteRoom) -> Bool {
        var (one, two) = (self, other)
        (one.at, two.at, one.buffer, two.buffer) = (0, 0, nil, nil)
        for index in one.players.indices { one.players[index].quality = nil }
        for index in two.players.indices { two.players[index].quality = nil }
        return one == two
    }

    /// The least quality of those whose quality is known.
    package var worstQuality: Double? { players.compactMap(\.quality).min() }
}

extension SiteRoom {
    /// Without what moves a terminal, words that have no end, and numbers that no room has and others would add up: any
    /// host of the site may have written it.
    package var fitForUse: SiteRoom {
        var room = self
        room.name = spoken(name, atMost: 128)
        room.host = spoken(host, atMost: 128)
        room.problems = problems.prefix(Self.mostProblems).map { spoken($0, atMost: 512) }
        room.players = players.prefix(Self.mostPlayers).map { player in
            var player = player
            player.name = spoken(player.name, atMost: 128)
            return player
        }
        room.seats = Self.count(seats)
        room.freeSeats = Self.count(freeSeats)
        room.playing = Self.count(playing)
        room.waiting = Self.count(waiting)
        return room
    }

    private static func count(_ number: Int) -> Int { min(max(number, 0), mostSeats) }
}
