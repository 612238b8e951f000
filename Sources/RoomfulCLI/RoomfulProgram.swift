import ArgumentParser

/// The program `roomful`: hosts a room, joins one, looks around, and lets the operator look inside.
@main
struct RoomfulProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roomful",
        abstract: "Phones and other motion controllers in one room, for games, exhibits and studies.",
        discussion: """
            Start with:  roomful host "Living Room"
            Then, on any machine of the network:  roomful browse
            """,
        subcommands: [
            Host.self, Browse.self, Join.self, Peers.self, Events.self, Accept.self, Decline.self, Kick.self,
            Lock.self, Unlock.self, Identify.self, Rezero.self, Stop.self, Lab.self,
        ])
}
