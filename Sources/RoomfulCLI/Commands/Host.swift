public import ArgumentParser
import Foundation
import Logging
public import Roomful
import InputMerge
import ServiceLifecycle
import UnixSignals

struct Host: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Host a room that controllers find by its name.",
        discussion: """
            Examples:  roomful host "Living Room" --seats 4
                       roomful host "Duel" --policy open --mode competitive --contest jump --tie replay
            Ctrl-C closes the room: everyone is told, and nothing stays advertised.
            """)

    @Argument(help: "What people see: 1 to 63 bytes.") var name = "Roomful"
    @Option(help: "1 to 10000.") var seats = 4
    @Option(help: "Who may join: code, open or ask.") var policy = RoomOptions.Policy.code
    @Option(help: "competitive: each controller its own player; collaborative: all drive one.")
    var mode = RoomOptions.Mode.competitive
    @OptionGroup var play: PlayOptions
    @Option(help: "A label for the game: a-z, 0-9 and -.") var game: String?
    @Option(help: "TCP and UDP; 0 takes any that is free.") var port: UInt16 = 0
    @Option(help: "Plain HTTP on 127.0.0.1 for games on this machine: a port, any or off.") var http = "any"
    @Option(name: .customLong("play"), help: "Play a bundled game: keepcalm, cube or duel.") var bundledGame: String?
    @Option(help: "Serve a game of your own from this folder at /game/.") var serve: String?
    @Option(help: "Let pages of this origin use the room, such as http://localhost:5173; may be given several times.")
    var allowOrigin: [String] = []
    @Option(help: "Who names phones: auto (the host) or free (their players).") var names = RoomOptions.Names.auto
    @Option(help: "Take KeepCalm's frames of 36 bytes at this UDP port, unsealed; you accept each source.")
    var legacy: UInt16?
    @Option(help: "Silence after which a seat is lost.") var idle = "10s"
    @Option(help: "How long a lost seat is kept.") var grace = "30s"
    @Option(help: "auto: avahi-daemon, or else a responder of our own; daemon, embedded or none.")
    var discovery = RoomOptions.Discovery.auto
    @Option(help: "Advertise on this network interface only.") var interface: String?
    @Option(help: "Serve Prometheus's /metrics, and /healthz, at ADDRESS:PORT, such as 127.0.0.1:9464.")
    var metrics: String?
    @Option(help: "A certificate of your own, with its chain, in PEM; needs --key. Read anew when it is renewed.")
    var cert: String?
    @Option(help: "The private key of --cert, in PEM, without a passphrase.") var key: String?
    @Option(help: "Where browsers reach the room instead of at its port: https://NAME, of a proxy, a tunnel or --cert.")
    var url: String?
    @Flag(inversion: .prefixedNo, help: "Show the QR code; else only on a terminal where it fits.") var qr: Bool?
    @Option(help: "Write the ticket (address, pin, code) to this file, for: roomful join --code-file.")
    var codeFile: String?
    @Option(help: "Thresholds of gestures: a TOML file, a table for each, such as [jump] push = 1.9.")
    var gestures: String?
    @Option(help: "Where keys and seats are kept; else $ROOMFUL_STATE, or ~/.local/state/roomful.") var state: String?
    @Flag(help: "Print events as JSON lines.") var json = false

    func run() async throws {
        try await Failure.explained {
            LoggingSystem.bootstrap { label in
                var handler = StreamLogHandler.standardError(label: label)
                handler.logLevel = .notice
                return handler
            }
            warnOfDescriptors()
            let service = HostService(options: try options(), codeFile: codeFile, json: json, qr: qr)
            var configuration = ServiceGroupConfiguration(
                services: [.init(service: service, successTerminationBehavior: .gracefullyShutdownGroup)],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: Logger(label: "roomful.host"))
            configuration.cancellationSignals = []
            try await ServiceGroup(configuration: configuration).run()
        }
    }

    /// Each controller keeps a connection open; what is short is known before they come.
    private func warnOfDescriptors() {
        let (limit, needed) = (DescriptorLimit.raise(), seats + 128)
        guard limit < needed else { return }
        Failure.say("\(seats) seats need \(needed) open descriptors, and the limit is \(limit); raise it with: ulimit -n \(needed)")
    }

    private func options() throws -> RoomOptions {
        var options = RoomOptions(name: name, seats: seats, policy: policy, mode: mode, game: game, port: port)
        options.legacyPort = legacy
        options.http = try door(http)
        options.play = bundledGame
        options.serve = serve
        options.allowedOrigins = allowOrigin
        options.names = names
        options.idle = try time(idle, "--idle")
        options.grace = try time(grace, "--grace")
        options.discovery = discovery
        options.interface = interface
        if let metrics {
            guard let address = MetricsAddress(metrics) else {
                throw RoomError(.badOption, "--metrics takes an address and a port, such as 127.0.0.1:9464, not \"\(metrics)\"")
            }
            options.metrics = address
        }
        options.url = try url.map { try PublicURL($0) }
        options.certificate = try certificate()
        options.state = try state.map { try StateFolder($0) }
        if let gestures { options.merge.gestures = try GestureFile.read(gestures) }
        try play.apply(to: &options.merge)
        return options
    }

    private func door(_ text: String) throws -> RoomOptions.HTTP {
        switch text {
        case "off": return .off
        case "any": return .any
        default:
            guard let port = UInt16(text) else {
                throw RoomError(.badOption, "--http takes a port, any or off, not \"\(text)\"")
            }
            return .port(port)
        }
    }

    private func certificate() throws -> CertificateFiles? {
        switch (cert, key) {
        case (nil, nil): return nil
        case (let cert?, let key?): return CertificateFiles(certificate: cert, key: key)
        case (_?, nil): throw RoomError(.badOption, "--cert needs --key, the file with its private key")
        case (nil, _?): throw RoomError(.badOption, "--key needs --cert, the file with the certificate and its chain")
        }
    }

    private func time(_ text: String, _ option: String) throws -> Duration {
        guard let time = Figures.duration(text) else {
            throw RoomError(.badOption, "\(option) takes a time such as 10s or 500ms, not \"\(text)\"")
        }
        return time
    }
}

extension RoomOptions.Names: ExpressibleByArgument {}
extension RoomOptions.Policy: ExpressibleByArgument {}
extension RoomOptions.Mode: ExpressibleByArgument {}
extension RoomOptions.Discovery: ExpressibleByArgument {}
