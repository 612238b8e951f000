import Datagrams
public import Identity
public import InputMerge
public import PeerDiscovery
public import PrivateFiles
public import RoomRecords
import RoomEngine
package import SessionCoordinator
public import SiteRecords

/// What a host decides about its room before it opens.
public struct RoomOptions: Sendable {
    /// Who may take a seat.
    public enum Policy: String, Sendable, CaseIterable {
        /// Whoever brings the room's code, or its ticket.
        case code
        /// Everyone.
        case open
        /// Whom the operator accepts.
        case ask

        package var core: RoomConfiguration.Policy {
            switch self {
            case .code: .code
            case .open: .open
            case .ask: .ask
            }
        }
    }

    /// Whose motion drives whom.
    public enum Mode: String, Sendable, CaseIterable {
        /// Each controller is its own player.
        case competitive
        /// All controllers drive player 1.
        case collaborative

        package var core: RoomConfiguration.Mode {
            switch self {
            case .competitive: .competitive
            case .collaborative: .collaborative
            }
        }
    }

    /// Who names phones that join by browser.
    public enum Names: String, Sendable, CaseIterable {
        /// The host: `Blue Otter`. The operator may rename.
        case auto
        /// Their players, if they like.
        case free

        package var core: RoomConfiguration.Names { self == .auto ? .auto : .free }
    }

    /// Whether games on this machine may talk to the room by plain HTTP, on 127.0.0.1.
    public enum HTTP: Hashable, Sendable {
        /// No port is opened.
        case off
        /// The one of last time, 8720, or any other that is free.
        case any
        /// This one, or the room does not open.
        case port(UInt16)

        static let usualPort: UInt16 = 8_720
    }

    /// How the room makes itself known.
    public typealias Discovery = DiscoveryMode

