import WireProtocol

/// Which site a room belongs to, and how its host reaches the broker.
public struct SiteOptions: Hashable, Sendable {
    /// `nats://HOST:PORT` or `tls://HOST:PORT`; without a port 4222. A user and password may stand in it. Of a cluster up to
    /// eight, with commas between: the first that answers is taken, and another one when it is gone.
    public var broker: String
    /// What the site is called: its rooms share one broker with other sites by it.
    public var site: SiteName
    /// A file with `USER:PASSWORD`, a token, or NATS's own credentials (`.creds`); `nil` for none but the URL's.
    public var credentials: String?
    /// Whom to believe about the broker's certificate: a file of certificates in PEM; `nil` for the system's.
    public var authorities: String?
    /// Whether everybody's motion is published all the time, rather than for as long as somebody asks for it.
    public var publishesMotion: Bool
    /// A file with the site's key, 64 hexadecimal digits: with it the room can outlive its host. `nil` for a room that ends
    /// with its host.
    public var key: String?
    /// A file as ``credentials``, of the site's operator: with it this room's doors tell of the whole site, and carry commands to
    /// its other rooms. `nil` for a site without credentials, where every host may, and for rooms that only tell of themselves.
    public var operatorCredentials: String?
    /// Whether this room serves the site's lobby at `/lobby/`, and takes its guests: in which order free seats are given.
    public var lobby: LobbyOrder?
    /// Whether this host only takes over a room that another one opened.
    public var isStandby = false
    /// Whether the room plays on where its host cannot reach the broker, though a standby could act in its place: nobody
    /// takes it over then but by hand.
    public var playsOnWhenCut = false
    /// Whether this host takes the room over as it starts, whatever speaks against it: whoever says so knows that no other
    /// host plays on.
    public var takesOver = false

    /// The site `main` of this broker, without credentials.
    public init(
        broker: String, site: SiteName = .usual, credentials: String? = nil, authorities: String? = nil,
        publishesMotion: Bool = false
    ) {
        self.broker = broker
        self.site = site
        self.credentials = credentials
        self.authorities = authorities
        self.publishesMotion = publishesMotion
    }

    package static let mostBrokers = 8

    /// Where the broker is, or those of its cluster; empty where one of them is no address.
    package var addresses: [BrokerAddress] {
        let texts = broker.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmed)
        guard texts.count <= Self.mostBrokers, !hasCommaInSecret else { return [] }
        let addresses = texts.compactMap { BrokerAddress(String($0)) }
        return addresses.count == texts.count ? addresses : []
    }

    /// Half of a password is no host's name: it would be looked up and printed.
    private var hasCommaInSecret: Bool {
        broker.split(separator: ",").dropFirst().contains { $0.contains("@") && !$0.contains("://") }
    }

    /// The same as people read it, without whatever is secret.
    package var place: String { addresses.map(\.description).joined(separator: ", ") }

    /// Whether the broker lets this host read other rooms' events, and ask them.
    package var opensWholeSite: Bool { operatorCredentials != nil || credentials == nil }

    /// What cannot be used, and what to write instead; `nil` when all can.
    package var problem: String? {
        let addresses = addresses
        if hasCommaInSecret { return "site: write a comma in a user's name, password or token as %2C" }
        guard !addresses.isEmpty else {
            return "site takes the broker's address, such as nats://127.0.0.1:4222 or tls://broker.example.org, "
                + "or up to \(Self.mostBrokers) of a cluster with commas between"
        }
        if authorities != nil, !addresses.allSatisfy(\.isSecure) {
            return "site-ca is for an encrypted connection: write tls://… in place of nats://…"
        }
        if credentials == nil, Set(addresses.map { $0.user == nil }).count > 1 {
            return "site: some of the brokers have a user and some have none; write one to each, or give "
                + "site-credentials"
        }
        if takesOver, !isStandby { return "take-over goes with standby: it is for another host than the room's own" }
        if key == nil, isStandby {
            return "standby goes with site-key: the file that roomful site init wrote, the same on both hosts"
        }
        return nil
    }
}
