import ArgumentParser
import Foundation

/// The program `roomful`: hosts a room, joins one, looks around, and lets the operator look inside.
@main
struct RoomfulProgram: AsyncParsableCommand {
    /// Wrong use ends with 2, as every other command line does it here; ArgumentParser's own code would be 64.
    static func main() async {
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch where exitCode(for: error) == .validationFailure {
            FileHandle.standardError.write(Data((fullMessage(for: error) + "\n").utf8))
            Foundation.exit(Failure.usage.rawValue)
        } catch {
            exit(withError: error)
        }
    }

    static let configuration = CommandConfiguration(
        commandName: "roomful",
        abstract: "Phones and other motion controllers in one room, for games, exhibits and studies.",
        discussion: """
            Start with:  roomful host "Living Room"
            Then, on any machine of the network:  roomful browse
            """,
        subcommands: [
            Host.self, QR.self, Open.self, Browse.self, Join.self, Peers.self, Events.self, Invite.self, Accept.self, Decline.self, Kick.self,
            Lock.self, Unlock.self, Identify.self, Rezero.self, Seat.self, Teach.self,
            Taught.self, Sensitivity.self, Stop.self, Doctor.self, Lab.self, ResponderCommand.self,
        ])
}
