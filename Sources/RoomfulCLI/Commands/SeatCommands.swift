import ArgumentParser
import OperatorFront
import Roomful

/// Who plays in which room.
struct Move: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract:
            "Move a player to another room of the site: name, colour, taught gestures and sensitivity come along.",
        discussion: """
            Examples:  roomful move P3 --to "Hall 2"
                       roomful move Blue --to "Hall 2" --site --room Hall
            The seat there is kept first, and the one here given up last: where anything goes wrong the player stays.
            """)
    @OptionGroup var choice: RoomChoice
    @Argument(help: "P3, a name, or the beginning of an id.") var who: String
    @Option(help: "The room: its name, or the beginning of its id.") var to: String
    @Option(help: "The seat there, from 1; else one of the player's colour, or the lowest.") var seat: Int?
    @Option(help: "How long the seat there is kept: 5s to 10m. On a phone somebody may have to read a warning.")
    var within = "60s"

    func run() async throws {
        try await Failure.explained {
            let time = try Figures.time(within, "--within", such: "30s or 2m")
            var request = OperatorRequest(.move, who: who)
            (request.to, request.seat, request.timeout) = (to, seat, time.milliseconds)
            guard let moved = try await choice.client().ask(request).moved else {
                throw RoomError(.network, "the room's host is of a version that moves nobody; start it anew")
            }
            guard !choice.json else { return Terminal.print(try Terminal.json(moved)) }
            let (name, room) = (TerminalText.isolated(moved.name), TerminalText.isolated(moved.room))
            Terminal.print("\(name) plays in \"\(room)\" on \(moved.host): seat \(moved.seat), player P\(moved.player)")
        }
    }
}

/// Who sits where.
struct Seat: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seat",
        abstract: "Move controllers to other seats: who is player 1 is up to you.",
        discussion: "Examples:  roomful seat move Blue 1    roomful seat swap P1 P2",
        subcommands: [Move.self, Swap.self])

    struct Move: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "move",
            abstract: "Give a controller another seat; whoever sits there gets the free one.",
            discussion: "Example:  roomful seat move Blue 1")
        @OptionGroup var choice: RoomChoice
        @Argument(help: "P3, a name, or the beginning of an id.") var who: String
        @Argument(help: "The seat, from 1.") var seat: Int

        func run() async throws {
            var request = OperatorRequest(.seatMove, who: who)
            request.seat = seat
            try await carryOut(choice, request, done: "\(TerminalText.isolated(who)) has seat \(seat)")
        }
    }

    struct Swap: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "swap",
            abstract: "Let two controllers change seats.", discussion: "Example:  roomful seat swap P1 P2")
        @OptionGroup var choice: RoomChoice
        @Argument(help: "P3, a name, or the beginning of an id.") var who: String
        @Argument(help: "The same, of the other.") var other: String

        func run() async throws {
            var request = OperatorRequest(.seatSwap, who: who)
            request.other = other
            let (one, two) = (TerminalText.isolated(who), TerminalText.isolated(other))
            try await carryOut(choice, request, done: "\(one) and \(two) have changed seats")
        }
    }
}
