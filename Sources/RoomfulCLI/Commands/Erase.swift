import ArgumentParser
import Roomful

/// Takes somebody out of what a closed room has kept.
struct Erase: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Take somebody, or everybody, out of what a closed room has kept.",
        discussion: """
            Examples:  roomful erase Anna --room "Living Room"
                       roomful erase --all --room "Living Room"
            Seat, name and taught gestures go. Of a room that is open: roomful kick WHO, or roomful stop for everybody.
            Out of recordings: roomful forget.
            """)
    @Argument(help: "P3, a name, or the beginning of an id.") var who: String?
    @Flag(help: "Everybody, and who was removed.") var all = false
    @Option(help: "The room's name.") var room: String
    @Option(
        help: "Where keys and seats are kept; else $ROOMFUL_STATE, or ~/.local/state/roomful.",
        transform: String.ofPath)
    var state: String?
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        if all == (who != nil) { throw ValidationError("name one, or give --all") }
    }

    func run() async throws {
        try await Failure.explained {
            let place = try StateFolder(state)
            guard place.hasRoom(named: room) else {
                throw RoomError(.notFound, "no room \"\(room)\" has kept anything in \(place.path); see --state")
            }
            var options = RoomOptions(name: room)
            options.state = place
            let erased: Erased
            do {
                let folder = try RoomFolder(options)
                defer { folder.release() }
                erased = Erased(erased: try await folder.erase(who))
            } catch let error as StorageError where error.code == .diskFull {
                throw RoomError(
                    .closed, "names may stay in \(place.path): \(error.complaint). Make room there, and say this again")
            }
            let names = erased.erased.map(TerminalText.isolated)
            let text = names.isEmpty ? "nobody was kept" : "erased " + names.joined(separator: ", ")
            Terminal.print(json ? try Terminal.json(erased) : text)
        }
    }

    private struct Erased: Encodable { let erased: [String] }
}
