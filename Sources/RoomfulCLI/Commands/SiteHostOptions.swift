public import ArgumentParser
import Roomful
public import SiteRecords

/// What an owner does that cannot reach its room's log.
enum WhenCut: String, ExpressibleByArgument, CaseIterable { case yield, play }

extension LobbyOrder: ExpressibleByArgument {}

/// Which site a room that is opened belongs to.
struct SiteHostOptions: ParsableArguments {
    @Option(
        help: """
            Tell a site what happens here, by its NATS broker: nats://HOST:PORT, or tls://HOST:PORT; of a cluster several, with \
            commas between. roomful site shows all its rooms.
            """)
    var site: String?
    @Option(help: "What the site is called: 1 to 32 of a-z, 0-9 and hyphen; else main.") var siteName: String?
    @Option(
        help: "A file with USER:PASSWORD, a token, or NATS's own credentials.", completion: .file(),
        transform: String.ofPath)
    var siteCredentials: String?
    @Option(
        help: "With tls://: whom to believe about the broker's certificate, in PEM.", completion: .file(),
        transform: String.ofPath)
    var siteCa: String?
    @Option(
        help: """
            Let the room outlive this host: a file with the site's key, which roomful site init writes; the same on every \
            host that could go on with it.
            """, completion: .file(), transform: String.ofPath)
    var siteKey: String?
    @Option(
        help: """
            The credentials of the site's operator, in a file: with them this room's operator's page opens the other rooms of \
            the site, too, and /api/events tells of all.
            """, completion: .file(), transform: String.ofPath)
    var siteOperator: String?
    @Flag(help: "Do not open the room: stand by, and go on with it when its host is gone. Needs --site and --site-key.")
    var standby = false
    @Flag(
        help: """
            With --standby: take the room over now, though its host may not be silent or may play on without the broker. \
            Only when it is surely off.
            """)
    var takeOver = false
    @Option(
        help: """
            With --site-key, where the broker does not answer though a standby is ready: yield (fall silent, so that the \
            standby can go on) or play (go on; nobody takes the room over then but by hand).
            """)
    var whenCut = WhenCut.yield
    @Option(
        help: """
            Serve the site's lobby at /lobby/, and take its guests: one QR code (roomful qr --lobby) sends each phone to a free \
            seat of any such room that plays the same. spread: the emptiest room first; fill: one room after the other.
            """)
    var lobby: LobbyOrder?
    @Flag(help: "Tell the site everybody's motion all the time, and not only when somebody asks for it.")
    var siteMotion = false

    /// - Throws: ``RoomError`` with code `badOption`, naming the option.
    func options() throws -> SiteOptions? {
        guard let site else {
            if let other = [
                ("--site-name", siteName != nil), ("--site-credentials", siteCredentials != nil),
                ("--site-ca", siteCa != nil), ("--site-motion", siteMotion), ("--site-key", siteKey != nil),
                ("--site-operator", siteOperator != nil), ("--standby", standby), ("--take-over", takeOver),
                ("--lobby", lobby != nil), ("--when-cut", whenCut != .yield),
            ].first(where: \.1) {
                throw RoomError(.badOption, "\(other.0) goes with --site nats://HOST:PORT")
            }
            return nil
        }
        var options = SiteOptions(broker: site, site: try Self.named(siteName))
        options.credentials = siteCredentials
        options.authorities = siteCa
        options.publishesMotion = siteMotion
        options.key = siteKey
        options.operatorCredentials = siteOperator
        options.lobby = lobby
        options.isStandby = standby
        options.takesOver = takeOver
        options.playsOnWhenCut = whenCut == .play
        if let problem = options.problem { throw RoomError(.badOption, "--\(problem)") }
        guard siteKey != nil || whenCut == .yield else {
            throw RoomError(.badOption, "--when-cut goes with site-key: without it nobody could take the room over")
        }
        VisibleSecret.warn(of: options, option: "--site")
        return options
    }

    static func named(_ text: String?) throws -> SiteName {
        guard let text else { return .usual }
        guard let name = SiteName(text) else { throw RoomError(.badOption, "--site-name: \(SiteName.rule)") }
        return name
    }
}
