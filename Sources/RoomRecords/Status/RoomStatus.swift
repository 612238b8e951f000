package import SiteRecords

/// One room as its operator sees it.
package struct RoomStatus: Hashable, Sendable, Codable {
    package var name: String
    /// 32 hexadecimal digits.
    package var room: String
    package var game: String?
    package var policy: String
    package var mode: String
    package var seats: Int
    package var freeSeats: Int
    package var isLocked: Bool
    /// The TCP and UDP port.
    package var port: Int
    /// What browsers are told instead of the room's own address (`--url`).
    package var url: String?
    /// The UDP port for unsealed frames, where one is open.
    package var legacyPort: Int?
    /// Plain HTTP on 127.0.0.1, where it is on.
    package var httpPort: Int?
    /// 64 hexadecimal digits: SHA-256 of the room authority's public key.
    package var pin: String
    /// What the advertisement says of itself: `published as "…"`, or why it is not.
    package var discovery: String
    /// The same as a word: `off`, `pending`, `published` or `failed`; `nil` of a host that does not tell.
    package var discoveryState: String?
    /// `libsodium` or `swift-crypto`.
    package var sealing: String
    package var uptimeMs: Double
    /// The host's process on its machine.
    package var pid: Int?
    package var peers: [PeerStatus]
    /// Names of those who wait for the operator.
    package var waiting: [String]
    /// Those who want a seat and have none: who waits for the operator, oldest first, then who waits for a seat.
    package var newcomers: [Newcomer]
    /// Arrivals that belong to nobody's ledger.
    package var strangers: Strangers
    /// What the kernel handed over, and what became of it; `nil` of a host that does not tell.
    package var arrivals: Arrivals? = nil
    /// How its way to its site's broker stands; `nil` of a room that is in none.
    package var site: SiteStanding? = nil
    /// `true` while another host may own the room, as its site's broker does not answer: who is here, and who may come in, is
    /// then not known. Whoever does not look at this sees it empty, full and locked: nobody comes in meanwhile.
    package var isSilent: Bool? = nil
    /// Whether the room is recorded; `nil` of a host that does not tell.
    package var isRecorded: Bool? = nil
    /// `nil` where the host did not stand still in the last minute, or does not tell.
    package var standstill: Standstill? = nil
    /// What browsers are shown at the room's port; `nil` of a host that does not tell.
    package var certificate: Certificate? = nil
    /// `nil` where its machine's network is as it was, or where the host does not tell.
    package var network: Network? = nil

    package init(
        name: String, room: String, game: String? = nil, policy: String, mode: String, seats: Int, freeSeats: Int,
        isLocked: Bool, port: Int, url: String? = nil, legacyPort: Int? = nil, httpPort: Int? = nil, pin: String,
        discovery: String, discoveryState: String? = nil, sealing: String, uptimeMs: Double, pid: Int? = nil,
        peers: [PeerStatus], waiting: [String], newcomers: [Newcomer], strangers: Strangers, arrivals: Arrivals? = nil
    ) {
        self.name = name
        self.room = room
        self.game = game
        self.policy = policy
        self.mode = mode
        self.seats = seats
        self.freeSeats = freeSeats
        self.isLocked = isLocked
        self.port = port
        self.url = url
        self.legacyPort = legacyPort
        self.httpPort = httpPort
        self.pin = pin
        self.discovery = discovery
        self.discoveryState = discoveryState
        self.sealing = sealing
        self.uptimeMs = uptimeMs
        self.pid = pid
        self.peers = peers
        self.waiting = waiting
        self.newcomers = newcomers
        self.strangers = strangers
        self.arrivals = arrivals
    }

    package struct Certificate: Hashable, Sendable, Codable {
        /// In seconds since 1970.
        package var ends: Double
        /// It is for its operator to renew; the room's own is made anew by itself.
        package var isOperators: Bool

        package init(ends: Double, isOperators: Bool) {
            self.ends = ends
            self.isOperators = isOperators
        }
    }

    /// Two counts that are kept apart: at the sockets, and in the accounts.
    package struct Arrivals: Hashable, Sendable, Codable {
        /// Datagrams that the kernel, and browsers' connections, handed to the room.
        package var handedOver: Int
        /// Those in every account together: of all peers, those who left included, and of strangers.
        package var classified: Int
        /// From their arrival until the room's thread read them, all of them together; `nil` of a host that does not tell.
        package var waitedMs: Double?

        package init(handedOver: Int, classified: Int, waitedMs: Double? = nil) {
            self.handedOver = handedOver
            self.classified = classified
            self.waitedMs = waitedMs
        }
    }

    package struct Newcomer: Hashable, Sendable, Codable {
        package var name: String
        /// 32 hexadecimal digits: what commands may call it by, as far as it is unlike the others'.
        package var controller: String
        /// For how long it has waited.
        package var waitingMs: Double
        /// Where it connects from.
        package var address: String?
        /// `udp`, `wss`, `post` or `legacy`.
        package var transport: String
        /// Its place in the queue for a seat, from 1; `null`: it waits for the operator.
        @ExplicitNull package var place: Int?
        /// Whether it is connected: a place is kept for 30 s without.
        package var isPresent: Bool
    }

    package struct Strangers: Hashable, Sendable, Codable {
        package var badAuth: Int
        package var unknown: Int
        package var malformed: Int
        /// Thrown away by the kernel for want of room; `null` when it does not say.
        package var kernelDrops: Int?

        package init(badAuth: Int, unknown: Int, malformed: Int, kernelDrops: Int? = nil) {
            self.badAuth = badAuth
            self.unknown = unknown
            self.malformed = malformed
            self.kernelDrops = kernelDrops
        }
    }
}