    /// What people see: 1 to 63 bytes, no control characters, no backslash.
    public var name: String
    /// A label for the game, a DNS-SD subtype: 2 to 62 of a-z, 0-9 and hyphen; `nil` for the name of the bundled game
    /// that is played, if any.
    public var game: String?
    /// 1 to 10,000.
    public var seats: Int
    /// Who may take a seat.
    public var policy: Policy
    /// Whose motion drives whom.
    public var mode: Mode
    /// The code that admits, where the policy is `code`: one of eight digits, that people type; `nil` makes a new one.
    public var code: AdmissionCode?
    /// TCP and UDP; 0 takes any that is free.
    public var port: UInt16
    /// Plain HTTP for games on this machine.
    public var http: HTTP = .any
    /// Whether games at the loopback port need no token: any user of this machine may then play and read.
    public var opensLoopback: Bool = false
    /// The bundled game at `/game/`.
    public var play: String?
    /// A folder with a game of your own at `/game/`, read anew at each request.
    public var serve: String?
    /// Origins of development servers whose pages may use the room, such as `http://localhost:5173`.
    public var allowedOrigins: [String] = []
    /// Who names phones that join by browser.
    public var names: Names = .auto
    /// A UDP port for controllers that send KeepCalm's frames of 36 bytes, unsealed; 0 takes any that is free, `nil`
    /// opens none. The operator accepts each source.
    public var legacyPort: UInt16?
    /// Silence after which a seat is lost: 1 s to 10 min.
    public var idle: Duration = .seconds(10)
    /// How long a lost seat is kept: 0 to 24 h.
    public var grace: Duration = .seconds(30)
    /// For exhibits: once nobody has played on a controller for so long, its name, taught gestures, sensitivity and scores
    /// go, and the next visitor begins as anybody does; 10 s to 24 h, `nil` for never.
    public var idleReset: Duration?
    /// For exhibits: when newcomers are let in, by the host's local time; `nil` for always.
    public var hours: OpeningHours?
    /// How long datagrams may gather, where several come within that time, before they are read together: 0 to 5 ms.
    /// More saves processor time and delays every event by up to as much, of browsers up to twice; and whatever else this
    /// program does on SwiftNIO's singleton threads while many browsers play.
    public var gather: Duration = .microseconds(500)
    /// How the room makes itself known.
    public var discovery: Discovery = .auto
    /// Where figures are served, as `host:port`: Prometheus's text at `/metrics`, and `/healthz`. Plain HTTP: keep it to
    /// loopback, or to a network that you trust.
    public var metrics: MetricsAddress?
    /// A certificate of the operator's own, which phones' browsers trust without a warning; `nil` for the room's.
    public var certificate: CertificateFiles?
    /// What browsers are told instead of the room's own address: a reverse proxy, a tunnel, or a name that
    /// ``certificate`` is for.
    public var url: PublicURL?
    /// Advertises on this network interface only; `nil` for all.
    public var interface: String?
    /// Where leases, keys and the operator's socket live; `nil` for the user's own folder.
    public var state: StateFolder?
    /// How samples become gestures.
    public var merge: MergeConfiguration = MergeConfiguration()
    /// Whether each gesture that begins is answered by a short haptic on its controllers.
    public var answersGesturesWithHaptics: Bool = true
    /// What controllers look for themselves, so that it is felt without a way to the host and back: `tap`. The host decides
    /// all the same; a `local` event says whether it saw what a controller found.
    public var localGestures: [GestureKind] = []
    /// Where the whole evening is recorded, from its first moment on; `nil` for nowhere.
    public var recording: RecordingOptions?
    /// The key of the labels that stand for people in every recording of this room, also in those that are begun
    /// later; as ``RecordingOptions/pseudonymKey``, which goes before it.
    public var pseudonymKey: [UInt8]?
    /// Which site the room belongs to, and by which broker; `nil` for none.
    public var site: SiteOptions?
    /// Which program hosts the room, with its version, for recordings that are begun later.
    package var program: String?
    /// A recorded evening that is played in place of what comes to the ports.
    package var replay: RoomReplay?
    /// The paper's jump is watched for as a contest is about it, or for old controllers, and not by a file of gestures.
    package var bringsPapersJump = false
    /// The host's time as the room's owner, where the room can outlive it.
    package var tenure: (any RoomTenure)?

    /// A room that is found on the local network, with the usual times.
    ///
    /// - Parameters:
    ///   - seats: 1 to 10,000.
    ///   - port: TCP and UDP; 0 takes any that is free.
    public init(
        name: String, seats: Int = 4, policy: Policy = .code, mode: Mode = .competitive, game: String? = nil,
        port: UInt16 = 0
    ) {
        self.name = name
        self.seats = seats
        self.policy = policy
        self.mode = mode
        self.game = game
        self.port = port
    }

    /// By which the room is found, and told from those that play something else.
    package var label: GameLabel? { (game ?? play).flatMap { GameLabel($0) } }

    /// Which option cannot be used, and what to write instead; `nil` when all can.
    package var problem: String? {
        let terms = RoomTerms.problem(seats: seats, idle: idle, grace: grace, idleReset: idleReset)
        if let terms { return terms }
        guard (Duration.zero ... .milliseconds(5)).contains(gather) else { return "gather must be 0ms to 5ms" }
        if let code, !code.isTyped { return "a room's code has eight digits, as people type it; the long one is made" }
        let local = EngineConfiguration(room: RoomConfiguration(), merge: merge).problem(ofLocal: localGestures)
        return merge.problem ?? local ?? site?.problem
    }
}

/// An address and port to serve figures at.
public struct MetricsAddress: Hashable, Sendable {
    /// A name or an address.
    public var host: String
    /// 0 takes any that is free.
    public var port: UInt16

    /// - Parameters:
    ///   - host: a name or an address.
    ///   - port: 0 takes any that is free.
    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// `127.0.0.1:9464`, `[::1]:9464`, `localhost:9464`.
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        guard !host.isEmpty else { return nil }
        self.init(host: host, port: port)
    }
}
