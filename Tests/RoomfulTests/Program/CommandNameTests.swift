import ArgumentParser
import Testing

@testable import RoomfulCLI

@Suite("The program's commands")
struct CommandNameTests {
    /// Where none is said, ArgumentParser makes one of the type's, and to say a type's name Swift looks through all that
    /// conforms to anything in the program, for each command at each start: half of what `roomful --version` took.
    @Test("Each says its own name, and no two below one command say the same")
    func namesAreSaid() {
        var nameless: [String] = []
        var commands = 0
        func look(at command: any ParsableCommand.Type, _ path: String) {
            let configuration = command.configuration
            let below = configuration.subcommands
            commands += 1
            if configuration.commandName == nil { nameless.append(path) }
            let names = below.map { $0._commandName }
            #expect(Set(names).count == names.count, "\(path): \(names)")
            for each in below { look(at: each, "\(path) \(each._commandName)") }
        }
        look(at: RoomfulProgram.self, "roomful")
        #expect(nameless.isEmpty)
        // All of them were reached, the ones below others too.
        #expect(commands > 50)
    }

    @Test("The help of each that is listed has an example of it")
    func examples() {
        var without: [String] = []
        func look(at command: any ParsableCommand.Type, _ typed: String) {
            let configuration = command.configuration
            if configuration.shouldDisplay, !configuration.discussion.contains(typed) { without.append(typed) }
            for each in configuration.subcommands {
                // What is meant where nothing is named need not be typed.
                let isMeant = configuration.defaultSubcommand.map { $0 == each } ?? false
                look(at: each, isMeant ? typed : "\(typed) \(each._commandName)")
            }
        }
        look(at: RoomfulProgram.self, "roomful")
        #expect(without.isEmpty)
    }
}
