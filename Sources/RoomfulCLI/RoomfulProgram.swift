import ArgumentParser
import Foundation
import Identity
import InputMerge
import WireProtocol

/// The program `roomful`: hosts a room, joins one, looks around, and lets the operator look inside.
@main
struct RoomfulProgram: AsyncParsableCommand {
    /// Wrong use ends with 2, as every other command line does it here; ArgumentParser's own code would be 64.
    static func main() async {
        if let problem = unknown(CommandLine.arguments.dropFirst()) {
            Failure.write("Error: \(problem)\n")
            Foundation.exit(Failure.usage.rawValue)
        }
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch  where exitCode(for: error) == .validationFailure {
            // What was pasted is said again, and must not move the terminal.
            let lines = fullMessage(for: error).split(separator: "\n", omittingEmptySubsequences: false)
            Failure.write(lines.map { printable(String($0)) }.joined(separator: "\n") + "\n")
            Foundation.exit(Failure.usage.rawValue)
        } catch {
            exit(withError: error)
        }
    }

    /// What is wrong with a first word that names no command, or with the one after `seat`, `lab` and others that have
    /// commands of their own, in words; nil for one that does, and for an option.
    static func unknown(_ words: some Collection<String>) -> String? {
        var (command, path): (any ParsableCommand.Type, String) = (Self.self, "roomful")
        for word in words {
            let known = command.configuration
            let below = known.subcommands
            // Where one is meant when none is named, the word may be that one's.
            guard !below.isEmpty, known.defaultSubcommand == nil, !word.hasPrefix("-") else { return nil }
            guard let named = below.first(where: { $0._commandName == word }) else {
                let names = below.map { $0._commandName } + ["help"]
                return names.contains(word) ? nil : unknown(word, among: names, of: path)
            }
            (command, path) = (named, "\(path) \(word)")
        }
        return nil
    }

    private static func unknown(_ word: String, among names: [String], of path: String) -> String {
        let near = nearestWord(to: word, among: word.isEmpty ? [] : names).map { "; did you mean \"\($0)\"?" } ?? "."
        return "there is no command \"\(printable(word))\"\(near) All are listed by: \(path) --help"
    }

    static let configuration = CommandConfiguration(
        commandName: "roomful",
        abstract: "Phones and other motion controllers in one room, for games, exhibits and studies.",
        discussion: """
            Start with:  roomful host "Living Room"
            Then, on any machine of the network:  roomful browse
            """,
        version: ProgramVersion.text,
        subcommands: [ResponderCommand.self],
        groupedSubcommands: [
            CommandGroup(
                name: "Every day:",
                subcommands: [
                    Host.self, QR.self, Open.self, Peers.self, Events.self, Doctor.self, Hotspot.self, Demo.self,
                    Docs.self,
                ]),
            CommandGroup(name: "Many rooms:", subcommands: [SiteCommand.self, Handover.self]),
            CommandGroup(name: "As a controller:", subcommands: [Browse.self, Join.self]),
            CommandGroup(
                name: "Who plays:",
                subcommands: [
                    Accept.self, Decline.self, Invite.self, Kick.self, Seat.self, Move.self, Identify.self, Rezero.self,
                    Lock.self, Unlock.self, Reload.self, Stop.self, Erase.self,
                ]),
            CommandGroup(name: "Gestures:", subcommands: [Teach.self, Taught.self, Sensitivity.self]),
            CommandGroup(
                name: "Recordings:",
                subcommands: [
                    Record.self, Mark.self, Recordings.self, Replay.self, Export.self, Report.self, Forget.self,
                ]),
            CommandGroup(name: "Setting up, trying out:", subcommands: [Config.self, ServiceCommand.self, Lab.self]),
        ])
}
