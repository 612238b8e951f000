import ArgumentParser
import Roomful

/// Which room on this machine is meant, and how answers are printed.
struct RoomChoice: ParsableArguments {
    @Option(help: "Which room on this machine, where several run.")
    var room: String?

    @Flag(help: "Print JSON.")
    var json = false

    func client() async throws -> OperatorClient { try await OperatorClient(room: room) }
}
