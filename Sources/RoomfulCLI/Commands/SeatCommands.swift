import ArgumentParser
import OperatorFront
import Roomful

/// Who sits where.
struct Seat: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Move controllers to other seats: who is player 1 is up to you.",
        discussion: "Examples:  roomful seat move Blue 1    roomful seat swap P1 P2",
        subcommands: [Move.self, Swap.self])

    struct Move: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give a controller another seat; whoever sits there gets the free one.",
            discussion: "Example:  roomful seat move Blue 1")
        @OptionGroup var choice: RoomChoice
        @Argument(help: "P3, a name, or the beginning of an id.") var who: String
        @Argument(help: "The seat, from 1.") var seat: Int

        func run() async throws {
            var request = OperatorRequest(.seatMove, who: who)
            request.seat = seat
            try await carryOut(choice, request, done: "\(who) has seat \(seat)")
        }
    }

    struct Swap: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let two controllers change seats.", discussion: "Example:  roomful seat swap P1 P2")
        @OptionGroup var choice: RoomChoice
        @Argument(help: "P3, a name, or the beginning of an id.") var who: String
        @Argument(help: "The same, of the other.") var other: String

        func run() async throws {
            var request = OperatorRequest(.seatSwap, who: who)
            request.other = other
            try await carryOut(choice, request, done: "\(who) and \(other) have changed seats")
        }
    }
}

private func carryOut(_ choice: RoomChoice, _ request: OperatorRequest, done: String) async throws {
    try await Failure.explained {
        _ = try await choice.client().ask(request)
        Terminal.print(choice.json ? "{\"done\":true}" : done)
    }
}
