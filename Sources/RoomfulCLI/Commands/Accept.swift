import ArgumentParser
import OperatorFront
import Roomful

struct Accept: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept",
        abstract: "Let in a controller that waits; without a name, show who waits.",
        discussion: """
            Examples:  roomful accept             # who waits, since when, from where
                       roomful accept 04d5e194    # by the beginning of its id, or by its name
                       roomful accept --all       # everyone who waits for you
            Who waits for a seat is called in: it is the next to get one.
            """)
    @OptionGroup var choice: RoomChoice
    @Argument(help: "The beginning of an id, or a name.") var who: String?
    @Flag(help: "Everyone who waits for you, the first first, as far as there are seats.") var all = false

    func validate() throws {
        if all, who != nil { throw ValidationError("name one, or give --all") }
    }

    func run() async throws {
        try await Failure.explained {
            let client = try await choice.client()
            guard all || who != nil else { return try await showNewcomers(client, choice) }
            var request = OperatorRequest(.accept, who: who)
            request.all = all ? true : nil
            let outcome = AcceptanceReport(each: try await client.ask(request).accepted ?? [])
            Terminal.print(choice.json ? try Terminal.json(outcome) : outcome.text)
            if outcome.isInVain { throw Failure.refused }
        }
    }
}

struct Decline: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decline",
        abstract: "Say no to a controller that waits; without a name, show who waits.",
        discussion: "Example:  roomful decline 04d5e194 --message \"Next round\"")
    @OptionGroup var choice: RoomChoice
    @Argument(help: "The beginning of an id, or a name.") var who: String?
    @Option(help: "What the controller is told.") var message: String?

    func run() async throws {
        if let who {
            let request = OperatorRequest(.decline, who: who, message: message)
            return try await carryOut(choice, request, done: "declined")
        }
        try await Failure.explained { try await showNewcomers(try await choice.client(), choice) }
    }
}

private func showNewcomers(_ client: any RoomOperator, _ choice: RoomChoice) async throws {
    let status = try await client.ask(OperatorRequest(.status)).status
    let newcomers = status?.newcomers ?? []
    Terminal.print(
        choice.json ? try Terminal.json(newcomers) : NewcomerTable.text(newcomers) + PeerTables.door(status))
}
