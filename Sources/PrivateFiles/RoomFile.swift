/// What lies in the folder of a room that is hosted here.
package enum RoomFile {
    /// The room's own key and certificate: who it is.
    package static let authority = "authority.pem"
    /// The certificate that its port shows, with its key, for this machine's addresses.
    package static let server = "server.pem"
    /// The seats, and what players taught: SQLite.
    package static let leases = "leases.sqlite"
    /// Held by the host that has the room open.
    package static let hostLock = "host.lock"
    /// Empty: the time of its last writing is when the room was open last.
    package static let lastOpen = "last-open"
    /// Held by the program that takes part in who owns the room.
    package static let ownerLock = "owner.lock"
    /// The codes that admit, the one to type first.
    package static let code = "code"
    /// The TCP and UDP port of last time.
    package static let port = "port"
    /// The port of plain HTTP on this machine.
    package static let httpPort = "http-port"
    /// What games show by HTTP.
    package static let gameToken = "game-token"
    /// What the operator's page shows.
    package static let operatorToken = "operator-token"
    /// Whether the room is locked, while it is open.
    package static let door = "door"
    /// Whom its operator has removed, while it is open.
    package static let banned = "banned"
    /// With this begin the names of recordings out of which motion is collected, while that lasts.
    package static let collecting = "collecting-"
    /// This machine's number among the hosts that may own the room.
    package static let hostID = "host-id"
    /// Which room of its site this folder follows.
    package static let standbyOf = "standby-of"
}
