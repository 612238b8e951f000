import ArgumentParser
import Connections
import Foundation
import PrivateFiles
import Roomful

/// Makes this machine host a room by itself, from boot on.
struct ServiceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "service",
        abstract: "Host a room on this machine from boot on, by systemd.",
        discussion: "Example:  sudo roomful service install \"Living Room\" --play keepcalm --policy open",
        subcommands: [Install.self, Unit.self])

    struct Install: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "install",
            abstract: "Write a room's file and its unit, and start it; says how to undo that.",
            discussion: """
                Example:  sudo roomful service install "Living Room" --play keepcalm --policy open
                Takes every flag of roomful host, before or after the name. The room's file is /etc/roomful/living-room.toml; a room that has one already is left as it is.
                """)

        @Option(name: .customLong("as"), help: "The service's own name, where the room's does not do: a-z, 0-9 and -.")
        var alias: String?
        @Option(
            help: "Write below this folder instead of /, and start nothing: for an image of another machine.",
            transform: String.ofPath)
        var root: String = "/"
        @Flag(help: "Write the files, and start nothing.") var noStart = false
        @Argument(parsing: .allUnrecognized, help: "The room's name, and flags of roomful host.") var room: [String] =
            []

        func run() async throws {
            try await Failure.explained {
                var plan = try ServicePlan(room: room, alias: alias, root: root)
                try plan.write()
                for line in plan.written { Terminal.print(line) }
                if noStart || MachineFiles(root: root).areElsewhere {
                    Terminal.print(
                        "start it:  systemd-sysusers; systemctl daemon-reload && systemctl enable --now \(plan.instance)"
                    )
                } else {
                    try plan.start()
                    Terminal.print("\(plan.instance) runs, and starts with the machine; look at it:  roomful peers")
                }
                Terminal.print("undo:      systemctl disable --now \(plan.instance); rm \(plan.file)")
            }
        }
    }

    struct Unit: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "unit",
            abstract: "Print the unit that systemd runs rooms by.",
            discussion: """
                Example:  roomful service unit > roomful@.service
                One instance for each file in /etc/roomful: roomful@living-room reads living-room.toml there.
                """)
        @Option(help: "Where the program will be.") var program = "/usr/bin/roomful"

        @Flag(help: "Print the user that it runs as instead, as systemd-sysusers reads it.") var user = false

        func run() async throws { Terminal.print(user ? ServiceUnit.user : ServiceUnit.text(program: program)) }
    }
}
