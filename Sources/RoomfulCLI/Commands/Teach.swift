import ArgumentParser
import OperatorFront
import Roomful
import SiteBroker

struct Teach: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "teach",
        abstract: "Let a player show a gesture, which is recognised from then on.",
        discussion: """
            Example:  roomful teach circle --player P1 --times 3
            The player holds still, makes the gesture, and holds still again: so many times. Where one was unlike the
            others, or another gesture is much like this one, a fourth and a fifth are asked for; Ctrl-C ends the lesson,
            and calls it off before there are as many as --times says. "That was not it": roomful taught refuse
            See also: roomful taught

            With --collect DIR nothing is taught: what the player shows is added to the folder as roomful lab score reads
            it, with who moved, what they agreed to, and the licence.
            Example:  roomful teach circle --times 10 --collect ~/motion --subject p1 --licence CC0-1.0 \\
                          --consent "p1 agreed to its publication"
            A gesture called shake goes to events/shakes.csv; with --everyday the name says what is done, such as walking.
            Best in a room that is opened with --no-haptic-answers: its answers would shake what is recorded.
            """)
    @OptionGroup var choice: RoomChoice
    @Argument(help: "Its name: 1 to 40 bytes of letters, digits, -, _ and spaces.") var gesture: String
    @Option(help: "Who shows it: P1, a name, or the beginning of an id.") var player = "P1"
    @Option(help: "How many examples, 1 to 16, else 3; with --collect 1 to 1000, else 8, and 1 of everyday motion.")
    var times: Int?
    @OptionGroup(title: "Collecting motion") var collecting: CollectOptions

    /// Where it is collected, so many that all of the score's goals can be shown, and one may be left out.
    private var shown: Int { times ?? (collecting.everyday ? 1 : collecting.collect == nil ? 3 : 8) }

    func validate() throws {
        let most = collecting.collect == nil ? 16 : 1_000
        guard (1...most).contains(shown) else {
            throw ValidationError("--times is \(shown), but must be 1 to \(most)")
        }
        guard collecting.collect == nil, let stray = collecting.stray else { return }
        throw ValidationError("\(stray) goes with --collect DIR")
    }

    func run() async throws {
        if collecting.collect != nil {
            return try await Failure.explained {
                try await Collecting(collecting, gesture: gesture, player: player, times: shown, choice: choice).run()
            }
        }
        let times = shown
        try await Failure.explained {
            let client = try await choice.client()
            guard let peer = try await client.ask(OperatorRequest(.peers, who: player)).peers?.first else {
                throw RoomError(.notFound, "nobody is called \"\(player)\"")
            }
            let (wishes, wish) = AsyncStream.makeStream(of: Void.self)
            let interruption = Interruption()
            interruption.onInterrupt { wish.yield() }
            defer { withExtendedLifetime(interruption) {} }
            let player = player
            async let calling: Void = {
                for await _ in wishes { await Self.callOff(player, by: client) }
            }()
            var outcome: EventRecord.Teaching.State?
            defer { wish.finish() }
            try await client.follow(after: nil, motion: false) { event, _ in
                switch event {
                case .hello: return true
                case .teaching(let step) where step.player == peer.player && step.gesture == gesture:
                    say(step, times: times)
                    if step.state == .finished || step.state == .abandoned { outcome = step.state }
                    return outcome == nil
                default: return true
                }
            } begun: {
                var request = OperatorRequest(.teach, who: player)
                request.gesture = gesture
                request.times = times
                _ = try await client.ask(request)
                if !choice.json { Terminal.print("1 of \(times): make the gesture, then hold still") }
            }
            wish.finish()
            await calling
            guard let outcome else { throw RoomError(.closed, "the room has closed; nothing has changed") }
            if outcome != .finished { throw RoomError(.closed, "the lesson was called off; nothing has changed") }
        }
    }

    /// Ends the command where nobody is there who could call the lesson off: nobody would tell that it is over, either.
    private static func callOff(_ player: String, by client: any RoomOperator) async {
        do {
            _ = try await client.ask(OperatorRequest(.lessonCancel, who: player))
        } catch let error where error is BrokerError || (error as? RoomError)?.code == .closed {
            Failure.end(with: error)
        } catch {
            // There is no lesson any more, or the room's own end is on its way.
        }
    }

    private func say(_ step: EventRecord.Teaching, times: Int) {
        if choice.json, let line = try? Terminal.json(EventRecord.teaching(step)) { return Terminal.print(line) }
        switch step.state {
        case .example:
            if let alike = step.alike {
                Terminal.print(
                    "That is much like \(alike): it may be taken for it. Make it more different, or show it more often."
                )
            } else if step.times > times, step.shown == times {
                Terminal.print("Not all were alike: two more help. (Ctrl-C: these are enough)")
            }
            Terminal.print("\(step.shown + 1) of \(step.times): make the gesture, then hold still")
        case .unlike:
            Terminal.print("That was unlike the one before. \(step.shown + 1) of \(step.times): make the gesture again")
        case .finished:
            Terminal.print("P\(step.player)'s \(step.gesture) is recognised now")
            if let alike = step.alike {
                Terminal.print(
                    "It is much like \(alike), and may be taken for it: teach one of them anew, and make it more different."
                )
            }
        case .abandoned: break
        }
    }
}

