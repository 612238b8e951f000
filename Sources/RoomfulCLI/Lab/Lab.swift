import ArgumentParser

/// Tools for measuring a room, and for trying it under bad conditions.
struct Lab: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lab",
        abstract: "Try a room under bad conditions; score recordings that know the truth.",
        subcommands: [Evenings.self, Fleet.self, Relay.self, Score.self, Sites.self])
}
