import ArgumentParser
import Foundation
import PeerDiscovery
import Roomful
import WireProtocol

struct Join: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Join a room as a controller that replays a recording, or reads samples from another program.",
        discussion: """
            Examples:  roomful join "Living Room" --as Blue --replay walk.csv --loop
                       sensor-program | roomful join "Living Room" --as Blue --stdin
                       roomful join --wait --as Blue --replay walk.csv      # until a host calls: roomful invite Blue
            A line of --stdin is CSV (t_s,ax,ay,az,gx,gy,gz[,qw,qx,qy,qz]; m/s², rad/s) or a JSON object
            {"t":1.23,"acceleration":[0,0,9.81],"rotationRate":[0,0,0]}; without t it is stamped as it comes. A
            sample whose attitude is no unit quaternion, as 0,0,0,0 of a board that calibrates, is left out whole. Of a device
            under water: {"submersion":{"condition":"submerged","depth":1.2,"temperature":21.5}}. JSON may hold buttons, the
            gestures that are held down, and battery, in percent: {"acceleration":[0,0,9.81],"buttons":["jump"],"battery":84}.
            A line {"mark":"lap 3"} points at that moment in the recording of the room, where it is being recorded.
            """)

    @Argument(help: "The room's name, as roomful browse shows it; may be left out with --code-file or --at.")
    var name: String?
    @Option(name: .customLong("as"), help: "What the controller is called: 1 to 63 bytes.") var controller =
        "Controller"
    @Option(help: "A recording: CSV.") var replay: String?
    @Option(help: "One recording of a file that holds several.") var recording: String?
    @Flag(help: "Read one sample a line from standard input.") var stdin = false
    @Option(
        help: """
            With --replay: so many samples a second, instead of at the recording's own pace. With --stdin: the sensor's rate \
            in Hz, where the lines' own times do not tell it.
            """)
    var rate: Double?
    @Option(help: "The accelerometer's full scale in g: 1 to 1000; else 16, or what a recording needs.")
    var accelerationRange: Double?
    @Option(help: "The gyroscope's full scale in °/s: 10 to 50000; else 2000, or what a recording needs.")
    var rotationRange: Double?
    @Option(
        help: """
            With --stdin: the gestures that have buttons, separated by commas, such as jump,lean; * for what the player taught, \
            in order; + for what else the room watches for. Else those that are built in, where the first line says which are held.
            """)
    var buttons: String?
    @Flag(
        help:
            "Wait to be called into a room. Without a terminal only a known one, or that of --fingerprint or --code-file."
    )
    var wait = false
    @Option(help: "With --wait: the TCP port to be called at; 0 takes any that is free.") var port: UInt16 = 0
    @Flag(help: "Replay again and again.") var loop = false
    @Flag(help: "Where all seats are taken, wait for one in the queue.") var waitForSeat = false
    @Option(help: "HOST:PORT of a room that cannot be searched for.") var at: String?
    @Option(help: "A ticket: address, pin and code; with --at for another address.") var codeFile: String?
    @Option(help: "The room's pin, all 64 digits: whom to trust at the first meeting.", transform: Pin.ofOption)
    var fingerprint: Pin?
    @Option(
        help: "Where the controller's identity is kept; else $ROOMFUL_STATE, or ~/.local/state/roomful.",
        transform: String.ofPath)
    var state: String?
    @Option(help: "Where on its person the sensor sits: left or right.", transform: Self.location)
    var location: SensorLocation = .default
    @Option(help: "How deep its water sensor can measure, in m: 2 to 200.") var maximumDepth = 6.0
    @Option(help: "How the room is looked for by name: auto, daemon, embedded or none.")
    var discovery = RoomOptions.Discovery.auto
    @Option(help: .hidden) var udpVia: String?
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        if stdin == (replay != nil) { throw ValidationError("give one of --replay FILE and --stdin") }
        let ofReplay = [("--loop", loop), ("--recording", recording != nil)]
        if stdin, let stray = ofReplay.first(where: \.1) {
            throw ValidationError("\(stray.0) goes with --replay FILE")
        }
        if buttons != nil {
            if !stdin { throw ValidationError("--buttons goes with --stdin") }
            let declared = StreamDeclaration(measures: .buttons, buttonGestures: buttonGestures)
            if let problem = declared.problem { throw ValidationError("--buttons: \(problem)") }
        }
        if let rate, !(0.1...4_000).contains(rate) { throw ValidationError("--rate is 0.1 to 4000 samples a second") }
        if let accelerationRange, !(1...1_000).contains(accelerationRange) {
            throw ValidationError("--acceleration-range is 1 to 1000 g")
        }
        if let rotationRange, !(10...50_000).contains(rotationRange) {
            throw ValidationError("--rotation-range is 10 to 50000 °/s")
        }
        if !(2...200).contains(maximumDepth) { throw ValidationError("--maximum-depth is 2 to 200 m") }
        if wait {
            if name != nil || at != nil {
                throw ValidationError("--wait waits for whoever calls: leave the room's name out")
            }
            return
        }
        if port != 0 { throw ValidationError("--port belongs to --wait") }
        if name == nil, at == nil, codeFile == nil {
            throw ValidationError("which room? Give its name, --at or --code-file")
        }
    }

    func run() async throws {
        try await Failure.explained {
            let source =
                try stdin
                ? SampleSource.lines(buttonGestures: buttonGestures)
                : SampleSource.recording(try read(), rate: rate, loop: loop)
            var options = ControllerOptions(name: controller, streams: [declaration(of: source)])
            options.stateFolder = try StateFolder(state)
            options.discovery = discovery
            options.waitsForSeat = waitForSeat
            options.onDamagedMemory = { Failure.say($0) }
            options.onQueue = {
                Failure.say("all seats are taken; place \($0) in the queue")
                source.waitForSeat()
            }
            options.onWaiting = {
                Failure.say("the operator was asked; waiting up to \(Int($0.milliseconds / 1_000)) s")
                source.waitForSeat()
            }
            let reporter = JoinReporter(json: json)
            if let udpVia {
                guard let via = PeerAddress(udpVia) else { throw RoomError(.badOption, "--udp-via is HOST:PORT") }
                options.linkVia = via
            }
            if wait {
                source.waitForSeat()
                let trusted = try [fingerprint, codeFile.map { try Ticket(contentsOf: $0).pin }]
                let waiting = JoinWaiting(
                    options: options, port: port, trusted: trusted.compactMap(\.self), reporter: reporter)
                try await waiting.run { try await stay($0, source, reporter) }
                return try source.checkSeat()
            }
            let (room, trust) = try address(&options)
            let controller = try await withController(options, joining: room, trust: trust) { controller in
                try await stay(controller, source, reporter)
                return controller
            }
            await reporter.tellSummary(of: controller)
        }
    }

    private var buttonGestures: [String] { (buttons ?? "").listed.map(String.init) }

    /// What its user says of the sensor goes before what its samples tell.
    private func declaration(of source: SampleSource) -> StreamDeclaration {
        var declaration = source.declaration
        declaration.location = location
        declaration.maximumDepth = maximumDepth
        if let rate { declaration.nominalRate = rate }
        if let accelerationRange { declaration.accelerationRange = accelerationRange * standardGravity }
        if let rotationRange { declaration.rotationRange = rotationRange * .pi / 180 }
        return declaration
    }

    /// Streams until the samples, the room, or its user's patience have an end: also Ctrl-C says goodbye, or the seat
    /// would be kept for who does not come back.
    private func stay(_ controller: Controller, _ source: SampleSource, _ reporter: JoinReporter) async throws {
        let events = Task { try await reporter.follow(controller) }
        let end = Task { try await source.send(to: controller, counting: reporter.losses) }
        // Whichever ends first ends the stay.
        let ending = await withTaskCancellationHandler {
            await withTaskGroup(of: Ending?.self) { group in
                group.addTask { (try? await events.value) ?? nil }
                group.addTask {
                    _ = try? await end.value
                    return nil
                }
                group.addTask {
                    await EndSignals.first()
                    return nil
                }
                let first = await group.next() ?? nil
                group.cancelAll()
                events.cancel()
                end.cancel()
                return first
            }
        } onCancel: {
            events.cancel()
            end.cancel()
        }
        if let ending {
            Failure.say("\(ending)")
            if ending.code == .tooFast, stdin {
                let declared = String(format: "%g", declaration(of: source).nominalRate)
                Failure.say(
                    "declared were \(declared) samples a second: say the sensor's true rate with --rate HZ (4000 at most)"
                )
            }
            if ending.code != .closing { throw Failure.refused }
        } else {
            _ = await controller.settle(within: .seconds(3))
        }
    }

    private static func location(_ text: String) throws -> SensorLocation {
        guard let location = SensorLocation(rawValue: text) else {
            throw ValidationError("--location is left or right, not \(text)")
        }
        return location
    }

    private func read() throws -> Recording {
        let reader = RecordingReader(selection: recording.map { .named($0) } ?? .all)
        return try reader.read(path: replay ?? "")
    }

    /// Which room, and who vouches for it. A ticket vouches; its room is found by name, too, after its host has moved. One
    /// of another name is looked for by that.
    private func address(_ options: inout ControllerOptions) throws -> (RoomAddress, Trust) {
        let trust: Trust
        if let fingerprint {
            trust = .fingerprint(fingerprint)
        } else {
            trust = Terminal.canAsk ? .ask(Self.confirm) : .knownHosts
        }
        let ticket = try codeFile.map { try Ticket(contentsOf: $0) }
        options.code = ticket?.code
        let vouched = ticket.map { Trust.fingerprint($0.pin) } ?? trust
        if let at {
            guard let address = Ticket.Address.onThisMachine(at) else {
                throw RoomError(
                    .badOption, "--at takes HOST:PORT, such as 192.168.1.5:7777 or [fe80::1%eth0]:7777, not \"\(at)\"")
            }
            return (.direct(host: address.host, port: Int(address.port)), vouched)
        }
        if let ticket, name == nil || name == ticket.room { return (.ticket(ticket), trust) }
        return (.named(name ?? ""), vouched)
    }

    /// Asks the person at the terminal, who compares the pin with the host's screen.
    private static let confirm: @Sendable (Pin, RoomGreeting) async -> Bool = { pin, greeting in
        Failure.say("\"\(greeting.name)\" is not known here yet. Its pin is \(pin.short)")
        Failure.write("Does the host's screen show the same? [y/N] ")
        return readLine()?.lowercased().hasPrefix("y") == true
    }
}

extension Pin {
    /// As `--fingerprint` takes it. A pin's short form is for eyes: a key to 64 bits can be made by who has a budget.
    static func ofOption(_ text: String) throws -> Pin {
        guard let pin = Pin(text) else {
            throw ValidationError(
                "it takes all 64 digits of the room's pin, of which screens show 16. On the host's machine roomful qr "
                    + "--json prints them; here roomful browse --json does, for you to compare with the host's screen")
        }
        return pin
    }
}
