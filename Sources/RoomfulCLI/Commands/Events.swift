import ArgumentParser
import Connections
import Foundation
import OperatorFront
import Roomful
import SiteBroker
import WireProtocol

struct Events: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Follow what happens in the room.",
        discussion: """
            Examples:  roomful events    roomful events --json --type gesture,verdict --player P1 --after 12
                       roomful events --after 12@2026-11-21T09:00:00.000Z   # goes on, also over a restart of the host
                       roomful events --site --since 2h     # of all rooms of a site; each line begins with its number
                       roomful events --site --from 4711 --json
            """)
    @OptionGroup var choice: RoomChoice
    @Option(
        help: """
            Only these types, separated by commas: \(Events.kinds.joined(separator: ", ")); with --site contest, too. With --json, hello comes always.
            """)
    var type: String?
    @Option(help: "Only this player: P1.") var player: String?
    @Flag(help: "The players' motion too, at most 60 times a second.") var motion = false
    @Flag(
        name: .shortAndLong,
        help: "Haptics that were played too, and where their time went; and what a motion may become.")
    var verbose = false
    @Option(
        help: """
            Begin after the event of this number, as far as the last 4,096 go back. N@OPENEDAT, with the openedAt of hello: where the host was started anew since, with all that it remembers.
            """,
        transform: Self.place)
    var after: EventPlace?
    @Option(help: "With --site: begin with the record of this number, also after hours.") var from: UInt64?
    @Option(help: "With --site: begin with what was told so long ago, such as 2h or 10min.") var since: String?

    func validate() throws {
        if let player, Designation(player).player == nil {
            throw ValidationError("--player is written P1, P2 …, not \(player)")
        }
        let known = Self.kinds + ["contest"]
        guard types?.isEmpty != true else {
            throw ValidationError("--type names one or more of \(known.joined(separator: ", "))")
        }
        for type in types ?? [] where !known.contains(type) {
            throw ValidationError("no event is of type \(type); the types are \(known.joined(separator: ", "))")
        }
        // A room tells none: it would stay silent for good.
        if types?.contains("contest") == true, !choice.isAcrossSite {
            throw ValidationError("contests are a site's: --type contest goes with --site")
        }
    }

    private static let kinds = EventRecord.Kind.allCases.map(\.rawValue)

    private var types: [String]? { type?.listed.map(String.init) }

    func run() async throws {
        let wanted = player.flatMap { Designation($0).player }
        let (types, json) = (types, choice.json)
        // Who names a type is told all of it.
        let isVerbose = verbose || !Set(types ?? []).isDisjoint(with: ["haptic", "shaping"])
        try await Failure.explained {
            let isWanted: (EventRecord) -> Bool = { event in
                (types?.contains(event.type) ?? true) && (wanted.map(event.concerns) ?? true)
            }
            if choice.isAcrossSite { return try await followSite(isVerbose, isWanted) }
            guard from == nil, since == nil else {
                throw RoomError(
                    .badOption, "--from and --since are for a site's events; of a room on this machine: --after N")
            }
            let wantsMotion = motion || types?.contains("motion") == true
            var place = EventPlace(0)
            do {
                try await choice.client().follow(after: after, motion: wantsMotion) { event, lost in
                    _ = place.pass(event)
                    // Whose numbers come is said to every program.
                    guard isWanted(event) || json && event.type == "hello" else { return true }
                    if json {
                        Terminal.print(try Terminal.json(event))
                    } else if let line = EventLines.line(event, isVerbose: isVerbose) {
                        let gap = "  [\(plural(lost, "event")) lost: this reader is too slow]"
                        Terminal.print(line + (lost > 0 ? gap : ""))
                    }
                    return true
                }
            } catch let end as OperatorClient.Unreachable where end == .gone && place.openedAt != nil {
                Failure.say("\(end); what it tells next: \(Self.line(after: place, of: choice.room))")
                throw Failure.unreachable
            }
        }
    }

    /// What goes on there, to be pasted: what the place says is the host's own word, who may be another user.
    static func line(after place: EventPlace, of room: String?) -> String {
        let which = room.map { " --room \(shellWord($0))" } ?? ""
        return "roomful events\(which) --after \(shellWord(place.description))"
    }

    private static func place(_ text: String) throws -> EventPlace {
        guard let place = EventPlace(text) else {
            throw ValidationError("it is a number, or N@OPENEDAT with the openedAt of hello")
        }
        return place
    }

    private func followSite(_ isVerbose: Bool, _ isWanted: @escaping (EventRecord) -> Bool) async throws {
        guard after == nil, !motion, [from == nil, since == nil].contains(true) else {
            throw RoomError(
                .badOption,
                "a site's events begin --from N or --since TIME; --after and --motion are for a room on this machine")
        }
        let events = SiteEvents(
            options: try choice.place.options(), room: choice.room, json: choice.json, isVerbose: isVerbose,
            areContestsWanted: player == nil && types?.contains("contest") ?? true, isWanted: isWanted)
        try await events.follow(from: try start())
    }

    private func start() throws -> StreamReader.Start {
        if let from { return .sequence(max(from, 1)) }
        guard let since else { return .new }
        let time = try Figures.time(since, "--since", such: "90s, 10min or 2h")
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        return .time(Date(timeIntervalSinceNow: -time.milliseconds / 1_000).formatted(style))
    }
}
