import ArgumentParser
import Datagrams
import Foundation
import InputMerge
import Logging
import NIOCore
import PeerDiscovery
import Roomful
import ServiceLifecycle
import UnixSignals
import WireProtocol

struct Host: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "host",
        abstract: "Host a room that controllers find by its name.",
        discussion: """
            Examples:  roomful host "Living Room" --seats 4
                       roomful host "Duel" --policy open --mode competitive --contest jump --tie replay
            Ctrl-C closes the room, and so does a closed terminal without nohup: everyone is told, and nothing stays
            advertised.
            """)

    @Argument(help: "What people see: 1 to 63 bytes.") var name = "Roomful"
    @Option(help: "1 to 10000.") var seats = 4
    @Option(help: "Who may join: code, open or ask.") var policy = RoomOptions.Policy.code
    @Option(help: "competitive: each controller its own player; collaborative: all drive one.")
    var mode = RoomOptions.Mode.competitive
    @OptionGroup var play: PlayOptions
    @Option(help: "A label for the game: a-z, 0-9 and -; else what --play names.") var game: String?
    @Option(help: "TCP and UDP; 0 takes any that is free.") var port: UInt16 = 0
    @Option(help: "Plain HTTP on 127.0.0.1 for games on this machine: a port, any or off.") var http = "any"
    @Flag(help: "Let every user of this machine play and read at that port, without the token.") var openLoopback =
        false
    @Option(name: .customLong("play"), help: "Play a bundled game: keepcalm, cube or duel.") var bundledGame: String?
    @Option(help: "Serve a game of your own from this folder at /game/.", transform: String.ofPath) var serve: String?
    @Option(help: "Let pages of this origin use the room, such as http://localhost:5173; may be given several times.")
    var allowOrigin: [String] = []
    @Option(help: "Who names phones: auto (the host) or free (their players).") var names = RoomOptions.Names.auto
    @Option(help: "Take KeepCalm's frames of 36 bytes at this UDP port, unsealed; you accept each source.")
    var legacy: UInt16?
    @Option(help: "Silence after which a seat is lost.") var idle = "10s"
    @Option(help: "How long a lost seat is kept.") var grace = "30s"
    @Option(
        help: """
            For exhibits: once nobody has played on a controller for so long, such as 3min, its name, taught gestures, \
            sensitivity and scores go, and the next visitor begins as anybody does.
            """)
    var idleReset: String?
    @Option(
        help: """
            For exhibits: let newcomers in at these hours only, by local time, such as "Tue-Fri 10:00-18:00"; may be given \
            several times.
            """)
    var hours: [String] = []
    @Option(
        help: "How long datagrams may gather where many come, to be read together; more saves processor time, 0ms none."
    )
    var gather = "0.5ms"
    @Option(help: "auto: avahi-daemon, or else a responder of our own; daemon, embedded or none.")
    var discovery = RoomOptions.Discovery.auto
    @Option(help: "Advertise on this network interface only.") var interface: String?
    @Option(help: "Serve Prometheus's /metrics, and /healthz, at ADDRESS:PORT, such as 127.0.0.1:9464.")
    var metrics: String?
    @Option(
        help: "A certificate of your own, with its chain, in PEM; needs --key. Read anew when it is renewed.",
        transform: String.ofPath)
    var cert: String?
    @Option(help: "The private key of --cert, in PEM, without a passphrase.", transform: String.ofPath)
    var key: String?
    @Option(help: "Where browsers reach the room instead of at its port: https://NAME, of a proxy, a tunnel or --cert.")
    var url: String?
    @Flag(inversion: .prefixedNo, help: "Show the QR code; else only on a terminal where it fits.") var qr: Bool?
    @Option(
        help: "Write the ticket (address, pin, code) to this file, for: roomful join --code-file.",
        transform: String.ofPath)
    var codeFile: String?
    @Option(
        help: "Thresholds of gestures: a TOML file, a table for each, such as [jump] push = 1.9.",
        transform: String.ofPath)
    var gestures: String?
    @Option(
        help: """
            How much of each sample at 100 Hz goes into lowPassedAcceleration, and into gestures with lowPassed = true: 0.01 \
            (very smooth) to 1 (raw).
            """)
    var lowPass = MergeConfiguration().lowPassFactor
    @Flag(
        inversion: .prefixedNo,
        help: "Answer each gesture with a haptic; else that is the game's, and nothing shakes what is being recorded.")
    var hapticAnswers: Bool?
    @Option(help: "What controllers look for themselves, so that it is felt at once: tap.") var local: String?
    @Option(
        help: "Where keys and seats are kept; else $ROOMFUL_STATE, or ~/.local/state/roomful.",
        transform: String.ofPath)
    var state: String?
    @Option(
        help: "Host the rooms of this file; roomful config print shows one. Only --json may stand beside it.",
        transform: String.ofPath)
    var config: String?
    @Flag(name: .shortAndLong, help: "Show haptics that were played too, and where their time went.") var verbose =
        false
    @OptionGroup var recording: RecordOptions
    @OptionGroup var membership: SiteHostOptions
    @Flag(help: "Print events as JSON lines.") var json = false

    func run() async throws {
        try await Failure.explained {
            // TLS sets aside 48 KiB for each connection, and a controller that only waits uses the first page of each of its
            // buffers.
            ThisProcess.givesOwnPages(from: 16 << 10)
            CoreDump.forbid()
            let file = try configurationFile()
            let hosts = file?.rooms.map(\.host) ?? [self]
            try Self.checkThreads(rooms: hosts.count)
            let areSeveral = hosts.count > 1
            LoggingSystem.bootstrap { PatientLog(label: $0, namesRooms: areSeveral) }
            Self.warnOfDescriptors(seats: hosts.reduce(0) { $0 + $1.seats }, rooms: hosts.count)
            for interface in Set(hosts.compactMap(\.interface)) { Self.warnOfInterface(interface) }
            let manager = ServiceManager()
            let reloader = file.map { ConfigurationReloader(path: $0.name, rooms: $0.rooms, manager: manager) }
            let supervision = manager.map { Supervision($0, rooms: hosts.count) }
            // The program ends when its last room has been stopped.
            let end: ServiceGroupConfiguration.ServiceConfiguration.TerminationBehavior =
                hosts.count == 1 ? .gracefullyShutdownGroup : .ignore
            var services = try hosts.map { host in
                let service = HostService(
                    options: try host.options(), codeFile: host.codeFile, json: json, qr: host.qr,
                    isVerbose: host.verbose, isOneOfSeveral: areSeveral,
                    supervision: supervision, reloader: reloader)
                return ServiceGroupConfiguration.ServiceConfiguration(service: service, successTerminationBehavior: end)
            }
            if let supervision { services.append(.init(service: supervision, successTerminationBehavior: .ignore)) }
            let hangUp = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            if let reloader {
                let signals = ReloadSignals(reloader) { hangUp.continuation.yield() }
                services.append(.init(service: signals, successTerminationBehavior: .ignore))
            }
            // Where there is a file to be read anew, SIGHUP is ``ReloadSignals``' to judge.
            let ends = EndSignals.all.filter { reloader == nil || $0 != .sighup }
            // The group would not say which of them it was.
            let signals = await UnixSignalsSequence(trapping: ends)
            let terminations = await UnixSignalsSequence(trapping: .sigterm)
            let group = ServiceGroup(
                configuration: ServiceGroupConfiguration(services: services, logger: Logger(label: "roomful.host")))
            do {
                try await withThrowingTaskGroup(of: Void.self) { tasks in
                    tasks.addTask { for await _ in hangUp.stream { await group.triggerGracefulShutdown() } }
                    tasks.addTask { for await signal in terminations { EndSignals.note(signal) } }
                    tasks.addTask {
                        for await signal in signals {
                            EndSignals.note(signal)
                            if signal == .sighup { try? await Task.sleep(for: .milliseconds(50)) }
                            await group.triggerGracefulShutdown()
                        }
                    }
                    try await group.run()
                    tasks.cancelAll()
                }
            } catch {
                await PatientOutput.errors.finish()
                throw error
            }
            await PatientOutput.errors.finish()
        }
    }

    /// The file whose rooms are hosted; `nil` where the flags describe one.
    private func configurationFile() throws -> ConfigurationFile? {
        guard let config else { return nil }
        let beside = CommandLine.arguments.dropFirst(2).filter {
            $0 != "--json" && $0 != config && !$0.hasPrefix("--config")
        }
        // A file says nothing of what is shown.
        if let flag = beside.first(where: { ["-v", "--verbose"].contains($0) }) {
            throw RoomError(.badOption, "--config describes rooms by itself, and \(flag) is no key of it: leave it out")
        }
        guard beside.isEmpty else {
            let written = try WrittenRoom(beside, folder: FileManager.default.currentDirectoryPath)
            let lines = written.text.split(separator: "\n").joined(separator: ", ")
            throw RoomError(.badOption, "--config describes rooms by itself: write \(lines) into \(config)")
        }
        return try ConfigurationFile(path: config)
    }

    /// A connections' thread for each processor, two for each room, and some few: where the libraries below find none, they
    /// end the program without a word.
    private static func checkThreads(rooms: Int) throws {
        let needed = System.coreCount + 2 * rooms + 7
        let limit = threadsToBeHad(of: needed)
        guard limit < needed else { return }
        Failure.say(
            "a host starts \(needed) threads and more, and this program may have \(limit); raise what limits it: "
                + ThreadError.limits)
        throw Failure.refused
    }

    /// Each controller keeps a connection open; what is short is known before they come.
    private static func warnOfDescriptors(seats: Int, rooms: Int) {
        let (limit, needed) = (DescriptorLimit.raise(), min(seats, 1_000_000) + 128 * rooms)
        guard limit < needed else { return }
        Failure.say(
            "\(plural(seats, "seat needs", "seats need")) \(needed) open descriptors, and the limit is \(limit); "
                + "raise it with: ulimit -n \(needed)"
        )
    }

    /// One that is not there is no reason to stay closed: a service may begin before its Wi-Fi is plugged in.
    private static func warnOfInterface(_ name: String) {
        guard if_nametoindex(name) == 0 else { return }
        Failure.say("there is no network interface named \"\(name)\", so nobody finds the room; ip link lists them")
    }

    /// Whether what is missing is made, such as a folder of state or a key of labels: what only checks a configuration
    /// makes nothing.
    @TaskLocal static var makesFiles = true

    /// - Throws: ``RoomError`` with code `badOption`, naming the option.
    func options() throws -> RoomOptions {
        var options = RoomOptions(name: name, seats: seats, policy: policy, mode: mode, game: game, port: port)
        options.legacyPort = legacy
        options.http = try .named(http)
        options.opensLoopback = openLoopback
        options.answersGesturesWithHaptics = hapticAnswers ?? true
        options.localGestures = (local?.listed ?? []).map { GestureKind(rawValue: String($0)) }
        options.play = bundledGame
        options.serve = serve
        options.allowedOrigins = try allowOrigin.map(Self.origin)
        options.names = names
        options.idle = try Figures.time(idle, "--idle")
        options.grace = try Figures.time(grace, "--grace")
        options.idleReset = try idleReset.map { try Figures.time($0, "--idle-reset") }
        options.hours = hours.isEmpty ? nil : try OpeningHours(hours)
        options.gather = try Figures.time(gather, "--gather")
        options.discovery = discovery
        options.interface = interface
        if let metrics {
            guard let address = MetricsAddress(metrics) else {
                throw RoomError(
                    .badOption, "--metrics takes an address and a port, such as 127.0.0.1:9464, not \"\(metrics)\"")
            }
            options.metrics = address
        }
        options.url = try url.map { try PublicURL($0) }
        options.certificate = try certificate()
        if let state, Self.makesFiles || FileManager.default.fileExists(atPath: state) {
            options.state = try StateFolder(state)
        }
        guard (0.01...1).contains(lowPass) else {
            throw RoomError(.badOption, "--low-pass is 0.01 (very smooth) to 1 (raw), not \(lowPass)")
        }
        options.merge.lowPassFactor = lowPass
        // KeepCalm's own controllers play its game, which counts the paper's jumps.
        let usual = legacy == nil ? GestureDefinition.usual : GestureDefinition.all
        options.merge.gestures = try gestures.map { path in try GestureFile.read(path, changing: usual) } ?? usual
        let isOwn = gestures != nil && legacy == nil && options.merge.gestures.contains { $0.kind == .keepCalmJump }
        try play.apply(to: &options.merge, in: mode)
        options.bringsPapersJump = !isOwn
        options.recording = try recording.options()
        options.pseudonymKey = try recording.pseudonymKey()
        options.program = ProgramVersion.ofRecordings
        options.site = try membership.options()
        return options
    }

    /// As a browser names a page's origin, or every one of its requests would be refused.
    private static func origin(_ text: String) throws -> String {
        let scheme = ["http://", "https://"].first { text.lowercased().hasPrefix($0) }
        var place = String(text.dropFirst(scheme?.count ?? 0))
        if place.hasSuffix("/") { place.removeLast() }
        let isPlain = !place.contains { "/?#@ ".contains($0) }
        guard scheme != nil, isPlain, (Ticket.Address(place) ?? Ticket.Address(place + ":80")) != nil else {
            throw RoomError(
                .badOption,
                "--allow-origin takes http:// or https://, a host and perhaps a port, such as http://localhost:5173, not \"\(text)\""
            )
        }
        return text
    }

    private func certificate() throws -> CertificateFiles? {
        switch (cert, key) {
        case (nil, nil): return nil
        case (let cert?, let key?): return CertificateFiles(certificate: cert, key: key)
        case (_?, nil): throw RoomError(.badOption, "--cert needs --key, the file with its private key")
        case (nil, _?): throw RoomError(.badOption, "--key needs --cert, the file with the certificate and its chain")
        }
    }
}
