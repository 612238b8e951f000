public import ArgumentParser
import Foundation
public import PeerDiscovery
import Roomful

struct Browse: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "browse",
        abstract: "Rooms nearby.", discussion: "Example:  roomful browse --for 5s --game keepcalm")
    @Flag(help: "Print JSON.") var json = false
    @Option(name: .customLong("for"), help: "How long to listen: 3s, 500ms.") var duration = "3s"
    @Option(help: "Only rooms with this game's label.") var game: String?

    @Option(help: "Who looks: auto (avahi-daemon, or else a responder of our own), daemon or embedded.")
    var discovery = DiscoveryMode.auto
    @Option(help: "Look on this network interface only; avahi-daemon looks where it was told to.") var interface:
        String?

    private struct Row: Encodable {
        var name: String
        var room: String
        var game: String?
        var freeSeats: Int?
        var seats: Int?
        var policy: String?
        /// Whether nobody new gets in at present.
        var isLocked: Bool
        var addresses: [String]
        var pin: String?
        /// Whether its port answers: answering, silent or unchecked.
        var state: String
        /// Who looked: daemon or embedded.
        var discovery: String?
    }

    func run() async throws {
        try await Failure.explained {
            guard let time = Figures.duration(duration), time > .zero else {
                Failure.say("--for takes a time such as 3s or 500ms, not \"\(duration)\"")
                throw Failure.usage
            }
            if let interface, if_nametoindex(interface) == 0 {
                Failure.say("there is no network interface named \"\(interface)\"; ip link lists those that there are")
                throw Failure.usage
            }
            let label = try game.map { text in
                guard let label = GameLabel(text) else {
                    Failure.say("a game's label has 2 to 62 of a-z, 0-9 and -")
                    throw Failure.usage
                }
                return label
            }
            let browser = RoomBrowser(discovery: discovery, interface: interface)
            try await Task.sleep(for: time)
            let snapshot = browser.snapshot()
            await browser.stop()
            switch snapshot.availability {
            case .running: break
            case .unavailable(let reason):
                Failure.say("cannot look around: \(reason)")
                throw Failure.unreachable
            case .starting:
                Failure.say(
                    "cannot look around: avahi-daemon or D-Bus hangs; restart it with: sudo systemctl restart dbus "
                        + "avahi-daemon, or look with --discovery embedded")
                throw Failure.unreachable
            }
            let found = snapshot.rooms.filter { label == nil || $0.record.game == label }
            let rows = found.map { room in
                Row(
                    name: room.displayName, room: room.record.id.description, game: room.record.game?.text,
                    freeSeats: room.record.freeSeats.map(Int.init), seats: room.record.totalSeats.map(Int.init),
                    policy: room.record.policy?.rawValue, isLocked: room.record.isLocked,
                    addresses: room.endpoints.map(\.description),
                    pin: room.record.pin?.description, state: room.reachability.rawValue,
                    discovery: snapshot.backend?.rawValue)
            }
            Terminal.print(json ? try Terminal.json(rows) : text(rows, of: snapshot.rooms))
        }
    }

    private static func words(_ state: String) -> String {
        switch Reachability(rawValue: state) {
        case .answering: "answers"
        case .silent: "no answer"
        case .unchecked, nil: "-"
        }
    }

    private func text(_ rows: [Row], of rooms: [DiscoveredRoom]) -> String {
        guard !rows.isEmpty else {
            if let game, !rooms.isEmpty {
                let others = rooms.map {
                    "\(TerminalText.isolated($0.displayName)) (\($0.record.game?.text ?? "no label"))"
                }
                return "no room of \"\(game)\" was found in \(duration), but of other games: "
                    + others.joined(separator: ", ")
            }
            return
                "no room was found in \(duration); is one hosted on this network? roomful doctor looks for what is in "
                + "the way"
        }
        var table = Table(["ROOM", "GAME", ">FREE", ">SEATS", "POLICY", "STATE", "ADDRESS", "PIN"])
        for row in rows {
            let policy = row.isLocked ? "locked" : row.policy ?? "-"
            table.add([
                row.name, row.game ?? "-", row.freeSeats.map(String.init) ?? "-", row.seats.map(String.init) ?? "-",
                policy, Self.words(row.state), row.addresses.first ?? "-",
                row.pin.flatMap { Pin($0)?.short } ?? "-",
            ])
        }
        return table.text
    }
}

extension DiscoveryMode: ExpressibleByArgument {}
