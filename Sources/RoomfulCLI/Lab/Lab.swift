import ArgumentParser

/// Tools for measuring a room, and for trying it under bad conditions.
struct Lab: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lab",
        abstract: "Try a room under bad conditions; score recordings that know the truth.",
        discussion: """
            Examples:  roomful lab fleet --controllers 200 --for 60s --network "loss=5%,burst=3,delay=20±10ms"
                       roomful lab score Recordings
            """,
        subcommands: [Evenings.self, Fleet.self, Relay.self, Score.self, Sites.self])
}
