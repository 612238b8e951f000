import ArgumentParser

/// Tools for measuring a room, and for trying it under bad conditions.
struct Lab: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Tools for tests and studies.", shouldDisplay: false, subcommands: [Relay.self, Score.self])
}
