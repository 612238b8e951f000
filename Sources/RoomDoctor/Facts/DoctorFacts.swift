import Identity
package import PeerDiscovery

/// All that was found out about this machine and its network, before anybody judges it.
package struct DoctorFacts: Hashable, Sendable {
    var interfaces: [NetworkInterface] = []
    /// The interface that the way out of this network leads through, where there is one.
    var outward: String?
    /// One for each interface and IP version that could carry multicast.
    var trials: [MulticastTrial] = []
    /// Other programs on this machine with a socket at UDP port 5353.
    var holders: [PortHolder] = []
    /// Addresses of other devices that answered a question by multicast DNS; at most 64.
    var neighbours: [String] = []
    var firewall: Firewall = .unknown
    var daemon = Daemon()
    /// Why Roomful cannot answer by itself, by libavahi-core; `nil` if it can.
    var coreProblem: String? = "libavahi-core was not looked for"
    /// Who is to announce and find rooms, as ``RoomOptions`` have it.
    package var discovery = DiscoveryMode.auto
    var rooms: OwnRooms = .untried
    /// How the rooms of this machine that belong to a site stand to its broker.
    var sites: [OwnSite] = []
    /// What the rooms of this machine say of how it stood still in the last minute.
    var standstills: [String] = []
    /// Those of their operators' own that the rooms of this machine show.
    var certificates: [ShownCertificate] = []
    /// Rooms of this machine with controllers that come by TCP alone.
    var unheard: [UnheardRoom] = []
    var machine = MachineFacts()

    init() {}

    var hasAvahiCore: Bool { coreProblem == nil }

    /// What would announce and find rooms, if one were hosted now.
    package enum Backend: Hashable, Sendable { case daemon, embedded, none }

    package var backend: Backend {
        switch discovery {
        // Whoever asks a daemon that hangs waits with it.
        case .auto: daemon.answers ? .daemon : hasAvahiCore && !daemon.hangs ? .embedded : .none
        case .daemon: daemon.answers ? .daemon : .none
        case .embedded: hasAvahiCore ? .embedded : .none
        case .none: .none
        }
    }

    /// How avahi-daemon and what leads to it stand.
    struct Daemon: Hashable, Sendable {
        /// Whether anybody listens at the system bus.
        var hasBus = false
        /// This user may not ask.
        var isBusForbidden = false
        /// Where the system bus should be.
        var busPath = ""
        var answers = false
        /// Somebody took the question, and said nothing for 2 s.
        var hangs = false
        /// What it says instead, where it says anything.
        var reason: String?

        init() {}
    }
}

/// A network interface that is up, loopback left out.
struct NetworkInterface: Hashable, Sendable {
    var name: String
    /// Without ports and prefix lengths; IPv4 first.
    var addresses: [String]
    var carriesMulticast: Bool

    init(_ name: String, _ addresses: [String], carriesMulticast: Bool = true) {
        self.name = name
        self.addresses = addresses
        self.carriesMulticast = carriesMulticast
    }
}

/// One question asked by multicast DNS on one interface, and what became of it.
struct MulticastTrial: Hashable, Sendable {
    enum Version: String, Hashable, Sendable {
        case ipv4 = "IPv4"
        case ipv6 = "IPv6"
        /// Multicast DNS's group (RFC 6762, 3).
        var group: String { self == .ipv4 ? "224.0.0.251" : "ff02::fb" }
    }

    /// Errors are the system's, `errno`.
    enum Outcome: Hashable, Sendable {
        case notOpened(Int32)
        case notJoined(Int32)
        case notSent(Int32)
        /// And whether anything came in: our own question, or what another device says.
        case sent(hears: Bool)
    }

    var interface: String
    var version: Version
    var outcome: Outcome

    init(_ interface: String, _ version: Version, _ outcome: Outcome) {
        self.interface = interface
        self.version = version
        self.outcome = outcome
    }

    var isOpen: Bool {
        switch outcome {
        case .notOpened, .notJoined: false
        case .notSent, .sent: true
        }
    }

    /// `eth0 (IPv4)`.
    var place: String { "\(interface) (\(version.rawValue))" }
}

/// A program that has a socket at multicast DNS's port.
struct PortHolder: Hashable, Sendable {
    /// `nil` where this user may not look.
    var program: String?
    var pid: Int32?
    /// Whose it is: `avahi`, or a number where the user has no name.
    var user: String

    init(_ program: String?, pid: Int32? = nil, user: String = "root") {
        self.program = program
        self.pid = pid
        self.user = user
    }
}

/// What seems to filter packets on this machine, for advice that can be typed.
package enum Firewall: Hashable, Sendable { case ufw, firewalld, nftables, unknown }

/// Whether rooms of this machine are found by this machine.
enum OwnRooms: Hashable, Sendable {
    case untried
    /// Nothing could be announced, for this reason.
    case impossible(String)
    /// Those that run here, or the doctor's own that was announced for a moment.
    case tried([OwnRoom], isTest: Bool)
}

/// How one room of this machine stands to its site.
struct OwnSite: Hashable, Sendable {
    var room: String
    var isConnected: Bool
    /// It lets nobody in, as another host may own it.
    var isSilent: Bool
    /// As `roomful peers` says it.
    var line: String
}

/// A certificate of its operator's own that one room of this machine shows to browsers.
struct ShownCertificate: Hashable, Sendable {
    var room: String
    /// The day of its end: `2027-02-26`.
    var end: String
    var secondsLeft: Double
}

/// A room of this machine with controllers of which no datagram comes.
struct UnheardRoom: Hashable, Sendable {
    var room: String
    var port: UInt16
    /// `P1 Blue Otter`.
    var players: [String]
}

/// How one room of this machine was looked for.
struct OwnRoom: Hashable, Sendable {
    var name: String
    /// Whether it is announced at all (`--discovery none` is not).
    var isAnnounced = true
    /// Milliseconds until it was found; `nil` if it was not.
    var foundAfter: Int?
    /// Found addresses at which its TCP port answered.
    var reached: [String] = []
    var unreached: [String] = []

    init(_ name: String) { self.name = name }
}
