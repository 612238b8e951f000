import ArgumentParser
import OperatorFront
import Roomful

struct Reload: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Take over what has changed in the file of roomful host --config, while people play.",
        discussion: """
            Examples:  roomful reload
                       roomful reload --room "Living Room" --json
            Says of each key that is another now whether the room goes by it, or why not before a restart. Where the file
            is wrong nothing changes, and the exit code is 2. SIGHUP does the same. Where a file describes several rooms
            all of them are looked at, whichever is named.
            """)
    @OptionGroup var choice: RoomChoice

    func run() async throws {
        try await Failure.explained {
            let client: any RoomOperator =
                choice.isAcrossSite
                ? try await choice.client() : try await OperatorClient(room: choice.room, anyOfOneProgram: true)
            guard let report = try await client.ask(OperatorRequest(.reload)).reload else {
                throw RoomError(.notFound, "this room's host is of a version that reads no file anew; start it anew")
            }
            Terminal.print(choice.json ? try Terminal.json(report) : report.lines.joined(separator: "\n"))
        }
    }
}
