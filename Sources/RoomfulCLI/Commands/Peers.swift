import ArgumentParser
import Roomful

struct Peers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Who is here, and how their links stand.",
        discussion: "Examples:  roomful peers --watch    roomful peers Blue    roomful peers --json")
    @OptionGroup var choice: RoomChoice
    @Argument(help: "P3, a name, or the beginning of an id: everything about that one.") var who: String?
    @Flag(help: "Again every second.") var watch = false

    func run() async throws {
        try await Failure.explained {
            let client = try await choice.client()
            repeat {
                let peers = try await client.ask(OperatorRequest(.peers, who: who)).peers ?? []
                let text: String
                if choice.json {
                    text = try Terminal.json(peers)
                } else if who != nil {
                    text = peers.map(PeerTables.details).joined(separator: "\n")
                } else {
                    let waiting = try await client.ask(OperatorRequest(.status)).status?.waiting ?? []
                    let note = waiting.isEmpty ? "" : "\nwaiting for you: " + waiting.joined(separator: ", ")
                    text = PeerTables.overview(peers) + note
                }
                watch && Terminal.isInteractive && !choice.json ? Terminal.redraw(text + "\n") : Terminal.print(text)
                if watch { try await Task.sleep(for: .seconds(1)) }
            } while watch
        }
    }
}
