import ArgumentParser
import Connections
import Roomful

/// Looks over the file that says which rooms a machine hosts, and writes one to begin with.
struct Config: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Rooms written down in a file, for: roomful host --config FILE",
        discussion: "Examples:  roomful config print > rooms.toml    roomful config check rooms.toml",
        subcommands: [Check.self, Show.self])

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Say whether a configuration can be taken, and where it is wrong.",
            discussion: """
                Example:  roomful config check rooms.toml
                Opens, makes and changes nothing. Exits with 2 when the file is wrong, or names what no host could use. \
                Says what this user cannot open, and what is not there yet below /run, and takes the file.
                """)

        @Argument(help: "A TOML file.") var file: String
        @Flag(help: "Print JSON.") var json = false

        private struct Room: Encodable {
            var name: String
            var seats: Int
            var policy: String
            var port: Int
            var line: Int
        }

        func run() async throws {
            try await Failure.explained {
                let configuration = try ConfigurationFile(path: file)
                for doubt in try await configuration.rehearse() { Failure.say("\(doubt)") }
                let rooms = configuration.rooms.map {
                    Room(
                        name: $0.host.name, seats: $0.host.seats, policy: $0.host.policy.rawValue,
                        port: Int($0.host.port),
                        line: $0.line)
                }
                if json {
                    Terminal.print(try Terminal.json(["rooms": rooms]))
                } else {
                    for room in rooms {
                        let port = room.port == 0 ? "any port" : "port \(room.port)"
                        let seats = plural(room.seats, "seat")
                        Terminal.print(
                            "\(file):\(room.line): \"\(room.name)\", \(seats), policy \(room.policy), \(port)")
                    }
                    Terminal.print("\(plural(rooms.count, "room")): the file can be taken")
                }
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "print",
            abstract: "Every key with its sentence and its usual value: a file to begin with.",
            discussion: "Example:  roomful config print > rooms.toml")

        func run() async throws { Terminal.print(ConfigurationExample.text) }
    }
}
