/// All that was found out about this machine and its network, before anybody judges it.
package struct DoctorFacts: Hashable, Sendable {
    package var interfaces: [NetworkInterface] = []
    /// The interface that the way out of this network leads through, where there is one.
    package var outward: String?
    /// One for each interface and IP version that could carry multicast.
    package var trials: [MulticastTrial] = []
    /// Other programs on this machine with a socket at UDP port 5353.
    package var holders: [PortHolder] = []
    /// Addresses of other devices that answered a question by multicast DNS; at most 64.
    package var neighbours: [String] = []
    package var firewall: Firewall = .unknown
    package var daemon = Daemon()
    /// Why Roomful cannot answer by itself, by libavahi-core; `nil` if it can.
    package var coreProblem: String? = "libavahi-core was not looked for"
    /// Who is to announce and find rooms, as ``RoomOptions`` have it.
    package var discovery = RoomOptions.Discovery.auto
    package var rooms: OwnRooms = .untried
    package var machine = MachineFacts()

    package init() {}

    package var hasAvahiCore: Bool { coreProblem == nil }

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
    package struct Daemon: Hashable, Sendable {
        /// Whether anybody listens at the system bus.
        package var hasBus = false
        /// This user may not ask.
        package var isBusForbidden = false
        /// Where the system bus should be.
        package var busPath = ""
        package var answers = false
        /// Somebody took the question, and said nothing for 2 s.
        package var hangs = false
        /// What it says instead, where it says anything.
        package var reason: String?

        package init() {}
    }
}

/// A network interface that is up, loopback left out.
package struct NetworkInterface: Hashable, Sendable {
    package var name: String
    /// Without ports and prefix lengths; IPv4 first.
    package var addresses: [String]
    package var carriesMulticast: Bool

    package init(_ name: String, _ addresses: [String], carriesMulticast: Bool = true) {
        self.name = name
        self.addresses = addresses
        self.carriesMulticast = carriesMulticast
    }
}

/// One question asked by multicast DNS on one interface, and what became of it.
package struct MulticastTrial: Hashable, Sendable {
    package enum Version: String, Hashable, Sendable {
        case ipv4 = "IPv4"
        case ipv6 = "IPv6"
        /// Multicast DNS's group (RFC 6762, 3).
        package var group: String { self == .ipv4 ? "224.0.0.251" : "ff02::fb" }
    }

    /// Errors are the system's, `errno`.
    package enum Outcome: Hashable, Sendable {
        case notOpened(Int32)
        case notJoined(Int32)
        case notSent(Int32)
        /// And whether anything came in: our own question, or what another device says.
        case sent(hears: Bool)
    }

    package var interface: String
    package var version: Version
    package var outcome: Outcome

    package init(_ interface: String, _ version: Version, _ outcome: Outcome) {
        self.interface = interface
        self.version = version
        self.outcome = outcome
    }

    package var isOpen: Bool {
        switch outcome {
        case .notOpened, .notJoined: false
        case .notSent, .sent: true
        }
    }

    /// `eth0 (IPv4)`.
    package var place: String { "\(interface) (\(version.rawValue))" }
}

/// A program that has a socket at multicast DNS's port.
package struct PortHolder: Hashable, Sendable {
    /// `nil` where this user may not look.
    package var program: String?
    package var pid: Int32?
    /// Whose it is: `avahi`, or a number where the user has no name.
    package var user: String

    package init(_ program: String?, pid: Int32? = nil, user: String = "root") {
        self.program = program
        self.pid = pid
        self.user = user
    }
}

/// What seems to filter packets on this machine, for advice that can be typed.
package enum Firewall: Hashable, Sendable { case ufw, firewalld, nftables, unknown }

/// Whether rooms of this machine are found by this machine.
package enum OwnRooms: Hashable, Sendable {
    case untried
    /// Nothing could be announced, for this reason.
    case impossible(String)
    /// Those that run here, or the doctor's own that was announced for a moment.
    case tried([OwnRoom], isTest: Bool)
}

/// How one room of this machine was looked for.
package struct OwnRoom: Hashable, Sendable {
    package var name: String
    /// Whether it is announced at all (`--discovery none` is not).
    package var isAnnounced = true
    /// Milliseconds until it was found; `nil` if it was not.
    package var foundAfter: Int?
    /// Found addresses at which its TCP port answered.
    package var reached: [String] = []
    package var unreached: [String] = []

    package init(_ name: String) { self.name = name }
}
