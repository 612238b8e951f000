import ArgumentParser
import Roomful

/// Sends one command to the room, and says that it is done.
private func carryOut(
    _ choice: RoomChoice, _ task: OperatorRequest.Task, who: String? = nil, message: String? = nil, done: String
) async throws {
    try await Failure.explained {
        _ = try await choice.client().ask(OperatorRequest(task, who: who, message: message))
        Terminal.print(choice.json ? "{\"done\":true}" : done)
    }
}

struct Accept: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Let in a controller that waits.", discussion: "Example:  roomful accept Blue")
    @OptionGroup var choice: RoomChoice
    @Argument(help: "A name, or the beginning of an id; may be left out when only one waits.") var who: String?
    func run() async throws { try await carryOut(choice, .accept, who: who, done: "accepted") }
}

struct Decline: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say no to a controller that waits.", discussion: "Example:  roomful decline Blue --message \"Next round\"")
    @OptionGroup var choice: RoomChoice
    @Argument(help: "A name, or the beginning of an id; may be left out when only one waits.") var who: String?
    @Option(help: "What the controller is told.") var message: String?
    func run() async throws { try await carryOut(choice, .decline, who: who, message: message, done: "declined") }
}

struct Kick: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take a controller's seat; it stays out until the room is unlocked.",
        discussion: "Example:  roomful kick P3 --message \"Time is up\"")
    @OptionGroup var choice: RoomChoice
    @Argument(help: "P3, a name, or the beginning of an id.") var who: String
    @Option(help: "What the controller is told.") var message: String?
    func run() async throws { try await carryOut(choice, .kick, who: who, message: message, done: "kicked \(who)") }
}

struct Lock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Let nobody new in; who has a seat may return.", discussion: "Example:  roomful lock")
    @OptionGroup var choice: RoomChoice
    func run() async throws { try await carryOut(choice, .lock, done: "locked") }
}

struct Unlock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Let new controllers in again.", discussion: "Example:  roomful unlock")
    @OptionGroup var choice: RoomChoice
    func run() async throws { try await carryOut(choice, .unlock, done: "unlocked") }
}

struct Identify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a controller flash, sound and vibrate.", discussion: "Example:  roomful identify P3")
    @OptionGroup var choice: RoomChoice
    @Argument(help: "P3, a name, or the beginning of an id.") var who: String
    func run() async throws { try await carryOut(choice, .identify, who: who, done: "\(who) was told to show itself") }
}

struct Rezero: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The way a player's controllers are held now is straight ahead.", discussion: "Example:  roomful rezero P3")
    @OptionGroup var choice: RoomChoice
    @Argument(help: "P3, a name, or the beginning of an id.") var who: String
    func run() async throws { try await carryOut(choice, .rezero, who: who, done: "\(who) is re-zeroed") }
}

struct Stop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Close the room; everyone is told.", discussion: "Example:  roomful stop --room \"Living Room\"")
    @OptionGroup var choice: RoomChoice
    func run() async throws { try await carryOut(choice, .stop, done: "the room closes") }
}
