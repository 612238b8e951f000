import ArgumentParser
import Roomful

struct Events: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Follow what happens in the room.",
        discussion: "Examples:  roomful events    roomful events --json --type gesture,verdict --player P1 --after 12")
    @OptionGroup var choice: RoomChoice
    @Option(
        help: """
            Only these types, separated by commas: player, gesture, motion, verdict, link, haptic, room, asking, teaching, \
            sensor, team.
            """)
    var type: String?
    @Option(help: "Only this player: P1.") var player: String?
    @Flag(help: "The players' motion too, at most 60 times a second.") var motion = false
    @Option(help: "Begin after the event of this number, as far as the last 4,096 go back.") var after: Int?

    func validate() throws {
        if let player, number(of: player) == nil { throw ValidationError("--player is written P1, P2 …, not \(player)") }
        let known = [
            "hello", "player", "gesture", "motion", "verdict", "link", "haptic", "room", "asking", "teaching", "sensor",
            "team",
        ]
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
                guard types?.contains(event.type) ?? true, wanted.map(event.concerns) ?? true else { return true }
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

extension EventRecord {
    /// Whether it is about this player. The room's own events are about nobody.
    fileprivate func concerns(_ player: Int) -> Bool {
        switch self {
        case .player(let event): event.player == player
        case .gesture(let event): event.player == player
        case .motion(let event): event.player == player
        case .link(let event): event.player == player
        case .haptic(let event): event.player == player
        case .teaching(let event): event.player == player
        case .sensor(let event): event.player == player
        case .team(let event): event.players.contains(player)
        case .verdict(let event):
            (event.order.joined() + event.unranked + event.missed).contains(player)
        case .hello, .room, .asking: false
        }
    }
}