struct Taught: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "taught",
        abstract: "List, rename or remove what players taught.",
        discussion: """
            Examples:  roomful taught    roomful taught --player P1
                       roomful taught rename circle ring --player P1    roomful taught remove ring --player P1
            """,
        subcommands: [List.self, Rename.self, Remove.self, Refuse.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List what players taught.", discussion: "Example:  roomful taught list --player P1")
        @OptionGroup var choice: RoomChoice
        @Option(help: "Only of this player: P1, a name, or the beginning of an id.") var player: String?

        func run() async throws {
            try await Failure.explained {
                let taught = try await choice.client().ask(OperatorRequest(.taught, who: player)).taught ?? []
                if choice.json { return Terminal.print(try Terminal.json(taught)) }
                if taught.isEmpty { return Terminal.print("nothing was taught yet; begin with: roomful teach circle") }
                for gesture in taught {
                    let seconds = (gesture.seconds * 10).rounded() / 10
                    let examples = "\(plural(gesture.examples, "example")) of \(seconds) s"
                    Terminal.print("P\(gesture.player)  \(gesture.gesture)  \(examples)")
                }
            }
        }
    }

    struct Rename: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rename",
            abstract: "Give a taught gesture another name.",
            discussion: "Example:  roomful taught rename circle ring --player P1")
        @OptionGroup var choice: RoomChoice
        @Argument var gesture: String
        @Argument var name: String
        @Option(help: "P1, a name, or the beginning of an id.") var player = "P1"

        func run() async throws {
            var request = OperatorRequest(.taughtRename, who: player)
            request.gesture = gesture
            request.name = name
            try await carryOut(choice, request, done: "\(gesture) is called \(name) now")
        }
    }

    struct Refuse: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "refuse",
            abstract: "That was not it: what was last recognised, and what is like it, is not that gesture.",
            discussion: "Example:  roomful taught refuse --player P1")
        @OptionGroup var choice: RoomChoice
        @Option(help: "P1, a name, or the beginning of an id.") var player = "P1"

        func run() async throws {
            try await carryOut(
                choice, OperatorRequest(.taughtRefuse, who: player),
                done: "what was just made is not taken for it any more")
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Forget a taught gesture.", discussion: "Example:  roomful taught remove circle --player P1")
        @OptionGroup var choice: RoomChoice
        @Argument var gesture: String
        @Option(help: "P1, a name, or the beginning of an id.") var player = "P1"

        func run() async throws {
            var request = OperatorRequest(.taughtRemove, who: player)
            request.gesture = gesture
            try await carryOut(choice, request, done: "\(gesture) is forgotten")
        }
    }
}

struct Sensitivity: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sensitivity",
        abstract: "Recognise a player's gestures more or less readily: 1 is as defined, 0.5 to 2.",
        discussion: "Example:  roomful sensitivity P2 1.5")
    @OptionGroup var choice: RoomChoice
    @Argument(help: "P3, a name, or the beginning of an id.") var who: String
    @Argument(help: "0.5 to 2.") var value: Double

    func validate() throws {
        guard (0.5...2).contains(value) else {
            throw ValidationError("sensitivity is \(value), but must be 0.5 to 2")
        }
    }

    func run() async throws {
        var request = OperatorRequest(.sensitivity, who: who)
        request.value = value
        try await carryOut(choice, request, done: "\(TerminalText.isolated(who)) has sensitivity \(value)")
    }
}
