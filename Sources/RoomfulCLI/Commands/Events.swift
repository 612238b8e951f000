import ArgumentParser
import Roomful

struct Events: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Follow what happens in the room.",
        discussion: "Examples:  roomful events    roomful events --json --type gesture,player    roomful events --player P1")
    @OptionGroup var choice: RoomChoice
    @Option(help: "Only these types, separated by commas: player, gesture, motion, verdict, link, haptic, room, asking, teaching.")
    var type: String?
    @Option(help: "Only this player: P1.") var player: String?
    @Flag(help: "The players' motion too, at most 60 times a second.") var motion = false
    @Option(help: "Begin after the event of this number, as far as the last 4,096 go back.") var after: Int?

    func validate() throws {
        if let player, number(of: player) == nil { throw ValidationError("--player is written P1, P2 …, not \(player)") }
        let known = ["hello", "player", "gesture", "motion", "verdict", "link", "haptic", "room", "asking", "teaching"]
        for type in types ?? [] where !known.contains(type) {
            throw ValidationError("no event is of type \(type); the types are \(known.joined(separator: ", "))")
        }
    }

    private var types: [String]? { type?.split(separator: ",").map(String.init) }

    private func number(of player: String) -> Int? {
        player.first.map { "Pp".contains($0) } == true ? Int(player.dropFirst()) : nil
    }

    func run() async throws {
        let wanted = player.flatMap(number)
        let (types, json) = (types, choice.json)
        try await Failure.explained {
            let wantsMotion = motion || types?.contains("motion") == true
            try await choice.client().follow(after: after, motion: wantsMotion) { event, lost in
                guard types?.contains(event.type) ?? true, wanted == nil || event.playerNumber == wanted else { return true }
                if json {
                    Terminal.print(try Terminal.json(event))
                } else if let line = EventLines.line(event) {
                    Terminal.print(line + (lost > 0 ? "  [\(lost) events lost: this reader is too slow]" : ""))
                }
                return true
            }
        }
    }
}

extension RoomEvent {
    /// Whom it is about; `nil` for the room's own.
    fileprivate var playerNumber: Int? {
        switch self {
        case .player(let event): event.player
        case .gesture(let event): event.player
        case .motion(let event): event.player
        case .link(let event): event.player
        case .haptic(let event): event.player
        case .teaching(let event): event.player
        case .hello, .verdict, .room, .asking: nil
        }
    }
}
