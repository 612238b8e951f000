import ArgumentParser
import OperatorFront
import Roomful

/// Sends one command to the room, and says that it is done.
func carryOut(_ choice: RoomChoice, _ request: OperatorRequest, done: String) async throws {
    try await Failure.explained {
        _ = try await choice.client().ask(request)
        Terminal.print(choice.json ? "{\"done\":true}" : done)
    }
}

struct Kick: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kick",
        abstract: "Take a controller's seat; it stays out until the room is unlocked.",
        discussion: "Example:  roomful kick P3 --message \"Time is up\"")
    @OptionGroup var choice: RoomChoice
    @Argument(help: "P3, a name, or the beginning of an id.") var who: String
    @Option(help: "What the controller is told.") var message: String?
    func run() async throws {
        let request = OperatorRequest(.kick, who: who, message: message)
        try await carryOut(choice, request, done: "kicked \(TerminalText.isolated(who))")
    }
}

struct Lock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock",
        abstract: "Let nobody new in; who has a seat may return.", discussion: "Example:  roomful lock")
    @OptionGroup var choice: RoomChoice
    func run() async throws { try await carryOut(choice, OperatorRequest(.lock), done: "locked") }
}

struct Unlock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock",
        abstract: "Let new controllers in again.", discussion: "Example:  roomful unlock")
    @OptionGroup var choice: RoomChoice
    func run() async throws { try await carryOut(choice, OperatorRequest(.unlock), done: "unlocked") }
}

struct Identify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identify",
        abstract: "Make a controller flash, sound and vibrate.", discussion: "Example:  roomful identify P3")
    @OptionGroup var choice: RoomChoice
    @Argument(help: "P3, a name, or the beginning of an id.") var who: String
    func run() async throws {
        let request = OperatorRequest(.identify, who: who)
        try await carryOut(choice, request, done: "\(TerminalText.isolated(who)) was told to show itself")
    }
}

struct Rezero: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rezero",
        abstract: "The way a player's controllers are held now is straight ahead.",
        discussion: "Example:  roomful rezero P3")
    @OptionGroup var choice: RoomChoice
    @Argument(help: "P3, a name, or the beginning of an id.") var who: String
    func run() async throws {
        let request = OperatorRequest(.rezero, who: who)
        try await carryOut(choice, request, done: "\(TerminalText.isolated(who)) is re-zeroed")
    }
}

struct Handover: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "handover",
        abstract: "Let the room's standby go on with it, now; controllers return by themselves.",
        discussion: """
            Examples:  roomful handover --room "Hall"
                       roomful handover --site --room "Hall"
            The room's host stands by from then on. It needs a standby that is ready: roomful host "Hall" … --standby.
            """)
    @OptionGroup var choice: RoomChoice
    func run() async throws {
        try await carryOut(choice, OperatorRequest(.handover), done: "the standby goes on with the room")
    }
}

struct Stop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "Close the room; everyone is told.",
        discussion: """
            Examples:  roomful stop --room "Living Room"
                       roomful stop --back-in 2min     # phones and controllers wait, and return to their seats
            Without --back-in nothing is kept of those who played: neither seats and names nor what they taught.
            """)
    @OptionGroup var choice: RoomChoice
    @Option(help: "When it will be open again, such as 90s or 5m: everyone waits that long, and their seats are kept.")
    var backIn: String?

    func run() async throws {
        try await Failure.explained {
            var request = OperatorRequest(.stop)
            if let backIn {
                guard let time = Figures.duration(backIn), (.zero...Duration.seconds(86_400)).contains(time) else {
                    throw RoomError(
                        .badOption, "--back-in takes a time of at most 24h, such as 90s or 5m, not \"\(backIn)\"")
                }
                request.backIn = time.milliseconds
            }
            let done = backIn.map { "the room closes; seats are kept for its return in \($0)" } ?? "the room closes"
            try await carryOut(choice, request, done: done)
        }
    }
}
